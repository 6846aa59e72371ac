import { MINUTE } from '../../../ports/clock.ts';
import { leasedAddress } from '../../boot/dhcp-log.ts';
import { type Clue, cause, clueOfLines, failed, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { openPorts } from './reachable.ts';

/** It asks for its new address in the network for some seconds (RFC 5227), and then declines it. */
const PROBING = MINUTE / 2;

/** Two machines have the address of one node. */
export const addressTakenTwice = cause('address-taken-twice', 'network', (evidence) => [
  ...failed(evidence, 'ip-conflict'),
  ...answeringArp(evidence),
  ...declined(evidence),
  ...twoNodes(evidence),
  ...answeringWhileOff(evidence),
  ...clueOfLines(told(evidence, /duplicate address|address conflict|IP address conflict/i).slice(-1), 'likely'),
]);

/** Said by the neighbour table of a service host. */
function answeringArp(evidence: Evidence): Clue[] {
  const told = new Set(failed(evidence, 'ip-conflict').map(({ subject }) => subject));
  return evidence.machines.flatMap(({ name, address, mac, takenBy }): Clue[] => {
    if (takenBy === null || told.has(`${name} ${address}`)) return [];
    const symptom = `ARP: ${address} is ${takenBy}; ${name} has ${mac}`;
    return [
      { likelihood: 'certain', subject: name, symptom, command: `ping -c 1 ${address}; ip neigh show ${address}` },
    ];
  });
}

/**
 * A machine that finds its address taken declines it (RFC 2131, 4.4.1); dhcpd asks before it offers one of a range. It is over when
 * the machine has kept the address since.
 */
function declined({ design, lines, now }: Evidence): Clue[] {
  const kept = new Map<string, number>();
  for (const [index, { source, text, at }] of lines.entries()) {
    const given = source === 'dhcp' ? leasedAddress(text) : null;
    if (given !== null && (at === null || now - at > PROBING)) kept.set(given, index);
  }
  return lines.flatMap(({ source, text }, index) => {
    const address =
      source === 'dhcp'
        ? /(?:DHCPDECLINE of|Abandoning IP address) ([\d.]+)|DHCP4_DECLINE.*?((?:\d+\.){3}\d+)/.exec(text)
        : null;
    const taken = address?.[1] ?? address?.[2];
    if (taken === undefined || (kept.get(taken) ?? -1) > index) return [];
    const node = design?.nodes.find(({ ip }) => ip.includes(taken));
    const command = `sudo arping -D -c 3 ${taken}; ip neigh show ${taken}`;
    return [{ likelihood: 'certain' as const, subject: node?.name ?? taken, symptom: text, command }];
  });
}

function twoNodes({ cluster }: Evidence): Clue[] {
  const nodes = cluster?.nodes ?? [];
  // By address: a bundle may hold thousands of nodes.
  const byAddress = Map.groupBy(
    nodes.flatMap((node) => node.addresses.map((address) => ({ address, node }))),
    ({ address }) => address,
  );
  return nodes.flatMap(({ name, addresses }) => {
    const sharing = addresses.flatMap((address) => byAddress.get(address) ?? []);
    const other = sharing.find(({ node }) => node.name > name)?.node;
    if (other === undefined) return [];
    const command = 'oc get nodes -o wide';
    const symptom = `${name} ${addresses.join(', ')}; ${other.name} ${other.addresses.join(', ')}`;
    return [{ likelihood: 'certain' as const, subject: name, symptom, command }];
  });
}

/** Something answers at the address of a machine that nobody has powered on, while others are on. */
function answeringWhileOff(evidence: Evidence): Clue[] {
  const { machines } = evidence;
  if (machines.every(({ poweredOnAt }) => poweredOnAt === null)) return [];
  return machines.flatMap((machine): Clue[] => {
    const { name, address, poweredOnAt, hasJoined } = machine;
    const ports = openPorts(evidence, name);
    if (poweredOnAt !== null || hasJoined || ports.length === 0) return [];
    const command = `ping -c 1 ${address}; ip neigh show ${address}`;
    return [
      {
        likelihood: 'possible',
        subject: name,
        symptom: `${address} port ${ports.join(', ')} open, and ${name} is off`,
        command,
      },
    ];
  });
}
