import type { ServiceHost } from '../../../design/model.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { TroubleError } from '../../../text/trouble.ts';
import type { Brief, BriefedAction, StepContext } from '../../contract.ts';
import { hostsInOrder } from '../../shared/hosts/order.ts';
import { applyToHost, undoOnHost } from './apply.ts';
import { changeLines, standingLines } from './lines.ts';
import { type LookFor, lookAtHosts, type SeenHost } from './look.ts';
import { type ActOnHost, actTogether, editedOf, isDue } from './together.ts';

const words = () => catalogue().steps.hosts.fromHere;

/** What a person asks for on the screen: hosts, and what they agree to beyond it. */
interface Wish {
  readonly hosts: readonly ServiceHost[];
  /** Files, too, that somebody changed since. */
  readonly overwrites: boolean;
  readonly isSideBySide: boolean;
}

const OVERWRITE = 'overwrite';
const TOGETHER = 'side-by-side';
const LOOKS = { 'set-up': 'plan', undo: 'undo-plan' } as const satisfies Record<BriefedAction, LookFor>;

/** A wish as a subject, as the journal has it: `ns1,lb1`, `ns1 overwrite`, `ns1,lb1 side-by-side`. */
function subjectOf(hosts: readonly { readonly name: string }[], ...more: readonly (string | false)[]): string {
  return [hosts.map(({ name }) => name).join(','), ...more.filter((word) => word !== false)].join(' ');
}

function wishOf({ design }: StepContext, subject: string | null): Wish {
  const [names = '', ...more] = (subject ?? '').split(' ');
  const wanted = names.split(',');
  const hosts = hostsInOrder(design).filter(({ name }) => wanted.includes(name));
  return { hosts, overwrites: more.includes(OVERWRITE), isSideBySide: more.includes(TOGETHER) };
}

/** What setting up hosts from here, or taking that back, would change there now; asked of each of them, which changes nothing. */
export async function briefHosts(context: StepContext, subject: string | null, action: BriefedAction): Promise<Brief> {
  const { hosts, overwrites, isSideBySide } = wishOf(context, subject);
  const seen = await lookAtHosts(context, hosts, LOOKS[action]);
  for (const host of seen) context.recollection.shownChanges.set(keyOf(action, host.name), changesOf(host));
  const edited = seen.flatMap((host) => editedOf(host).map((path) => words().edited(path, host.name, overwrites)));
  const lines = seen.flatMap((host) => [
    ...standingLines(host, action === 'undo' ? 'undo' : 'plan'),
    ...changeLines(host.plan),
  ]);
  const told = action === 'undo' ? words().undoes : words().sets;
  return {
    question: words().question[action](hosts.map(({ name }) => name).join(', ')),
    lines: [
      ...(seen.some(isDue)
        ? [isSideBySide && hosts.length > 1 ? words().together : '', told].filter(Boolean)
        : [words().nothing]),
      ...edited,
      ...lines.map(({ text }) => text),
    ],
    instead: [
      ...(edited.length > 0 && !overwrites
        ? [
            {
              key: 'overwrite',
              label: words().keys.overwrite,
              subject: subjectOf(hosts, OVERWRITE, isSideBySide && TOGETHER),
            } as const,
          ]
        : []),
      ...(hosts.length > 1 && !isSideBySide
        ? [
            {
              key: 'sideBySide',
              label: words().keys.together,
              subject: subjectOf(hosts, TOGETHER, overwrites && OVERWRITE),
            } as const,
          ]
        : []),
    ],
  };
}

const keyOf = (action: BriefedAction, name: string) => `${LOOKS[action]} ${name}`;
const changesOf = ({ plan }: SeenHost) => JSON.stringify(plan?.changes ?? null);

/**
 * Has `install.sh` run on hosts, as the command `hosts apply` does, and tells what happens there.
 * @throws TroubleError `host-otherwise` when other things would change than were shown; `host-unreachable`, `host-edited`: nothing was
 *   changed; `host-not-set-up` with what went wrong
 */
export async function setUpHosts(context: StepContext, subject: string, report: (line: string) => void): Promise<void> {
  await act(context, subject, 'set-up', report, ({ host, plan }, tell) => applyToHost(context, host, plan, { tell }));
}

/** Has everything on hosts put back as it was before the first run; the host that was set up last comes first. @throws as `setUpHosts` */
export async function undoHosts(
  context: StepContext,
  subject: string | null,
  report: (line: string) => void,
): Promise<void> {
  const { overwrites } = wishOf(context, subject);
  await act(context, subject, 'undo', report, ({ host }, tell) => undoOnHost(context, host, { tell, overwrites }));
}

async function act(
  context: StepContext,
  subject: string | null,
  action: BriefedAction,
  report: (line: string) => void,
  run: ActOnHost,
): Promise<void> {
  const { hosts, overwrites, isSideBySide } = wishOf(context, subject);
  const seen = await lookAtHosts(context, hosts, LOOKS[action]);
  const away = seen.find(({ trouble }) => trouble !== null)?.trouble;
  if (away)
    throw new TroubleError({ code: 'host-unreachable', title: away.title, cause: away.cause, whatToDo: away.whatToDo });
  const { shownChanges } = context.recollection;
  const other = seen.find(
    (host) => (shownChanges.get(keyOf(action, host.name)) ?? changesOf(host)) !== changesOf(host),
  );
  if (other) throw new TroubleError({ code: 'host-otherwise', ...words().otherwise(other.name) });
  const edited = action === 'set-up' && !overwrites ? seen.find((host) => editedOf(host).length > 0) : undefined;
  if (edited)
    throw new TroubleError({ code: 'host-edited', ...words().editedStop(editedOf(edited).join(', '), edited.name) });
  const due = seen.filter(isDue);
  if (due.length === 0) return report(words().nothing);
  const ordered = action === 'undo' ? due.toReversed() : due;
  const outcomes = await actTogether(context, ordered, isSideBySide, run, report);
  const bad = outcomes.filter(({ why }) => why !== null);
  if (bad.length === 0) return;
  const cause = bad.map(({ name, why }) => catalogue().hosts.said(name, why ?? '')).join(' ');
  throw new TroubleError({ code: 'host-not-set-up', ...words().failed, cause });
}
