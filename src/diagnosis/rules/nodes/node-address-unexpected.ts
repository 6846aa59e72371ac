import { nodeFqdn } from '../../../design/names.ts';
import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

/**
 * A Node has its planned name and none of its planned addresses: its kubelet uses another interface, another lease, or
 * a second network.
 */
export const nodeAddressUnexpected = diagnosticRule('node-address-unexpected', 'network', (evidence) => [
  ...findWrongNodeAddresses(evidence),
  ...findWrongMachineAddresses(evidence),
]);

function findWrongNodeAddresses({ design, cluster }: Evidence): Symptom[] {
  return (cluster?.nodes ?? []).flatMap(({ name, addresses }): Symptom[] => {
    const node = design?.nodes.find((each) => nodeFqdn(design, each) === name);
    if (node === undefined || addresses.length === 0 || addresses.some((each) => node.ip.includes(each))) return [];
    const symptom = `Node ${name}: ${addresses.join(', ')}; planned ${node.ip.join(', ')}`;
    return [{ likelihood: 'certain', subject: node.name, symptom, command: 'oc get nodes -o wide' }];
  });
}

/** Finds the output of `ip addr` on the machine itself, as in a bundle ("ip addr: 172.16.0.99"). */
function findWrongMachineAddresses({ design, lines }: Evidence): Symptom[] {
  return lines.flatMap(({ source, host, text }): Symptom[] => {
    const addresses = /^ip addr: (.+)$/.exec(text)?.[1]?.split(', ') ?? [];
    const node = design?.nodes.find(({ name }) => name === host);
    if (node === undefined || addresses.length === 0 || node.ip.some((each) => addresses.includes(each))) return [];
    const symptom = `${source}: ${text}`;
    return [{ likelihood: 'certain', subject: node.name, symptom, command: 'ip -brief addr' }];
  });
}
