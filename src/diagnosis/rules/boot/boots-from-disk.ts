import { MINUTE } from '../../../platform/clock.ts';
import { allChecksPassed, diagnosticRule } from '../diagnostic-rule.ts';
import type { Evidence, ObservedMachine } from '../evidence.ts';
import { listLeaseOnlyMachines } from './dhcp-boot-options-wrong.ts';
import { listOpenPorts } from './reachability.ts';

/** By then, firmware and a network boot have requested a script. */
const GRACE_PERIOD = 5 * MINUTE;
/** A slow boot program sends its next request within this time. */
const LEASE_GRACE_PERIOD = 10 * MINUTE;

/**
 * A powered-on machine sent no request to the boot server, and a system runs on it: it booted an existing system from
 * its disk.
 */
export const bootsFromDisk = diagnosticRule('boots-old-disk', 'boot', (evidence) => {
  const { design, machines } = evidence;
  if (design?.services.boot.kind !== 'ipxe') return [];
  return machines.flatMap((machine) => {
    const { name, address, stage, hasJoined, requests } = machine;
    const ports = listOpenPorts(evidence, name);
    const isSilent = (stage === 'off' || stage === 'lease') && requests.length === 0 && !hasJoined;
    if (
      !isSilent ||
      !(ports.length > 0 ? isPoweredOnFor(evidence, machine, GRACE_PERIOD) : hasOnlyLease(evidence, machine))
    )
      return [];
    const proof = ports.length > 0 ? `port ${ports.join(', ')} open` : 'has its lease';
    return [
      {
        likelihood: 'likely' as const,
        subject: name,
        symptom: `${name} ${address}: ${proof}, no request to the boot server`,
        command: `ssh core@${address} cat /proc/cmdline /etc/os-release`,
      },
    ];
  });
});

/** The machine has an address and sends no other request, while another machine reached the boot server. */
function hasOnlyLease(evidence: Evidence, machine: ObservedMachine): boolean {
  const isBootServerReachable =
    evidence.machines.some(({ requests }) => requests.length > 0) || allChecksPassed(evidence, 'tftp');
  // A fault that stops all machines is not the disk of each one.
  const isAlone = listLeaseOnlyMachines(evidence).length === 0;
  return (
    isAlone &&
    machine.stage === 'lease' &&
    isBootServerReachable &&
    isPoweredOnFor(evidence, machine, LEASE_GRACE_PERIOD)
  );
}

function isPoweredOnFor({ now }: Evidence, { poweredOnAt }: ObservedMachine, age: number): boolean {
  return poweredOnAt !== null && now - poweredOnAt >= age;
}
