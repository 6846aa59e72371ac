import type { BootEvidence } from '../../boot/evidence.ts';
import type { Evidence } from '../evidence.ts';

/** Evidence for the rules of the boot grid. A machine that has joined is left out: it is silent because it is done. */
export function bootEvidence({ now, design, machines, unknownMacs }: Evidence): BootEvidence {
  const pending = machines.filter(({ hasJoined }) => !hasJoined);
  return { now, boot: design?.services.boot.kind ?? 'iso', machines: pending, unknownMacs };
}
