import type { Design } from '../../../design/model.ts';
import { nodesWithRole } from '../../../design/names.ts';
import { HOUR } from '../../../ports/clock.ts';
import type { FaultId } from '../../site/faults.ts';
import { chance } from '../../site/random.ts';
import { victimOf } from '../../site/victims.ts';
import type { Hardware, SavedWorld } from '../saved.ts';

/** A machine whose battery is empty begins in the year that its firmware was made. */
const EMPTY_BATTERY = 7 * 365 * 24 * HOUR;
/** GiB: enough for the system, not for its images. */
const SMALL_DISK = 30;

/** The machines in the rack: those of the design, except where a fault makes one differ. */
export function hardwareOf(design: Design, faults: ReadonlySet<FaultId>, seed: number): ReadonlyMap<string, Hardware> {
  const compute = nodesWithRole(design, 'compute');
  const candidates = compute.length > 0 ? compute : nodesWithRole(design, 'infra', 'storage', 'control-plane');
  const first = Math.floor(chance(seed, 'faulty machine') * candidates.length);
  const dead = faults.has('node-never-boots') ? candidates[first]?.name : undefined;
  const other = candidates[(first + 1) % Math.max(1, candidates.length)]?.name;
  const wrong = faults.has('wrong-mac') ? other : undefined;
  const isVictim = (fault: FaultId, name: string) => victimOf(fault, { design, faults, seed })?.name === name;
  return new Map(
    design.nodes.map(({ name, mac, firmware, vcpu, memoryGiB, installDisk }) => [
      name,
      {
        name,
        mac: name === wrong ? otherMac(mac) : mac,
        firmware,
        vcpu,
        memoryGiB,
        isDead: name === dead,
        ...(isVictim('clock-skew', name) ? { clockError: -EMPTY_BATTERY } : {}),
        ...(isVictim('install-disk-wrong', name) ? { disk: otherDisk(installDisk) } : {}),
        ...(isVictim('disk-too-small', name) ? { diskGiB: SMALL_DISK } : {}),
        ...(isVictim('boots-old-disk', name) ? { hasOldSystem: true } : {}),
      },
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

/** What somebody puts right at a machine: its clock is set, or its power supply is replaced. The machine stays the same one. */
export function repair(hardware: Hardware, fault: FaultId): boolean {
  const isWrong = fault === 'clock-skew' ? hardware.clockError !== undefined : hardware.isDead;
  if (!isWrong) return false;
  Object.assign(hardware, fault === 'clock-skew' ? { clockError: undefined } : { isDead: false });
  return true;
}

/** Another kind of disk than the planned one, under the name that Linux gives it. */
function otherDisk(planned: string): string {
  return planned.includes('nvme') ? '/dev/sda' : '/dev/nvme0n1';
}

/** The same address with another last octet. */
function otherMac(mac: string): string {
  const last = (Number.parseInt(mac.slice(-2), 16) + 0x51) % 256;
  return `${mac.slice(0, -2)}${last.toString(16).padStart(2, '0')}`;
}
