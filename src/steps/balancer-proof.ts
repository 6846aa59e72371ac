import { osFacts } from '../artifacts/host-os.ts';
import { statsPort } from '../artifacts/openings.ts';
import { type PoolMember, poolMembers } from '../bastion/haproxy-stats.ts';
import { tcpProbe } from '../bastion/probes.ts';
import { nodesWithRole } from '../design/names.ts';
import { SECOND } from '../ports/clock.ts';
import type { StepContext } from './contract.ts';

/** What a load balancer says of its pools of 6443 and 22623. */
export interface BalancerView {
  readonly name: string;
  /** `with`: the bootstrap is in a pool. `without`: it is in none. `silent`: it does not tell us. */
  readonly state: 'with' | 'without' | 'silent';
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** What proves that the bootstrap is out: the balancers' own word, or answers through them while it is closed itself. */
export interface BalancerProof {
  readonly balancers: readonly BalancerView[];
  /** The bootstrap's own 6443 and 22623 are closed. */
  readonly isBootstrapClosed: boolean;
  /** 6443 and 22623 answer through the balancer. */
  readonly answers: boolean;
}

const POOLS = new Set(['api', 'machine-config']);
const TIMEOUT = 2 * SECOND;

/** Asks the balancers themselves, and connects through them. */
export async function balancerProof(context: StepContext): Promise<BalancerProof> {
  const { design, reach, clock } = context;
  const isOpen = async (host: string | undefined, port: number) =>
    host !== undefined && (await tcpProbe(reach, clock, host, port, TIMEOUT)).state === 'open';
  const bootstrap = nodesWithRole(design, 'bootstrap')[0]?.ip[0];
  const [balancers, own, through] = await Promise.all([
    Promise.all(design.services.loadBalancer.servers.map((server) => askBalancer(context, server))),
    Promise.all([6443, 22623].map((port) => isOpen(bootstrap, port))),
    Promise.all([
      isOpen(design.endpoints.api[0], 6443),
      isOpen(design.endpoints.apiInt[0], 6443),
      isOpen(design.endpoints.apiInt[0], 22623),
    ]),
  ]);
  return { balancers, isBootstrapClosed: own.every((open) => !open), answers: through.every((open) => open) };
}

async function askBalancer(
  { design, reach, clock, hands }: StepContext,
  server: StepContext['design']['services']['loadBalancer']['servers'][number],
): Promise<BalancerView> {
  const page = reach(server.ip[0] ?? server.name, statsPort(design, server));
  const isHere = hands.isPerson && server.name === design.services.bastion.name;
  const members =
    (await poolMembers(page, clock)) ??
    (isHere ? await poolMembers({ socket: osFacts(server.os).haproxy.statsSocket }, clock) : null);
  return viewOf(server.name, new Set(nodesWithRole(design, 'bootstrap').map(({ name }) => name)), members);
}

function viewOf(name: string, bootstraps: ReadonlySet<string>, members: readonly PoolMember[] | null): BalancerView {
  const pools = members?.filter(({ pool }) => POOLS.has(pool)) ?? [];
  if (pools.length === 0) return { name, state: 'silent', up: [], down: [] };
  const isUp = ({ status }: PoolMember) => /^UP\b/.test(status);
  const label = ({ pool, name: member }: PoolMember) => `${pool}/${member}`;
  return {
    name,
    state: pools.some((member) => bootstraps.has(member.name)) ? 'with' : 'without',
    up: pools.filter(isUp).map(label),
    down: pools.filter((member) => !isUp(member)).map(label),
  };
}
