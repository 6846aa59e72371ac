import { cause } from '../cause.ts';

/** Nothing leaves this machine for the machines of the cluster: what is there, nobody here can tell. */
export const noWayFromHere = cause(
  'no-way-from-here',
  'network',
  ({ ports }) => {
    // Of an endpoint with addresses of both families, one that can be asked is enough.
    const asked = new Set(ports.filter(({ state }) => state !== 'unsent').map(({ host }) => host));
    const unsent = ports.filter(({ host, state }) => state === 'unsent' && !asked.has(host));
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
