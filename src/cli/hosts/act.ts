import type { ServiceHost } from '../../design/model.ts';
import type { StepContext } from '../../steps/contract.ts';
import { applyToHost, undoOnHost } from '../../steps/hosts/setup/apply.ts';
import { lookAtHosts, type SeenHost } from '../../steps/hosts/setup/look.ts';
import { type ActOnHost, actTogether, editedOf, isDue, isGood } from '../../steps/hosts/setup/together.ts';
import { logged } from '../../steps/shared/acts.ts';
import { catalogue } from '../../text/catalogue.ts';
import { saysYes } from '../../text/yes.ts';
import type { LiveIo } from '../shared/live-io.ts';
import { hostsText } from './text.ts';

const words = () => catalogue().hosts;

/** What the options agree to ahead. */
export interface HostConsent {
  readonly isYes: boolean;
  /** Files, too, that somebody changed since. */
  readonly overwrites: boolean;
  /** All hosts at a time; otherwise one after the other, and none after one that failed. */
  readonly isSideBySide: boolean;
  /** Seconds; null: as long as usual. */
  readonly revertsAfter: number | null;
}

type Code = 0 | 4 | 5;
type Person = Pick<LiveIo, 'ask' | 'stderr' | 'columns'>;

/** Shows what would change, asks once, and has it done; 0 when every host that was to be changed stays so. */
export async function applyAll(
  context: StepContext,
  hosts: readonly ServiceHost[],
  io: Person,
  consent: HostConsent,
): Promise<Code> {
  const seen = await lookAtHosts(context, hosts);
  io.stderr(hostsText(seen, io.columns));
  const stop = stopOf(seen, io);
  if (stop !== null) return stop;
  const due = seen.filter(isDue);
  if (due.length === 0) return told(io, words().nothing, 0);
  for (const host of due) {
    const edited = editedOf(host);
    if (consent.isYes && edited.length > 0 && !consent.overwrites)
      return told(io, words().editedStop(edited.join(', '), host.name), 5);
  }
  if (!consent.isYes) {
    if (!(await agrees(io, words().confirmApply(due.map(({ name }) => name).join(', ')))))
      return told(io, words().declined, 4);
    for (const host of consent.overwrites ? [] : due) {
      for (const path of editedOf(host)) {
        if (!(await agrees(io, words().confirmOverwrite(path, host.name)))) return told(io, words().declined, 5);
      }
    }
  }
  const revertsAfter = consent.revertsAfter === null ? {} : { revertsAfter: consent.revertsAfter };
  return await each(context, 'set-up', due, consent, io, ({ host, plan }, tell) =>
    applyToHost(context, host, plan, { tell, ...revertsAfter }),
  );
}

/** Shows what would be put back, asks, and has it done; the host that was set up last comes first. */
export async function undoAll(
  context: StepContext,
  hosts: readonly ServiceHost[],
  io: Person,
  consent: HostConsent,
): Promise<Code> {
  const seen = (await lookAtHosts(context, hosts, 'undo-plan')).toReversed();
  io.stderr(hostsText(seen, io.columns, 'undo'));
  const stop = stopOf(seen, io);
  if (stop !== null) return stop;
  const due = seen.filter(isDue);
  if (due.length === 0) return told(io, words().nothing, 0);
  const overwritten = new Set<string>();
  if (!consent.isYes && !(await agrees(io, words().confirmUndo(due.map(({ name }) => name).join(', ')))))
    return told(io, words().declined, 4);
  for (const host of due) {
    const edited = editedOf(host);
    if (edited.length === 0) continue;
    const isAgreed =
      consent.overwrites ||
      (!consent.isYes && (await agrees(io, words().confirmOverwrite(edited.join(', '), host.name))));
    if (isAgreed) overwritten.add(host.name);
    else io.stderr(`${words().editedStay(edited.join(', '), host.name)}\n`);
  }
  return await each(context, 'undo', due, consent, io, ({ host }, tell) =>
    undoOnHost(context, host, { tell, overwrites: overwritten.has(host.name) }),
  );
}

/** A host that nobody can look at ends it before anything was changed. */
function stopOf(seen: readonly SeenHost[], io: Person): Code | null {
  const away = seen.filter(({ trouble }) => trouble !== null).map(({ name }) => name);
  return away.length === 0 ? null : told(io, words().unreachable(away.join(', ')), 4);
}

/** Acts on the hosts that are due, in the order of the list, each between two lines of the journal. */
async function each(
  context: StepContext,
  action: 'set-up' | 'undo',
  due: readonly SeenHost[],
  { isSideBySide }: HostConsent,
  io: Person,
  act: ActOnHost,
): Promise<Code> {
  const writtenDown: ActOnHost = (seen, tell) =>
    logged(
      context,
      { step: 'hosts', action, subject: seen.name },
      () => act(seen, tell),
      (run) => (isGood(run) ? null : `host-${run.end}`),
    );
  const outcomes = await actTogether(context, due, isSideBySide, writtenDown, (line) => io.stderr(`${line}\n`));
  return outcomes.every(({ why }) => why === null) ? 0 : 4;
}

async function agrees(io: Person, question: string): Promise<boolean> {
  return saysYes((await io.ask?.(question)) ?? '');
}

function told<C extends Code>(io: Person, line: string, code: C): C {
  io.stderr(`${line}\n`);
  return code;
}
