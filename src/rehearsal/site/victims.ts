import type { Design, DesignNode, NodeRole } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import type { FaultId } from './faults.ts';
import { chance } from './random.ts';

/** Faults of one node. They strike the control plane where the installation shall wait for it, else a compute node. */
const STRUCK: Readonly<Partial<Record<FaultId, NodeRole>>> = {
  'ptr-missing': 'control-plane',
  'hostname-localhost': 'control-plane',
  'foreign-dhcp': 'control-plane',
  'address-taken-twice': 'control-plane',
  'clock-skew': 'control-plane',
  'install-disk-wrong': 'control-plane',
  'boots-old-disk': 'control-plane',
  'disk-too-small': 'compute',
};

/** The node that a fault strikes, settled by the seed; null: the fault is not of one node, or not in this rehearsal. */
export function victimOf(
  fault: FaultId,
  { design, faults, seed }: { readonly design: Design; readonly faults: ReadonlySet<FaultId>; readonly seed: number },
): DesignNode | null {
  const role = STRUCK[fault];
  if (role === undefined || !faults.has(fault)) return null;
  const wanted = nodesWithRole(design, role);
  const candidates = wanted.length > 0 ? wanted : nodesWithRole(design, 'control-plane');
  return candidates[Math.floor(chance(seed, fault) * candidates.length)] ?? null;
}
