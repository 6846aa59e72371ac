import { nodeFqdn } from '../../../design/names.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';

/** A machine of the design joined, or asks to, under another name: DHCP and DNS tell it different ones. */
export const nodeNameUnexpected = cause('node-name-unexpected', 'dns', ({ design, cluster }) => {
  if (design === null || cluster === null) return [];
  const planned = new Map(design.nodes.map((node) => [nodeFqdn(design, node), node]));
  const joined = (cluster.nodes ?? []).flatMap(({ name, addresses }) => {
    const node = design.nodes.find(({ ip }) => ip.some((address) => addresses.includes(address)));
    if (node === undefined || planned.has(name) || /^localhost/.test(name)) return [];
    const symptom = `Node ${name} ${addresses.join(', ')}`;
    return [{ likelihood: 'certain' as const, subject: node.name, symptom, command: 'oc get nodes -o wide' }];
  });
  const short = new Map(design.nodes.map((node) => [node.name, node]));
  const asked = (cluster.requests ?? []).flatMap(({ name, node, verdict }) => {
    const own = node === null || planned.has(node) ? undefined : short.get(node.split('.')[0] ?? '');
    if (verdict !== 'refused' || own === undefined) return [];
    return [
      {
        likelihood: 'likely' as const,
        subject: own.name,
        symptom: `${name} system:node:${node}`,
        command: shell`oc describe csr ${name}`,
      },
    ];
  });
  return [...joined, ...asked];
});
