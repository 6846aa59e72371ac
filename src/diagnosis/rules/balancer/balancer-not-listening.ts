import { diagnosticRule } from '../diagnostic-rule.ts';

/**
 * The load balancer does not listen, or a firewall drops packets to it. A running load balancer without members closes
 * connections at once.
 */
export const balancerNotListening = diagnosticRule(
  'balancer-closed',
  'balancer',
  ({ ports, checks, design, ready }) => {
    // A load balancer that others run may open its ports only once a member answers, and none does yet.
    const isExternal = design?.services.loadBalancer.kind === 'external';
    if (isExternal && ready.length === 0) return [];
    const atEndpoints = ports.filter(({ kind }) => kind === 'api' || kind === 'api-int');
    const closed = atEndpoints.filter(
      ({ port, state }) => port === 6443 && (isConnectionFailure(state) || (isExternal && state !== 'open')),
    );
    const others = checks.filter(
      ({ code, state, subject }) =>
        !isExternal && code === 'lb-listens' && state === 'failed' && /:(?:443|80)$/.test(subject),
    );
    return [
      ...closed.map(({ address, port, state }) => ({
        likelihood: 'certain' as const,
        subject: `${address}:${port}`,
        symptom: `${address}:${port} ${state}${isExternal ? `; /readyz 200 at ${ready.join(', ')}` : ''}`,
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

function isConnectionFailure(state: string): boolean {
  return state === 'refused' || state === 'timeout' || state === 'unreachable';
}
