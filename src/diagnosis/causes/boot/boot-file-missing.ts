import { MINUTE } from '../../../ports/clock.ts';
import { type Clue, cause, failed } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** Firmware asks for its boot program within seconds of its address. */
const LONG = 5 * MINUTE;

/** A file that machines boot with is not served, is empty, or leads nowhere. */
export const bootFileMissing = cause('boot-file-missing', 'boot', (evidence) => {
  const codes = ['http-artifacts', 'ipxe-script', 'ipxe-nodes'] as const;
  const checks = codes.flatMap((code) => failed(evidence, code));
  // That TFTP does not answer here is not yet what keeps machines there.
  const programs = isStuckAtLease(evidence) ? failed(evidence, 'tftp', 'likely') : [];
  return [...[...checks, ...programs].filter(({ symptom }) => !/\b403\b/.test(symptom)), ...refused(evidence, 404)];
});

/** Firmware may be given its program by others, or over HTTP: TFTP matters where a machine has its address, and none got further. */
function isStuckAtLease({ machines, now }: Evidence): boolean {
  const isWaiting = machines.some(({ stage, poweredOnAt }) => stage === 'lease' && now - (poweredOnAt ?? now) > LONG);
  return isWaiting && machines.every(({ requests }) => requests.length === 0);
}

/** Machines whose last request was answered with this status. */
export function refused({ machines, design }: Evidence, status: number): Clue[] {
  const { bastion, boot } = design?.services ?? {};
  return machines.flatMap(({ name, lastRequest, hasJoined }) => {
    if (lastRequest?.status !== status || hasJoined) return [];
    const command = `curl -sI http://${bastion?.ip[0] ?? ''}:${boot?.httpPort ?? 8080}${lastRequest.path}`;
    return [{ likelihood: 'certain' as const, subject: name, symptom: `${lastRequest.path} ${status}`, command }];
  });
}
