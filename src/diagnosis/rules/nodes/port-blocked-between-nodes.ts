import { nodeFqdn } from '../../../design/names.ts';
import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import { getStartupEnd, listFailedConnections } from './failed-connections.ts';

/** A single attempt may coincide with a restart of the node. */
const MIN_OCCURRENCES = 3;
/** Ports of the load balancer, DNS and SSH: other rules cover them. */
const COVERED_BY_OTHER_RULES: ReadonlySet<number> = new Set([22, 53, 80, 443, 6443, 22623]);

/** A node works, but another one gets no answer from one of its ports: a firewall is in between. */
export const portBlockedBetweenNodes = diagnosticRule('node-port-closed', 'network', (evidence) => {
  const { design } = evidence;
  if (design === null) return [];
  const failed = listFailedConnections(evidence).filter(({ port }) => !COVERED_BY_OTHER_RULES.has(port));
  return design.nodes.flatMap((node): Symptom[] => {
    const since = getStartupEnd(evidence, nodeFqdn(design, node));
    // A restarting machine answers on none of its ports for a while.
    if (since === null) return [];
    const own = failed.filter(({ address, at }) => node.ip.includes(address) && (at === null || at > since));
    return [...new Set(own.map(({ port }) => port))].flatMap((port): Symptom[] => {
      const all = own.filter((each) => each.port === port);
      const [first] = all;
      if (first === undefined || all.length < MIN_OCCURRENCES) return [];
      const command = `oc debug node/NODE -- chroot /host nc -vz ${first.address} ${port}`;
      return [{ likelihood: 'likely', subject: node.name, symptom: `${first.reporter}: ${first.text}`, command }];
    });
  });
});
