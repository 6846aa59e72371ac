import { nodeFqdn } from '../../../design/names.ts';
import { type Clue, cause } from '../cause.ts';
import { lostConnections, settledSince } from './between-nodes.ts';

/** One attempt may fall into a restart of the node. */
const OFTEN = 3;
/** Of the balancer and of login: other rules see to those. */
const OTHERS: ReadonlySet<number> = new Set([22, 53, 80, 443, 6443, 22623]);

/** A node works, and another one gets no answer from one of its ports: a firewall stands between them. */
export const nodePortClosed = cause('node-port-closed', 'network', (evidence) => {
  const { design } = evidence;
  if (design === null) return [];
  const lost = lostConnections(evidence).filter(({ port }) => !OTHERS.has(port));
  return design.nodes.flatMap((node): Clue[] => {
    const since = settledSince(evidence, nodeFqdn(design, node));
    // A machine that restarts is silent at all of its ports for a while.
    if (since === null) return [];
    const own = lost.filter(({ address, at }) => node.ip.includes(address) && (at === null || at > since));
    return [...new Set(own.map(({ port }) => port))].flatMap((port): Clue[] => {
      const all = own.filter((each) => each.port === port);
      const [first] = all;
      if (first === undefined || all.length < OFTEN) return [];
      const command = `oc debug node/NODE -- chroot /host nc -vz ${first.address} ${port}`;
      return [{ likelihood: 'likely', subject: node.name, symptom: `${first.who}: ${first.text}`, command }];
    });
  });
});
