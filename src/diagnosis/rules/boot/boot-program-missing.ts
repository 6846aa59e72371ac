import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule, symptomsFromFailedChecks } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

/** Firmware requests its boot program within seconds after it has its address. */
const GRACE_PERIOD = 5 * MINUTE;

/** The TFTP server does not serve the boot program of the firmware: no machine gets further than its address. */
export const bootProgramMissing = diagnosticRule('boot-program-missing', 'boot', (evidence) =>
  // A failed TFTP check from this machine does not prove that TFTP stops the machines.
  isStuckAtLease(evidence) ? symptomsFromFailedChecks(evidence, 'tftp', 'likely') : [],
);

/**
 * Firmware may get its program from another server, or over HTTP. TFTP matters if a machine has its address and no
 * machine got further.
 */
export function isStuckAtLease({ machines, now }: Evidence): boolean {
  const isWaiting = machines.some(
    ({ stage, poweredOnAt }) => stage === 'lease' && now - (poweredOnAt ?? now) > GRACE_PERIOD,
  );
  return isWaiting && machines.every(({ requests }) => requests.length === 0);
}
