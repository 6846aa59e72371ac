import { cause } from '../cause.ts';

/** The load balancer does not listen, or a firewall drops what comes. One that is there closes at once while it has no member. */
export const balancerClosed = cause(
  'balancer-closed',
  'balancer',
  ({ ports, checks, design, ready }) => {
    // One that other people run may open its ports only when a member answers: then nobody does yet.
    const isTheirs = design?.services.loadBalancer.kind === 'external';
    if (isTheirs && ready.length === 0) return [];
    const atEndpoints = ports.filter(({ kind }) => kind === 'api' || kind === 'api-int');
    const dead = atEndpoints.filter(
      ({ port, state }) => port === 6443 && (isShut(state) || (isTheirs && state !== 'open')),
    );
    const others = checks.filter(
      ({ code, state, subject }) =>
        !isTheirs && code === 'lb-listens' && state === 'failed' && /:(?:443|80)$/.test(subject),
    );
    return [
      ...dead.map(({ address, port, state }) => ({
        likelihood: 'certain' as const,
        subject: `${address}:${port}`,
        symptom: `${address}:${port} ${state}${isTheirs ? `; /readyz 200 at ${ready.join(', ')}` : ''}`,
        command: `nc -vz ${address} ${port}`,
      })),
      ...others.map(({ subject, detail, command }) => ({
        likelihood: 'certain' as const,
        subject,
        symptom: detail,
        command,
      })),
    ];
  },
  true,
);

function isShut(state: string): boolean {
  return state === 'refused' || state === 'timeout' || state === 'unreachable';
}
