import { nodeFqdn } from '../../../design/names.ts';
import { type Clue, cause } from '../cause.ts';

/** A Node has its name, and none of its addresses: another card, another lease, or a second network is what its kubelet took. */
export const nodeAddressUnexpected = cause('node-address-unexpected', 'network', ({ design, cluster }) =>
  (cluster?.nodes ?? []).flatMap(({ name, addresses }): Clue[] => {
    const node = design?.nodes.find((each) => nodeFqdn(design, each) === name);
    if (node === undefined || addresses.length === 0 || addresses.some((each) => node.ip.includes(each))) return [];
    const symptom = `Node ${name}: ${addresses.join(', ')}; planned ${node.ip.join(', ')}`;
    return [{ likelihood: 'certain', subject: node.name, symptom, command: 'oc get nodes -o wide' }];
  }),
);
