import { MINUTE } from '../../../ports/clock.ts';
import { cause, failed } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** Firmware asks for its boot program within seconds of its address. */
const LONG = 5 * MINUTE;

/** The TFTP server does not hand out what firmware starts: none of the machines gets further than its address. */
export const bootProgramMissing = cause('boot-program-missing', 'boot', (evidence) =>
  // That TFTP does not answer here is not yet what keeps machines there.
  isStuckAtLease(evidence) ? failed(evidence, 'tftp', 'likely') : [],
);

/** Firmware may be given its program by others, or over HTTP: TFTP matters where a machine has its address, and none got further. */
export function isStuckAtLease({ machines, now }: Evidence): boolean {
  const isWaiting = machines.some(({ stage, poweredOnAt }) => stage === 'lease' && now - (poweredOnAt ?? now) > LONG);
  return isWaiting && machines.every(({ requests }) => requests.length === 0);
}
