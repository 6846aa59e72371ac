import { getOsFacts } from '../../../artifacts/hosts/os.ts';
import { balancerMembers } from '../../../artifacts/load-balancer.ts';
import { statsPort } from '../../../artifacts/network/firewall.ts';
import type { BalancerEvidence, BalancerProof } from '../../../checks/service-hosts.ts';
import { nodesWithRole } from '../../../design/derived-facts.ts';
import type { Stage } from '../../../design/model.ts';
import { SECOND } from '../../../platform/clock.ts';

import { fetchPoolMembers, type PoolMember } from '../../../probes/haproxy-stats.ts';
import { probeTcp } from '../../../probes/probes.ts';
import type { StepContext } from '../../contract.ts';

const BOOTSTRAP_POOLS = new Set(['api', 'machine-config']);
const TIMEOUT = 2 * SECOND;

/** Probes the load balancers themselves, and connects through them. */
export async function probeLoadBalancers(context: StepContext): Promise<BalancerProof> {
  const { design, resolveEndpoint, clock } = context;
  // Both address families in a dual-stack cluster.
  const probePorts = (hosts: readonly string[], ...ports: number[]) =>
    Promise.all(
      hosts.flatMap((host) =>
        ports.map(async (port) => (await probeTcp(resolveEndpoint, clock, host, port, TIMEOUT)).state === 'open'),
      ),
    );
  const { api, apiInt } = design.endpoints;
  const [balancers, bootstrapPorts, ...endpointPorts] = await Promise.all([
    Promise.all(design.services.loadBalancer.servers.map((server) => probeLoadBalancer(context, server))),
    probePorts(nodesWithRole(design, 'bootstrap')[0]?.ip ?? [], 6443, 22623),
    probePorts(api, 6443),
    probePorts(apiInt, 6443, 22623),
  ]);
  return {
    balancers,
    isBootstrapClosed: bootstrapPorts.every((open) => !open),
    isAnswering: endpointPorts.every((ports) => ports.length > 0 && ports.every((open) => open)),
  };
}

async function probeLoadBalancer(context: StepContext, server: LoadBalancerServer): Promise<BalancerEvidence> {
  const bootstraps = new Set(nodesWithRole(context.design, 'bootstrap').map(({ name }) => name));
  return toBalancerEvidence(server.name, bootstraps, await readPoolMembers(context, server));
}

type LoadBalancerServer = StepContext['design']['services']['loadBalancer']['servers'][number];

/**
 * Reads the pool members of a running load balancer: from its status page, or from its socket if it is this machine;
 * null: no answer.
 */
async function readPoolMembers(
  { design, resolveEndpoint, clock, manualActions }: StepContext,
  server: LoadBalancerServer,
): Promise<readonly PoolMember[] | null> {
  const page = resolveEndpoint(server.ip[0], statsPort(design, server));
  const isHere = manualActions.isManual && server.name === design.services.bastion.name;
  return (
    (await fetchPoolMembers(page, clock)) ??
    (isHere ? await fetchPoolMembers({ socket: getOsFacts(server.os).haproxy.statsSocket }, clock) : null)
  );
}

const INGRESS_POOLS = new Set(['ingress-https', 'ingress-http']);

/** Lists the load balancers that report other routers than those of a stage: their file is not in place yet. */
export async function findOutdatedLoadBalancers(context: StepContext, stage: Stage): Promise<string[]> {
  const wanted = balancerMembers(context.design, stage)
    .ingress.map(({ name }) => name)
    .sort()
    .join(' ');
  const outdated = await Promise.all(
    context.design.services.loadBalancer.servers.map(async (server) => {
      const members = await readPoolMembers(context, server);
      const routers = new Set(members?.filter(({ pool }) => INGRESS_POOLS.has(pool)).map(({ name }) => name));
      return routers.size > 0 && [...routers].sort().join(' ') !== wanted ? [server.name] : [];
    }),
  );
  return outdated.flat();
}

function toBalancerEvidence(
  name: string,
  bootstraps: ReadonlySet<string>,
  members: readonly PoolMember[] | null,
): BalancerEvidence {
  const pools = members?.filter(({ pool }) => BOOTSTRAP_POOLS.has(pool)) ?? [];
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
