import { nodeFqdn } from '../../../design/names.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** A machine of the design joined, or requests to join, under another name: DHCP and DNS give it different names. */
export const nodeNameUnexpected = diagnosticRule('node-name-unexpected', 'dns', ({ design, cluster }) => {
  if (design === null || cluster === null) return [];
  const planned = new Map(design.nodes.map((node) => [nodeFqdn(design, node), node]));
  const joined = (cluster.nodes ?? []).flatMap(({ name, addresses }) => {
    const node = design.nodes.find(({ ip }) => ip.some((address) => addresses.includes(address)));
    if (node === undefined || planned.has(name) || /^localhost/.test(name)) return [];
    const symptom = `Node ${name} ${addresses.join(', ')}`;
    return [{ likelihood: 'certain' as const, subject: node.name, symptom, command: 'oc get nodes -o wide' }];
  });
  const short = new Map(design.nodes.map((node) => [node.name, node]));
  const requested = (cluster.requests ?? []).flatMap(({ name, node, verdict }) => {
    const own = node === null || planned.has(node) ? undefined : short.get(node.split('.')[0] ?? '');
    if (verdict !== 'refused' || own === undefined) return [];
    return [
      {
        likelihood: 'likely' as const,
        subject: own.name,
        symptom: `${name} system:node:${node}`,
        command: shellCommand`oc describe csr ${name}`,
      },
    ];
  });
  return [...joined, ...requested];
});
