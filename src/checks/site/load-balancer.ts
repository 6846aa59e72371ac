import { removeDuplicates } from '../../artifacts/network/addresses.ts';
import { getStatsPort } from '../../artifacts/network/firewall.ts';
import { getBalancerMembers } from '../../design/balancer-members.ts';
import { listNodesWithRole } from '../../design/derived-facts.ts';
import type { Design, DesignNode, ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUrlHost } from '../../platform/text.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import { BALANCER_CLIENT_CHECK } from './server-access.ts';
import { createSiteCheckFactory, querySite, type SiteCheckContext, type SiteResult, type Verdict } from './site.ts';
import { VIRTUAL_ADDRESS_CHECKS } from './virtual-addresses.ts';

const words = () => catalogue().diagnosis.site.details;
const check = createSiteCheckFactory('load-balancer');

/** Checks of the load balancer: its ports, and the members of its pools. */
export const LOAD_BALANCER_CHECKS = [
  ...VIRTUAL_ADDRESS_CHECKS,
  BALANCER_CLIENT_CHECK,
  /**
   * A server listens on each port of the endpoints. HAProxy without a member accepts and closes, which counts as
   * listening here.
   */
  check('lb-listens', 'fatal', (site) =>
    listListeners(site.design).map(({ host, port }) =>
      querySite(
        site,
        'tcp',
        { host, port },
        { subject: `${host}:${port}`, command: `nc -vz ${host} ${port}` },
        (answer) => {
          const { state, detail } = answer;
          if (state === 'open' || state === 'closed-at-once') return { state: 'ok', detail };
          // An external load balancer may open its ports only once a member answers.
          const isExternal = state === 'refused' && listBalancers(site).length === 0;
          return { state: isExternal ? 'pending' : 'failed', detail };
        },
      ),
    ),
  ),
  /** Each pool has exactly the members of this stage. A missing or leftover member is a mistake that can cost days. */
  check('lb-members', 'fatal', (site) =>
    listPlannedPools(site).flatMap((plannedPool) =>
      queryBalancers(site, plannedPool.pool, (actualMembers) => {
        const differences = describeDifferences(plannedPool, actualMembers);
        const names = actualMembers.map(({ name }) => name).join(', ');
        return differences.length === 0
          ? { state: 'ok', detail: names }
          : { state: 'failed', detail: differences.join('; ') };
      }),
    ),
  ),
  /**
   * Until the bootstrap is complete, the bootstrap node serves the API and the machine config: without it no node gets
   * its ignition config.
   */
  check('lb-bootstrap-present', 'fatal', (site) => {
    const [bootstrap] = site.stage === 'install' ? listNodesWithRole(site.design, 'bootstrap') : [];
    if (bootstrap === undefined) return [];
    const pools = listPlannedPools(site).filter(({ nodes }) => nodes.includes(bootstrap));
    return pools.flatMap(({ pool }) =>
      queryBalancers(site, pool, (actualMembers) => {
        const names = actualMembers.map(({ name }) => name);
        return names.includes(bootstrap.name)
          ? { state: 'ok', detail: names.join(', ') }
          : { state: 'failed', detail: words().poolMembers(names) };
      }),
    );
  }),
];

/** Lists the ports of the endpoints; none for a single node, which is its own endpoint. */
export function listListeners({ endpoints, topology }: Design): { host: string; port: number }[] {
  if (topology === 'single-node') return [];
  const formatListeners = (hosts: readonly string[], ...ports: readonly number[]) =>
    hosts.flatMap((host) => ports.map((port) => `${port} ${host}`));
  const listenerTexts = [
    ...formatListeners(endpoints.api, 6443),
    ...formatListeners(endpoints.apiInt, 6443, 22_623),
    ...formatListeners(endpoints.ingress, 443, 80),
  ];
  return removeDuplicates(listenerTexts).map((text) => {
    const [port = '', host = ''] = text.split(' ');
    return { host, port: Number(port) };
  });
}

/** A pool under its name in haproxy.cfg, with its members as planned. */
interface PlannedPool {
  readonly pool: string;
  readonly nodes: readonly DesignNode[];
  readonly port: number;
}

/** Lists the pools that the load balancer has at this stage. */
export function listPlannedPools({ design, stage }: Pick<SiteCheckContext, 'design' | 'stage'>): PlannedPool[] {
  const { api, ingress } = getBalancerMembers(design, stage);
  return [
    { pool: 'api', nodes: api, port: 6443 },
    { pool: 'machine-config', nodes: api, port: 22_623 },
    { pool: 'ingress-https', nodes: ingress, port: 443 },
    { pool: 'ingress-http', nodes: ingress, port: 80 },
  ];
}

/** Formats the address and port of a member as HAProxy prints them. */
export function formatMemberAddress({ ip }: DesignNode, { port }: PlannedPool): string {
  return `${formatUrlHost(ip[0] ?? '')}:${port}`;
}

/** Lists the generated HAProxy load balancers, whose status page lists their members. */
export function listBalancers({ design, onlyHost }: SiteCheckContext): readonly ServiceHost[] {
  const { loadBalancer } = design.services;
  if (design.topology === 'single-node' || loadBalancer.kind === 'external') return [];
  return loadBalancer.servers.filter(({ name }) => onlyHost === null || name === onlyHost.name);
}

type Members = NonNullable<ProbeAnswer<'members'>>;

/**
 * Queries the status page of each load balancer, and evaluates the members of one pool.
 * @param evaluate receives the members of the pool
 */
function queryBalancers(
  site: SiteCheckContext,
  pool: string,
  evaluate: (actualMembers: Members) => Verdict,
): readonly Promise<SiteResult>[] {
  return listBalancers(site).map((balancer) => {
    const [host, port] = [balancer.ip[0], getStatsPort(site.design, balancer)];
    const command = `curl -s 'http://${formatUrlHost(host)}:${port}/;csv' | cut -d, -f1,2,18,74,76`;
    return querySite(site, 'members', { host, port }, { subject: `${balancer.name} ${pool}`, command }, (answer) =>
      answer === null
        ? { state: 'unknown', detail: words().noStatusPage }
        : evaluate(answer.filter((answerMember) => answerMember.pool === pool)),
    );
  });
}

/** Describes the differences of a pool from the plan: its members, their addresses, and whether it terminates TLS. */
function describeDifferences(plannedPool: PlannedPool, actualMembers: Members): string[] {
  const [plannedNames, actualNames] = [
    plannedPool.nodes.map(({ name }) => name),
    actualMembers.map(({ name }) => name),
  ];
  const missingNames = plannedNames.filter((name) => !actualNames.includes(name));
  const extraNames = actualNames.filter((name) => !plannedNames.includes(name));
  const wrongTargets = actualMembers.flatMap(({ name, address }) => {
    const node = plannedPool.nodes.find((candidate) => candidate.name === name);
    const target = node && formatMemberAddress(node, plannedPool);
    if (target === undefined || address === undefined || address === target) return [];
    return words().otherTarget(name, address, target);
  });
  const terminatesTls = plannedPool.port !== 80 && actualMembers.some(({ mode }) => mode === 'http');
  return [
    ...(missingNames.length + extraNames.length > 0 ? [words().otherMembers(missingNames, extraNames)] : []),
    ...wrongTargets,
    ...(terminatesTls ? [words().terminatesTls] : []),
  ];
}
