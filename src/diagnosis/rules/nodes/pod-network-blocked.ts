import { diagnosticRule } from '../diagnostic-rule.ts';
import { getStartupEnd, isPodOrServiceAddress, listFailedConnections } from './failed-connections.ts';

/** A restarting pod is briefly unreachable. */
const MIN_OCCURRENCES = 3;

/**
 * Nodes are Ready, but pods on different nodes do not reach each other: the tunnel packets between nodes (Geneve, UDP
 * 6081; VXLAN, UDP 4789, with OpenShift SDN) are dropped, or too large for the network.
 */
export const podNetworkBlocked = diagnosticRule('pod-network-blocked', 'network', (evidence) => {
  const { design, cluster } = evidence;
  if (design === null) return [];
  const startupEnds = (cluster?.nodes ?? []).flatMap(({ name }) => getStartupEnd(evidence, name) ?? []);
  if (startupEnds.length < 2) return [];
  const failed = listFailedConnections(evidence)
    .filter(({ address }) => isPodOrServiceAddress(design, address))
    .filter(({ at }) => at === null || at > Math.max(...startupEnds));
  const byOperators = failed.filter(({ isOperator }) => isOperator);
  const [first = failed[0]] = byOperators;
  // Several operators that report it, or one program that reports it repeatedly.
  const isOften = failed.length >= MIN_OCCURRENCES || new Set(byOperators.map(({ reporter }) => reporter)).size > 1;
  if (first === undefined || !isOften) return [];
  const port = design.networks.type === 'OpenShiftSDN' ? 4789 : 6081;
  return [
    {
      likelihood: byOperators.length > 0 ? 'likely' : 'possible',
      subject: '',
      symptom: `${first.reporter}: ${first.text}`,
      command: `oc debug node/NODE -- chroot /host sh -c 'ping -M do -s 1372 -c 3 OTHER-NODE; timeout 20 tcpdump -c 5 -ni any udp port ${port}'`,
    },
  ];
});
