import { findUnroutablePorts } from '../../bootstrap/evidence.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/** This machine has no route to the machines of the cluster, so their state is unknown. */
export const noRouteToCluster = diagnosticRule(
  'no-way-from-here',
  'network',
  ({ ports }) => {
    // If an endpoint has addresses of both families, one that can be probed is enough.
    const unroutable = findUnroutablePorts(ports, ({ host }) => host);
    const first = new Map(unroutable.toReversed().map((each) => [each.address, each]));
    return [...first.values()].toReversed().map(({ address, port, detail = '' }) => ({
      likelihood: 'certain' as const,
      subject: address,
      symptom: detail || `${address}:${port}`,
      command: `ip route get ${address}`,
    }));
  },
  true,
);
