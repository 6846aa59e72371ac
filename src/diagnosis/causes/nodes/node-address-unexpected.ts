import { nodeFqdn } from '../../../design/names.ts';
import { type Clue, cause } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** A Node has its name, and none of its addresses: another card, another lease, or a second network is what its kubelet took. */
export const nodeAddressUnexpected = cause('node-address-unexpected', 'network', (evidence) => [
  ...ofNodes(evidence),
  ...ofMachines(evidence),
]);

function ofNodes({ design, cluster }: Evidence): Clue[] {
  return (cluster?.nodes ?? []).flatMap(({ name, addresses }): Clue[] => {
    const node = design?.nodes.find((each) => nodeFqdn(design, each) === name);
    if (node === undefined || addresses.length === 0 || addresses.some((each) => node.ip.includes(each))) return [];
    const symptom = `Node ${name}: ${addresses.join(', ')}; planned ${node.ip.join(', ')}`;
    return [{ likelihood: 'certain', subject: node.name, symptom, command: 'oc get nodes -o wide' }];
  });
}

/** What `ip addr` says on the machine itself, as a bundle has it ("ip addr: 172.16.0.99"). */
function ofMachines({ design, lines }: Evidence): Clue[] {
  return lines.flatMap(({ source, host, text }): Clue[] => {
    const addresses = /^ip addr: (.+)$/.exec(text)?.[1]?.split(', ') ?? [];
    const node = design?.nodes.find(({ name }) => name === host);
    if (node === undefined || addresses.length === 0 || node.ip.some((each) => addresses.includes(each))) return [];
    const symptom = `${source}: ${text}`;
    return [{ likelihood: 'certain', subject: node.name, symptom, command: 'ip -brief addr' }];
  });
}
