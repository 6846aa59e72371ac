import type { Evidence, PoolMember } from '../evidence.ts';

/** The pools that haproxy.cfg has, by the port that their members serve. */
export const POOL_PORTS = { api: 6443, 'machine-config': 22623, 'ingress-https': 443, 'ingress-http': 80 } as const;

/** Whether a pool is one of them. */
export function isPool(pool: PoolMember['pool']): pool is keyof typeof POOL_PORTS {
  return Object.hasOwn(POOL_PORTS, pool);
}

/** The members of a pool in each load balancer that has it. */
export function poolsOf({ pools }: Evidence, pool: string): (readonly PoolMember[])[] {
  const own = pools.filter((each) => each.pool === pool);
  const names = [...new Set(own.map(({ balancer }) => balancer))];
  return names.map((name) => own.filter(({ balancer }) => balancer === name));
}

/** How the members of the pools are listed by hand. */
export function statusCommand({ page }: Pick<PoolMember, 'page'>): string {
  return `curl -s '${page};csv' | cut -d, -f1,2,18,74,76`;
}

/** A pool as one line: "machine-config on lb1: m1 UP, m2 DOWN". */
export function poolLine(members: readonly PoolMember[]): string {
  const [first] = members;
  const listed = members.map(({ name, status, check }) =>
    [name, status, check].filter((text) => text !== '').join(' '),
  );
  return `${first?.pool ?? ''} on ${first?.balancer ?? ''}: ${listed.join(', ')}`;
}

/** The balancer's check of a member gets no connection (HAProxy management guide, 9.1: L4CON, L4TOUT). */
export function isConnecting({ check }: Pick<PoolMember, 'check'>): boolean {
  return /^\*?\s*L4(?:CON|TOUT)/.test(check);
}

/** Short names of the machines whose port is open. */
export function servingOn({ ports }: Evidence, port: 6443 | 22623, kind?: 'bootstrap' | 'control-plane'): string[] {
  return ports
    .filter((each) => each.port === port && each.state === 'open')
    .filter((each) => (kind === undefined ? /^(?:bootstrap|control-plane)$/.test(each.kind) : each.kind === kind))
    .map(({ host }) => host);
}
