import { MINUTE } from '../../../platform/clock.ts';
import { parseLeasedAddress } from '../../boot/dhcp-log.ts';
import {
  diagnosticRule,
  matchLogLines,
  type Symptom,
  symptomsFromFailedChecks,
  symptomsFromLines,
} from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { listOpenPorts } from './reachability.ts';

/** A machine probes the network for its new address for some seconds (RFC 5227), and then declines it. */
const PROBE_PERIOD = MINUTE / 2;

/** Two machines use the address of one node. */
export const duplicateIpAddress = diagnosticRule('address-taken-twice', 'network', (evidence) => [
  ...symptomsFromFailedChecks(evidence, 'ip-conflict'),
  ...findArpConflicts(evidence),
  ...findDeclinedAddresses(evidence),
  ...findNodesWithSameAddress(evidence),
  ...findAnswersWhileOff(evidence),
  ...symptomsFromLines(
    matchLogLines(evidence, /duplicate address|address conflict|IP address conflict/i).slice(-1),
    'likely',
  ),
]);

/** Conflicts that the neighbour table of a service host shows. */
function findArpConflicts(evidence: Evidence): Symptom[] {
  const reported = new Set(symptomsFromFailedChecks(evidence, 'ip-conflict').map(({ subject }) => subject));
  return evidence.machines.flatMap(({ name, address, mac, conflictingMac }): Symptom[] => {
    if (conflictingMac === null || reported.has(`${name} ${address}`)) return [];
    const symptom = `ARP: ${address} is ${conflictingMac}; ${name} has ${mac}`;
    return [
      { likelihood: 'certain', subject: name, symptom, command: `ping -c 1 ${address}; ip neigh show ${address}` },
    ];
  });
}

/**
 * A machine that finds its address in use declines it (RFC 2131, 4.4.1); dhcpd probes an address of a range before it
 * offers it. The conflict is over once the machine has kept the address since.
 */
function findDeclinedAddresses({ design, lines, now }: Evidence): Symptom[] {
  const lastLease = new Map<string, number>();
  for (const [index, { source, text, at }] of lines.entries()) {
    const leased = source === 'dhcp' ? parseLeasedAddress(text) : null;
    if (leased !== null && (at === null || now - at > PROBE_PERIOD)) lastLease.set(leased, index);
  }
  return lines.flatMap(({ source, text }, index) => {
    const address =
      source === 'dhcp'
        ? /(?:DHCPDECLINE of|Abandoning IP address) ([\d.]+)|DHCP4_DECLINE.*?((?:\d+\.){3}\d+)/.exec(text)
        : null;
    const declined = address?.[1] ?? address?.[2];
    if (declined === undefined || (lastLease.get(declined) ?? -1) > index) return [];
    const node = design?.nodes.find(({ ip }) => ip.includes(declined));
    const command = `sudo arping -D -c 3 ${declined}; ip neigh show ${declined}`;
    return [{ likelihood: 'certain' as const, subject: node?.name ?? declined, symptom: text, command }];
  });
}

function findNodesWithSameAddress({ cluster }: Evidence): Symptom[] {
  const nodes = cluster?.nodes ?? [];
  // Indexed by address: a bundle may hold thousands of nodes.
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

/** A host answers at the address of a machine that is not powered on, while others are. */
function findAnswersWhileOff(evidence: Evidence): Symptom[] {
  const { machines } = evidence;
  if (machines.every(({ poweredOnAt }) => poweredOnAt === null)) return [];
  return machines.flatMap((machine): Symptom[] => {
    const { name, address, poweredOnAt, hasJoined } = machine;
    const ports = listOpenPorts(evidence, name);
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
