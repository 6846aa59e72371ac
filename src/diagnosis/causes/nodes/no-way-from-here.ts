import { withoutWay } from '../../bootstrap/evidence.ts';
import { cause } from '../cause.ts';

/** Nothing leaves this machine for the machines of the cluster: what is there, nobody here can tell. */
export const noWayFromHere = cause(
  'no-way-from-here',
  'network',
  ({ ports }) => {
    // Of an endpoint with addresses of both families, one that can be asked is enough.
    const unsent = withoutWay(ports, ({ host }) => host);
    const first = new Map(unsent.toReversed().map((each) => [each.address, each]));
    return [...first.values()].toReversed().map(({ address, port, detail = '' }) => ({
      likelihood: 'certain' as const,
      subject: address,
      symptom: detail || `${address}:${port}`,
      command: `ip route get ${address}`,
    }));
  },
  true,
);
