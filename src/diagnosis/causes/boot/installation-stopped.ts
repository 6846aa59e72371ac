import { MINUTE } from '../../../ports/clock.ts';
import type { Evidence, MachineSeen } from '../evidence.ts';
import { reachable } from './reachable.ts';

/** Writing the disk, the first boot, the fetch of the configuration and the overlay of the node image. */
const LONG = 25 * MINUTE;

/**
 * Machines that fetched their ignition file long ago and were never heard of again, while all that they need next is
 * there: what stopped them happened on the machine itself.
 */
export function stoppedAfterIgnition(evidence: Evidence): MachineSeen[] {
  const { machines, now, ports } = evidence;
  const isServed = ports.some(({ kind, port, state }) => kind === 'api-int' && port === 22623 && state === 'open');
  return machines.filter(
    ({ name, role, stage, lastRequest, hasJoined }) =>
      stage === 'ignition' &&
      !hasJoined &&
      lastRequest !== null &&
      lastRequest.status < 400 &&
      now - lastRequest.at > LONG &&
      (role === 'bootstrap' || isServed) &&
      !reachable(evidence, name),
  );
}
