import { MINUTE } from '../../../ports/clock.ts';
import { cause } from '../cause.ts';
import { openPorts } from './reachable.ts';

/** By now its firmware and a boot over the network would have asked for an address and a script. */
const LONG = 5 * MINUTE;

/** A machine was powered on, asked the boot server for nothing, and a system answers at its address: its disk had one before. */
export const bootsOldDisk = cause('boots-old-disk', 'boot', (evidence) => {
  const { design, now } = evidence;
  if (design?.services.boot.kind !== 'ipxe') return [];
  return evidence.machines.flatMap(({ name, address, stage, poweredOnAt, hasJoined, requests }) => {
    const isSilent = (stage === 'off' || stage === 'lease') && requests.length === 0 && !hasJoined;
    const ports = openPorts(evidence, name);
    if (!isSilent || ports.length === 0 || poweredOnAt === null || now - poweredOnAt < LONG) return [];
    return [
      {
        likelihood: 'likely' as const,
        subject: name,
        symptom: `${name} ${address}: port ${ports.join(', ')} open, no request to the boot server`,
        command: `ssh core@${address} cat /proc/cmdline /etc/os-release`,
      },
    ];
  });
});
