import { catalogue } from '../../../text/catalogue.ts';
import { sanitizeLine } from '../../../text/sanitize.ts';
import { asTrouble } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { endLine, eventLine, type HostEvent, type RunEnd } from './events.ts';
import type { SeenHost } from './look.ts';

const GOOD: ReadonlySet<RunEnd['end']> = new Set(['same', 'confirmed', 'undone']);

/** How the run on a host came to its end; `why` in one line, null where it is as it was to be. */
export interface HostOutcome {
  readonly name: string;
  readonly why: string | null;
}

/** Whether a host is as it was to be. */
export const isGood = ({ end }: RunEnd) => GOOD.has(end);

/** Does something on one host, and tells what happens there until it has ended. */
export type ActOnHost = (seen: SeenHost, tell: (event: HostEvent) => void) => Promise<RunEnd>;

/** Is there anything to do on a host: to change, to follow, or to confirm? */
export function isDue({ plan, run }: SeenHost): boolean {
  return run?.isRunning === true || run?.outcome === 'open' || (plan !== null && plan.changes.length > 0);
}

/** The files of a host that somebody changed since they were put in place. */
export function editedOf({ plan }: SeenHost): readonly string[] {
  return plan?.changes.filter(({ how }) => how === 'edited').map(({ what }) => what) ?? [];
}

/**
 * Acts on hosts, each as it was seen: one after the other in their order, and on none after one that failed; or on all at a time. What happens is told line by line,
 * each under the name of its host.
 * @returns the outcomes of those that were acted on
 */
export async function actTogether(
  context: Pick<StepContext, 'signal'>,
  hosts: readonly SeenHost[],
  isSideBySide: boolean,
  act: ActOnHost,
  report: (line: string) => void,
): Promise<readonly HostOutcome[]> {
  const one = async (seen: SeenHost): Promise<HostOutcome> => {
    const { name } = seen;
    const say = (line: string) => report(sanitizeLine(catalogue().hosts.said(name, line), 2000));
    let failing = '';
    const tell = (event: HostEvent) => {
      // Asked every few seconds, with other seconds left: told when other checks fail than before.
      const before = failing;
      failing = event.type === 'checking' ? event.failing.join('\n') : '';
      if (failing === '' || failing !== before) say(eventLine(event));
    };
    try {
      const end = await act(seen, tell);
      return { name, why: isGood(end) ? null : endLine(end) };
    } catch (error) {
      context.signal.throwIfAborted();
      const { title, cause, whatToDo } = asTrouble(error);
      say(`${title}: ${cause} ${whatToDo}`);
      return { name, why: `${title}: ${cause}` };
    }
  };
  if (isSideBySide) return await Promise.all(hosts.map(one));
  const outcomes: HostOutcome[] = [];
  for (const host of hosts) {
    const outcome = await one(host);
    outcomes.push(outcome);
    if (outcome.why !== null) break;
  }
  return outcomes;
}
