import { createHash } from 'node:crypto';
import type { NodeRole } from '../../design/choices.ts';
import { listNodesWithRole } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import type { FaultId } from './faults.ts';

/**
 * Returns a pseudo-random number in [0, 1). The same seed and keys give the same number, independent of the order of
 * calls, also after a restart of the site.
 */
export function deriveRandom(seed: number, ...keys: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...keys]))
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** Returns a duration between `minimumMs` and `maximumMs`, selected by the seed and the keys. */
export function deriveDuration(
  seed: number,
  minimumMs: number,
  maximumMs: number,
  ...keys: readonly (string | number)[]
): number {
  return Math.round(minimumMs + deriveRandom(seed, ...keys) * (maximumMs - minimumMs));
}

/** Picks an item of a list, selected by the seed and the keys; undefined: the list is empty. */
export function pickRandom<T>(items: readonly T[], seed: number, ...keys: readonly (string | number)[]): T | undefined {
  return items[Math.floor(deriveRandom(seed, ...keys) * items.length)];
}

/** Generates lowercase letters and digits as Kubernetes appends them to names: no vowels, no look-alikes. */
export function generateNameSuffix(seed: number, length: number, ...keys: readonly (string | number)[]): string {
  const letters = [...'bcdfghjklmnpqrstvwxz2456789'];
  return Array.from({ length }, (_, index) => pickRandom(letters, seed, ...keys, index)).join('');
}

/** Role of the node that a fault affects: control plane if the installation must wait for the node, else compute. */
const AFFECTED_ROLE_BY_FAULT: Readonly<Partial<Record<FaultId, NodeRole>>> = {
  'ptr-missing': 'control-plane',
  'hostname-localhost': 'control-plane',
  'foreign-dhcp': 'control-plane',
  'address-taken-twice': 'control-plane',
  'clock-skew': 'control-plane',
  'install-disk-wrong': 'control-plane',
  'boots-old-disk': 'control-plane',
  'disk-too-small': 'compute',
};

/** Finds the node that a fault affects, selected by the seed; null: none, or the fault is not injected. */
export function findAffectedNode(
  fault: FaultId,
  { design, faults, seed }: { readonly design: Design; readonly faults: ReadonlySet<FaultId>; readonly seed: number },
): DesignNode | null {
  const role = AFFECTED_ROLE_BY_FAULT[fault];
  if (role === undefined || !faults.has(fault)) return null;
  const preferredNodes = listNodesWithRole(design, role);
  const candidates = preferredNodes.length > 0 ? preferredNodes : listNodesWithRole(design, 'control-plane');
  return pickRandom(candidates, seed, fault) ?? null;
}
