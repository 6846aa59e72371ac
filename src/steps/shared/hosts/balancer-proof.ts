import { osFacts } from '../../../artifacts/hosts/os.ts';
import { balancerMembers } from '../../../artifacts/load-balancer/haproxy.ts';
import { statsPort } from '../../../artifacts/network/openings.ts';
import { type PoolMember, poolMembers } from '../../../bastion/haproxy-stats.ts';
import { tcpProbe } from '../../../bastion/probes/probes.ts';
import type { Stage } from '../../../design/model.ts';
import { nodesWithRole } from '../../../design/names.ts';
import type { BalancerEvidence, BalancerProof } from '../../../diagnosis/hosts/bootstrap-out.ts';
import { SECOND } from '../../../ports/clock.ts';
import type { StepContext } from '../../contract.ts';

const POOLS = new Set(['api', 'machine-config']);
const TIMEOUT = 2 * SECOND;

/** Asks the balancers themselves, and connects through them. */
export async function balancerProof(context: StepContext): Promise<BalancerProof> {
  const { design, reach, clock } = context;
  // Of both families where there are two.
  const areOpen = (hosts: readonly string[], ...ports: number[]) =>
    Promise.all(
      hosts.flatMap((host) =>
        ports.map(async (port) => (await tcpProbe(reach, clock, host, port, TIMEOUT)).state === 'open'),
      ),
    );
  const { api, apiInt } = design.endpoints;
  const [balancers, own, ...through] = await Promise.all([
    Promise.all(design.services.loadBalancer.servers.map((server) => askBalancer(context, server))),
    areOpen(nodesWithRole(design, 'bootstrap')[0]?.ip ?? [], 6443, 22623),
    areOpen(api, 6443),
    areOpen(apiInt, 6443, 22623),
  ]);
  return {
    balancers,
    isBootstrapClosed: own.every((open) => !open),
    answers: through.every((ports) => ports.length > 0 && ports.every((open) => open)),
  };
}

async function askBalancer(context: StepContext, server: Balancer): Promise<BalancerEvidence> {
  const bootstraps = new Set(nodesWithRole(context.design, 'bootstrap').map(({ name }) => name));
  return viewOf(server.name, bootstraps, await runningMembers(context, server));
}

type Balancer = StepContext['design']['services']['loadBalancer']['servers'][number];

/** The pool members of a running balancer: from its page, or its socket where it is this machine; null: no answer. */
async function runningMembers(
  { design, reach, clock, hands }: StepContext,
  server: Balancer,
): Promise<readonly PoolMember[] | null> {
  const page = reach(server.ip[0], statsPort(design, server));
  const isHere = hands.isPerson && server.name === design.services.bastion.name;
  return (
    (await poolMembers(page, clock)) ??
    (isHere ? await poolMembers({ socket: osFacts(server.os).haproxy.statsSocket }, clock) : null)
  );
}

const ROUTES = new Set(['ingress-https', 'ingress-http']);

/** The balancers that report that they do not run with the routers of a stage: their file is not in place yet. */
export async function balancersBehind(context: StepContext, stage: Stage): Promise<string[]> {
  const wanted = balancerMembers(context.design, stage)
    .ingress.map(({ name }) => name)
    .sort()
    .join(' ');
  const behind = await Promise.all(
    context.design.services.loadBalancer.servers.map(async (server) => {
      const members = await runningMembers(context, server);
      const routers = new Set(members?.filter(({ pool }) => ROUTES.has(pool)).map(({ name }) => name));
      return routers.size > 0 && [...routers].sort().join(' ') !== wanted ? [server.name] : [];
    }),
  );
  return behind.flat();
}

function viewOf(
  name: string,
  bootstraps: ReadonlySet<string>,
  members: readonly PoolMember[] | null,
): BalancerEvidence {
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
