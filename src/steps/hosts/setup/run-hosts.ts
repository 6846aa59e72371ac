import { catalogue } from '../../../i18n/catalogue.ts';
import { toUserError } from '../../../i18n/user-error.ts';
import { sanitizeLine } from '../../../platform/sanitize.ts';

import type { StepContext } from '../../contract.ts';
import { formatHostEvent, formatRunEnd, type HostEvent, type RunEnd } from './events.ts';
import type { ProbedHost } from './host-probe.ts';

const SUCCESSFUL_ENDS: ReadonlySet<RunEnd['end']> = new Set(['same', 'confirmed', 'undone']);

/** Outcome of the run on a host; `why`: the failure in one line, null if the host is as intended. */
export interface HostOutcome {
  readonly name: string;
  readonly why: string | null;
}

/** Whether a host is as intended after the run. */
export const isSuccessful = ({ end }: RunEnd) => SUCCESSFUL_ENDS.has(end);

/** Runs an action on one host, and reports its events until it has ended. */
export type HostAction = (host: ProbedHost, onEvent: (event: HostEvent) => void) => Promise<RunEnd>;

/** Whether a host needs an action: a change, following a run, or a confirmation. */
export function isDue({ plan, run }: ProbedHost): boolean {
  return run?.isRunning === true || run?.outcome === 'open' || (plan !== null && plan.changes.length > 0);
}

/** Lists the files of a host that were edited there since they were put in place. */
export function listEditedFiles({ plan }: ProbedHost): readonly string[] {
  return plan?.changes.filter(({ how }) => how === 'edited').map(({ what }) => what) ?? [];
}

/**
 * Runs an action on probed hosts: one after the other in their order, and on none after a failure; or on all
 * concurrently. Reports the events line by line, each under the name of its host.
 * @returns the outcomes of the hosts that it ran on
 */
export async function runOnHosts(
  context: Pick<StepContext, 'signal'>,
  hosts: readonly ProbedHost[],
  isSideBySide: boolean,
  action: HostAction,
  report: (line: string) => void,
): Promise<readonly HostOutcome[]> {
  const runOne = async (host: ProbedHost): Promise<HostOutcome> => {
    const { name } = host;
    const reportLine = (line: string) => report(sanitizeLine(catalogue().hosts.hostLine(name, line), 2000));
    let failing = '';
    const onEvent = (event: HostEvent) => {
      // Checks repeat every few seconds, with other seconds left: reported only when other checks fail than before.
      const previous = failing;
      failing = event.type === 'checking' ? event.failing.join('\n') : '';
      if (failing === '' || failing !== previous) reportLine(formatHostEvent(event));
    };
    try {
      const end = await action(host, onEvent);
      return { name, why: isSuccessful(end) ? null : formatRunEnd(end) };
    } catch (error) {
      context.signal.throwIfAborted();
      const { title, cause, remedy } = toUserError(error);
      reportLine(`${title}: ${cause} ${remedy}`);
      return { name, why: `${title}: ${cause}` };
    }
  };
  if (isSideBySide) return await Promise.all(hosts.map(runOne));
  const outcomes: HostOutcome[] = [];
  for (const host of hosts) {
    const outcome = await runOne(host);
    outcomes.push(outcome);
    if (outcome.why !== null) break;
  }
  return outcomes;
}
