import type { BalancerMember, Evidence } from '../evidence.ts';

/** The pools of haproxy.cfg, with the port of their members. */
export const POOL_PORTS = { api: 6443, 'machine-config': 22623, 'ingress-https': 443, 'ingress-http': 80 } as const;

/** Whether it is a pool of `POOL_PORTS`. */
export function isPool(pool: BalancerMember['pool']): pool is keyof typeof POOL_PORTS {
  return Object.hasOwn(POOL_PORTS, pool);
}

/** Groups the members of a pool by load balancer. */
export function groupMembersByBalancer({ pools }: Evidence, pool: string): (readonly BalancerMember[])[] {
  const own = pools.filter((each) => each.pool === pool);
  const names = [...new Set(own.map(({ balancer }) => balancer))];
  return names.map((name) => own.filter(({ balancer }) => balancer === name));
}

/** Command that prints the status of all pool members. */
export function statusCommand({ page }: Pick<BalancerMember, 'page'>): string {
  return `curl -s '${page};csv' | cut -d, -f1,2,18,74,76`;
}

/** Formats a pool as one line: "machine-config on lb1: m1 UP, m2 DOWN". */
export function formatPool(members: readonly BalancerMember[]): string {
  const [first] = members;
  const listed = members.map(({ name, status, check }) =>
    [name, status, check].filter((text) => text !== '').join(' '),
  );
  return `${first?.pool ?? ''} on ${first?.balancer ?? ''}: ${listed.join(', ')}`;
}

/** Whether the load balancer's check of a member gets no connection (HAProxy management guide, 9.1: L4CON, L4TOUT). */
export function hasConnectionFailure({ check }: Pick<BalancerMember, 'check'>): boolean {
  return /^\*?\s*L4(?:CON|TOUT)/.test(check);
}

/** Short names of the machines whose port is open. */
export function listServingHosts(
  { ports }: Evidence,
  port: 6443 | 22623,
  kind?: 'bootstrap' | 'control-plane',
): string[] {
  return ports
    .filter((each) => each.port === port && each.state === 'open')
    .filter((each) => (kind === undefined ? /^(?:bootstrap|control-plane)$/.test(each.kind) : each.kind === kind))
    .map(({ host }) => host);
}
