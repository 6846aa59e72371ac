import type { Design } from '../../../design/model.ts';
import { nodesWithRole } from '../../../design/names.ts';
import type { FaultId } from '../../site/faults.ts';
import { chance } from '../../site/random.ts';
import type { Hardware, SavedWorld } from '../saved.ts';

/** The machines in the rack: those of the design, except where a fault makes one differ. */
export function hardwareOf(design: Design, faults: ReadonlySet<FaultId>, seed: number): ReadonlyMap<string, Hardware> {
  const compute = nodesWithRole(design, 'compute');
  const candidates = compute.length > 0 ? compute : nodesWithRole(design, 'infra', 'storage', 'control-plane');
  const first = Math.floor(chance(seed, 'faulty machine') * candidates.length);
  const dead = faults.has('node-never-boots') ? candidates[first]?.name : undefined;
  const other = candidates[(first + 1) % Math.max(1, candidates.length)]?.name;
  const wrong = faults.has('wrong-mac') ? other : undefined;
  return new Map(
    design.nodes.map(({ name, mac, firmware, vcpu, memoryGiB }) => [
      name,
      { name, mac: name === wrong ? otherMac(mac) : mac, firmware, vcpu, memoryGiB, isDead: name === dead },
    ]),
  );
}

/**
 * The machines that stand in the rack now: those that were there when the first was switched on, and sound ones for the
 * nodes that were planned since.
 */
export function rackOf(
  saved: SavedWorld,
  design: Design,
  faults: ReadonlySet<FaultId>,
  seed: number,
): ReadonlyMap<string, Hardware> {
  if (!saved.rack) return hardwareOf(design, faults, seed);
  return new Map([...hardwareOf(design, new Set(), seed), ...Object.entries(saved.rack)]);
}

/** The same address with another last octet. */
function otherMac(mac: string): string {
  const last = (Number.parseInt(mac.slice(-2), 16) + 0x51) % 256;
  return `${mac.slice(0, -2)}${last.toString(16).padStart(2, '0')}`;
}
