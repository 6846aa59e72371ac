import type { BootEvidence } from '../../boot/evidence.ts';
import type { Evidence } from '../evidence.ts';

/** What the rules of the boot grid judge. A machine that is in the cluster is silent because it is done. */
export function bootEvidence({ now, design, machines, strangers }: Evidence): BootEvidence {
  const open = machines.filter(({ hasJoined }) => !hasJoined);
  return { now, boot: design?.services.boot.kind ?? 'iso', machines: open, strangers };
}
