import { listNodesWithRole } from '../../../design/derived-facts.ts';
import type { Design } from '../../../design/model.ts';
import { HOUR } from '../../../platform/clock.ts';
import type { FaultId } from '../../site/faults.ts';
import { deriveRandom, findAffectedNode } from '../../site/seeded-random.ts';
import type { Hardware, SavedWorld } from '../saved-world.ts';

/** Clock error of a machine with an empty battery: its clock starts in the year of its firmware. */
const EMPTY_BATTERY_ERROR = 7 * 365 * 24 * HOUR;

/** Enough for the system, but not for the container images of OpenShift. */
const SMALL_DISK_GIB = 30;

/** Builds the hardware of the design's machines, with the differences that faults cause. */
function buildHardware(design: Design, faults: ReadonlySet<FaultId>, seed: number): ReadonlyMap<string, Hardware> {
  const computeNodes = listNodesWithRole(design, 'compute');
  const candidates =
    computeNodes.length > 0 ? computeNodes : listNodesWithRole(design, 'infra', 'storage', 'control-plane');
  const firstIndex = Math.floor(deriveRandom(seed, 'faulty machine') * candidates.length);
  const deadName = faults.has('node-never-boots') ? candidates[firstIndex]?.name : undefined;
  const nextCandidateName = candidates[(firstIndex + 1) % Math.max(1, candidates.length)]?.name;
  const wrongMacName = faults.has('wrong-mac') ? nextCandidateName : undefined;
  const isAffected = (fault: FaultId, name: string) => findAffectedNode(fault, { design, faults, seed })?.name === name;
  return new Map(
    design.nodes.map(({ name, mac, firmware, vcpu, memoryGiB, installDisk }) => [
      name,
      {
        name,
        mac: name === wrongMacName ? getOtherMac(mac) : mac,
        firmware,
        vcpu,
        memoryGiB,
        isDead: name === deadName,
        ...(isAffected('clock-skew', name) ? { clockError: -EMPTY_BATTERY_ERROR } : {}),
        ...(isAffected('install-disk-wrong', name) ? { disk: getOtherDisk(installDisk) } : {}),
        ...(isAffected('disk-too-small', name) ? { diskGiB: SMALL_DISK_GIB } : {}),
        ...(isAffected('boots-old-disk', name) ? { hasOldSystem: true } : {}),
      },
    ]),
  );
}

/** Returns the hardware: as saved at the first power-on, and fault-free for nodes planned since then. */
export function deriveHardware(
  saved: SavedWorld,
  design: Design,
  faults: ReadonlySet<FaultId>,
  seed: number,
): ReadonlyMap<string, Hardware> {
  if (!saved.rack) return buildHardware(design, faults, seed);
  return new Map([...buildHardware(design, new Set(), seed), ...Object.entries(saved.rack)]);
}

/**
 * Repairs a machine: sets its clock, or replaces its disk or its power supply. Changes `hardware` in place.
 * @returns false if nothing is wrong
 */
export function repairHardware(hardware: Hardware, fault: FaultId): boolean {
  const key = fault === 'clock-skew' ? 'clockError' : fault === 'disk-too-small' ? 'diskGiB' : 'isDead';
  if (!hardware[key]) return false;
  Object.assign(hardware, { [key]: key === 'isDead' ? false : undefined });
  return true;
}

/** Returns a disk of another kind than the planned one, with the name that Linux gives it. */
function getOtherDisk(plannedDisk: string): string {
  return plannedDisk.includes('nvme') ? '/dev/sda' : '/dev/nvme0n1';
}

/** Returns the address with another last octet. */
function getOtherMac(mac: string): string {
  const lastOctet = (Number.parseInt(mac.slice(-2), 16) + 0x51) % 256;
  return `${mac.slice(0, -2)}${lastOctet.toString(16).padStart(2, '0')}`;
}
