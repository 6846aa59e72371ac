import { MINUTE } from '../../../ports/clock.ts';
import { cause, isRight } from '../cause.ts';
import type { Evidence, MachineSeen } from '../evidence.ts';
import { leasedOnly } from './dhcp-boot-wrong.ts';
import { openPorts } from './reachable.ts';

/** By now its firmware and a boot over the network would have asked for a script. */
const LONG = 5 * MINUTE;
/** A boot program that is slow to come asks again within this. */
const LEASED = 10 * MINUTE;

/** A machine was powered on, asked the boot server for nothing, and a system runs on it: its disk had one before. */
export const bootsOldDisk = cause('boots-old-disk', 'boot', (evidence) => {
  const { design, machines } = evidence;
  if (design?.services.boot.kind !== 'ipxe') return [];
  return machines.flatMap((machine) => {
    const { name, address, stage, hasJoined, requests } = machine;
    const ports = openPorts(evidence, name);
    const isSilent = (stage === 'off' || stage === 'lease') && requests.length === 0 && !hasJoined;
    if (!isSilent || !(ports.length > 0 ? isOnFor(evidence, machine, LONG) : isLeasedOnly(evidence, machine)))
      return [];
    const seen = ports.length > 0 ? `port ${ports.join(', ')} open` : 'has its lease';
    return [
      {
        likelihood: 'likely' as const,
        subject: name,
        symptom: `${name} ${address}: ${seen}, no request to the boot server`,
        command: `ssh core@${address} cat /proc/cmdline /etc/os-release`,
      },
    ];
  });
});

/** It has an address and asks for nothing else, where another machine has found its way to the boot server. */
function isLeasedOnly(evidence: Evidence, machine: MachineSeen): boolean {
  const isPassable = evidence.machines.some(({ requests }) => requests.length > 0) || isRight(evidence, 'tftp');
  // What stops all of them is not the disk of each.
  const isAlone = leasedOnly(evidence).length === 0;
  return isAlone && machine.stage === 'lease' && isPassable && isOnFor(evidence, machine, LEASED);
}

function isOnFor({ now }: Evidence, { poweredOnAt }: MachineSeen, age: number): boolean {
  return poweredOnAt !== null && now - poweredOnAt >= age;
}
