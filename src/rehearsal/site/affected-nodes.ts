import type { NodeRole } from '../../design/choices.ts';
import { nodesWithRole } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import type { FaultId } from './faults.ts';
import { deriveRandom } from './seeded-random.ts';

/** Roles for faults of one node: the control plane if the installation shall wait for it, else compute. */
const AFFECTED_ROLES: Readonly<Partial<Record<FaultId, NodeRole>>> = {
  'ptr-missing': 'control-plane',
  'hostname-localhost': 'control-plane',
  'foreign-dhcp': 'control-plane',
  'address-taken-twice': 'control-plane',
  'clock-skew': 'control-plane',
  'install-disk-wrong': 'control-plane',
  'boots-old-disk': 'control-plane',
  'disk-too-small': 'compute',
};

/**
 * Finds the node that a fault affects, selected by the seed; null: the fault does not affect a single node, or is not
 * injected.
 */
export function findAffectedNode(
  fault: FaultId,
  { design, faults, seed }: { readonly design: Design; readonly faults: ReadonlySet<FaultId>; readonly seed: number },
): DesignNode | null {
  const role = AFFECTED_ROLES[fault];
  if (role === undefined || !faults.has(fault)) return null;
  const preferred = nodesWithRole(design, role);
  const candidates = preferred.length > 0 ? preferred : nodesWithRole(design, 'control-plane');
  return candidates[Math.floor(deriveRandom(seed, fault) * candidates.length)] ?? null;
}
