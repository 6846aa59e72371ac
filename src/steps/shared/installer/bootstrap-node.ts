import { rm } from 'node:fs/promises';
import { runPatience } from '../../../bastion/patience.ts';
import { runOverSsh } from '../../../bastion/ssh/ssh-run.ts';
import { nodesWithRole } from '../../../design/names.ts';
import { parseJournal } from '../../../installer/journal.ts';
import { parseServiceRecord } from '../../../installer/service-record.ts';
import { MINUTE, SECOND } from '../../../ports/clock.ts';
import { hasCome } from '../../../ports/waiting.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { asTrouble, TroubleError } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import type { Inside, Visit } from '../../recollection.ts';
import { type CoreLogin, coreLogin, pinnedFile } from './core-login.ts';
import { addToLog } from './log.ts';

const words = () => catalogue().steps.bootstrap.inside;

const EVERY = 10 * SECOND;
/** How long to wait after a node refused the login. */
const AFTER_FAILURE = MINUTE;
const LONGEST_REST = 30 * MINUTE;
const LONGEST_LOOK = 30 * SECOND;
const KNOWN_HOSTS = 'known_hosts';

/**
 * What we know of the inside of the bootstrap node; null: not available. Reading it is an extra: nothing waits for it,
 * one ssh at a time looks every 10 s of the clock, and the log mentions once a node that does not let us in.
 */
export function lookInside(context: StepContext): Inside | null {
  const { clock, recollection } = context;
  recollection.visit ??= { inside: null, cursor: null, nextAt: 0, isUnderWay: false, said: null };
  const { visit } = recollection;
  if (!visit.isUnderWay && hasCome(clock, visit.nextAt, LONGEST_REST) && !context.signal.aborted) {
    visit.isUnderWay = true;
    const began = clock.now();
    void visitOnce(context, visit).then((isWell) => {
      visit.isUnderWay = false;
      // On a fast clock it takes no more than a fifth of the time.
      visit.nextAt =
        clock.now() + Math.min(LONGEST_REST, Math.max(isWell ? EVERY : AFTER_FAILURE, 4 * (clock.now() - began)));
    });
  }
  return visit.inside;
}

async function visitOnce(context: StepContext, visit: Visit): Promise<boolean> {
  try {
    const way = await wayIn(context);
    if (typeof way === 'string') throw new Error(way);
    const { stdout } = await patiently(context, (signal) =>
      runOverSsh({ ...way, command: lookCommand(visit.cursor), signal }),
    );
    // A single node lets us into its live system as well, before it has the key that stays.
    if (context.design.topology !== 'single-node') await way.pin();
    const part = partsOf(stdout);
    visit.inside = {
      releaseImage: parseServiceRecord(part('release-image')) ?? visit.inside?.releaseImage ?? null,
      bootkube: parseServiceRecord(part('bootkube')) ?? visit.inside?.bootkube ?? null,
    };
    const { lines, cursor } = parseJournal(part('journal'));
    visit.cursor = cursor ?? visit.cursor;
    for (const { source, line } of lines) addToLog(context, source, [line]);
    if (visit.said !== null) say(context, visit, null, words().again);
    return true;
  } catch (error) {
    if (context.signal.aborted) return false;
    const isOther = error instanceof TroubleError && error.trouble.code === 'ssh-host-key-changed';
    const cause = isOther ? words().otherKey(pinnedFile(context, KNOWN_HOSTS)) : asTrouble(error).cause;
    say(context, visit, cause, words().closed(cause));
    return false;
  }
}

/** A machine that lets us in and then hangs does not keep us from looking again. */
async function patiently<Result>(
  { clock, signal }: StepContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const patience = runPatience(clock, LONGEST_LOOK, LONGEST_LOOK);
  try {
    return await work(AbortSignal.any([signal, patience.signal]));
  } catch (error) {
    throw patience.signal.aborted ? new Error(words().silent(LONGEST_LOOK / SECOND)) : error;
  } finally {
    patience.end();
  }
}

/** Logged when it changes, and not at every look. */
function say(context: StepContext, visit: Visit, reason: string | null, text: string): void {
  if (visit.said === reason) return;
  visit.said = reason;
  addToLog(context, 'bootkube', [{ at: context.clock.now(), level: 'info', text }]);
}

/** The bootstrap node is installed anew: what we know, its host key too, belongs to the one before. */
export async function forgetInside(context: Pick<StepContext, 'dir' | 'recollection'>): Promise<void> {
  context.recollection.visit = null;
  await rm(pinnedFile(context, KNOWN_HOSTS), { force: true });
}

/** How to log in there as core, or in words why that is not possible. */
async function wayIn(context: StepContext): Promise<CoreLogin | string> {
  const { design } = context;
  const machine = nodesWithRole(design, 'bootstrap')[0] ?? nodesWithRole(design, 'control-plane')[0];
  const address = machine?.ip[0];
  return address === undefined ? words().noMachine : await coreLogin(context, address, KNOWN_HOSTS);
}

/** One short program for any shell there: prints the records, and the journal since the last time. */
function lookCommand(cursor: string | null): string {
  const since = cursor === null ? '-n 200' : `--after-cursor='${cursor}'`;
  return [
    "s=; sudo -n true 2>/dev/null && s='sudo -n'",
    'for f in release-image bootkube; do echo "@@ $f"; $s tail -c 60000 /var/log/openshift/$f.json 2>/dev/null; echo; done',
    "echo '@@ journal'",
    `$s journalctl -b --no-pager -q -o json --output-fields=_SYSTEMD_UNIT,UNIT,PRIORITY,MESSAGE -u release-image.service -u bootkube.service ${since} 2>/dev/null | tail -n 400 | head -c 600000`,
  ].join('; ');
}

/** The parts of what the command printed, by name. */
function partsOf(stdout: string): (name: string) => string {
  const parts = new Map(
    stdout.split(/^@@ /m).map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end + 1).trim()] as const;
    }),
  );
  return (name) => parts.get(name) ?? '';
}
