import { cause } from '../cause.ts';
import { isOfPods, lostConnections, settledSince } from './between-nodes.ts';

/** A pod that starts anew is not reached for a moment. */
const OFTEN = 3;

/**
 * Nodes are Ready, and pods on different nodes do not reach each other: what carries their packets between nodes (Geneve, UDP 6081;
 * VXLAN, UDP 4789, with OpenShift SDN) is dropped on the way, or is too large for it.
 */
export const podNetworkBlocked = cause('pod-network-blocked', 'network', (evidence) => {
  const { design, cluster } = evidence;
  if (design === null) return [];
  const settled = (cluster?.nodes ?? []).flatMap(({ name }) => settledSince(evidence, name) ?? []);
  if (settled.length < 2) return [];
  const lost = lostConnections(evidence)
    .filter(({ address }) => isOfPods(design, address))
    .filter(({ at }) => at === null || at > Math.max(...settled));
  const told = lost.filter(({ isOperator }) => isOperator);
  const [first = lost[0]] = told;
  // Several operators that say so, or one program that does so again and again.
  const isOften = lost.length >= OFTEN || new Set(told.map(({ who }) => who)).size > 1;
  if (first === undefined || !isOften) return [];
  const port = design.networks.type === 'OpenShiftSDN' ? 4789 : 6081;
  return [
    {
      likelihood: told.length > 0 ? 'likely' : 'possible',
      subject: '',
      symptom: `${first.who}: ${first.text}`,
      command: `oc debug node/NODE -- chroot /host sh -c 'ping -M do -s 1372 -c 3 OTHER-NODE; timeout 20 tcpdump -c 5 -ni any udp port ${port}'`,
    },
  ];
});
