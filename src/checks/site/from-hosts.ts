import { isAddressInCidr } from '../../artifacts/network/addresses.ts';
import { BOOT_SCRIPT_PATH } from '../../artifacts/shared/generator.ts';
import { getApiIntName, listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUrlHost } from '../../platform/text.ts';
import {
  isUnmeasurable,
  type PrivilegedHostState,
  type ReachResult,
  type ReachTarget,
} from '../../probes/probe-types.ts';
import { listBlockedPackets, parsePacketFilters } from '../packet-filter/blocked-packets.ts';
import { getNetworkBoot } from './boot-files.ts';
import { listNameServers } from './dns.ts';
import { listListeners } from './load-balancer.ts';
import {
  createSiteCheckFactory,
  isLocalHost,
  readHostNetworkState,
  type SiteCheckContext,
  type SiteResult,
  toSiteResult,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details.fromHosts;

type Service = 'dns' | 'http' | 'load-balancer';

/** A service, and a request that shows whether the service answers its sender. */
interface ServiceTarget extends ReachTarget {
  readonly service: Service;
}

/**
 * Checks whether the services answer other service hosts in the machine network: those hosts send the requests, by
 * commands over SSH. A service may answer only this machine, because of its access list or of a packet filter on the
 * way.
 */
export const FROM_HOSTS_CHECKS = {
  dns: createSiteCheckFactory('dns')('dns-from-hosts', 'fatal', (site) => queryService(site, 'dns')),
  loadBalancer: createSiteCheckFactory('load-balancer')('lb-from-hosts', 'fatal', (site) =>
    queryService(site, 'load-balancer'),
  ),
  http: createSiteCheckFactory('boot-files')('http-from-hosts', 'fatal', (site) => queryService(site, 'http')),
};

function listTargets(site: SiteCheckContext): ServiceTarget[] {
  const { design } = site;
  const { bastion, boot } = design.services;
  const web = getNetworkBoot(design) === null ? [] : [{ host: bastion.ip[0], port: boot.httpPort }];
  return [
    ...listNameServers(site).map((host) => {
      return { service: 'dns' as const, host, port: 53, request: { dnsName: getApiIntName(design) } };
    }),
    ...web.map((target) => ({ ...target, service: 'http' as const, request: { httpPath: BOOT_SCRIPT_PATH } })),
    ...listListeners(design).map((target) => ({ ...target, service: 'load-balancer' as const })),
  ];
}

/** Lists the hosts that send the requests: those with an address in the machine network, where the nodes are. */
function listSourceHosts({ design, ...site }: SiteCheckContext): ServiceHost[] {
  return listServiceHosts(design).filter(
    (host) => !isLocalHost(site, host) && design.networks.machine.some(({ cidr }) => isAddressInCidr(host.ip[0], cidr)),
  );
}

function queryService(site: SiteCheckContext, service: Service): readonly Promise<SiteResult>[] {
  const targets = listTargets(site);
  return targets.flatMap((target, index) => {
    if (target.service !== service) return [];
    const balancerNames = site.design.services.loadBalancer.servers.map(({ name }) => name);
    // A load balancer holds the virtual addresses itself.
    const sourceHosts = listSourceHosts(site).filter(
      ({ name, ip }) => !ip.includes(target.host) && !(service === 'load-balancer' && balancerNames.includes(name)),
    );
    return sourceHosts.length === 0 ? [] : [evaluateTarget(site, { targets, index, sourceHosts })];
  });
}

async function evaluateTarget(
  site: SiteCheckContext,
  {
    targets,
    index,
    sourceHosts,
  }: {
    readonly targets: readonly ServiceTarget[];
    readonly index: number;
    readonly sourceHosts: readonly ServiceHost[];
  },
): Promise<SiteResult> {
  const target = targets[index] as ServiceTarget;
  const address = `${formatUrlHost(target.host)}:${target.port}`;
  const querySubject = {
    subject: target.service === 'dns' ? target.host : address,
    command: `ssh ${sourceHosts[0]?.ip[0]} ${formatCommand(target)}`,
  };
  const [servesThisMachine, ...answers] = await Promise.all([
    isServiceAvailable(site, target),
    ...sourceHosts.map(({ name, ip: [hostAddress] }) => site.probes.reach({ name, address: hostAddress, targets })),
  ]);
  if (!servesThisMachine) return toSiteResult(querySubject, { state: 'unknown', detail: words().notHere });
  const results = sourceHosts.flatMap((sourceHost, hostIndex) => {
    const answer = answers[hostIndex];
    if (answer === undefined || isUnmeasurable(answer) || answer.state !== 'known') return [];
    const result = answer.results[index] ?? null;
    return result === null
      ? []
      : [{ sourceHost, result, isCutOff: answer.results.every((candidate) => candidate?.state !== 'open') }];
  });
  // A host that reaches nothing has a fault of its own, and says nothing about this service.
  const validResults = results.filter(({ isCutOff }) => !isCutOff || targets.length === 1);
  if (validResults.length === 0) return toSiteResult(querySubject, { state: 'unknown', detail: words().notAsked });
  const failedResults = validResults.filter(({ result }) => result.state !== 'open');
  if (failedResults.length === 0)
    return toSiteResult(querySubject, {
      state: 'ok',
      detail: words().served(validResults.map(({ sourceHost }) => sourceHost.name)),
    });
  const server = listServiceHosts(site.design).find(({ ip }) => ip.includes(target.host));
  const networkState = server === undefined ? null : await readHostNetworkState(site, server);
  const unexplainedResults = failedResults.filter(
    ({ sourceHost, result }) =>
      !(server && networkState && isRefusedByServer(site.design, { server, networkState }, sourceHost, target, result)),
  );
  return unexplainedResults.length === 0
    ? toSiteResult(querySubject, {
        state: 'ok',
        detail: words().ownList(failedResults.map(({ sourceHost }) => sourceHost.name)),
      })
    : toSiteResult(querySubject, {
        state: 'failed',
        // Only the configuration of the server itself tells whether nodes are refused, too.
        ...(networkState === null ? { severity: 'warning' as const } : {}),
        detail: words().notServed(groupByAnswer(unexplainedResults)),
        remedy: words().remedy(address, unexplainedResults[0]?.sourceHost.name ?? '', formatCommand(target)),
      });
}

function groupByAnswer(hosts: readonly { readonly sourceHost: ServiceHost; readonly result: ReachResult }[]) {
  const getAnswer = ({ result }: (typeof hosts)[number]) =>
    result.state === 'denied' ? result.answer : result.state === 'silent' ? null : '';
  return [...Map.groupBy(hosts, getAnswer)].map(([answer, group]) => ({
    answer,
    hosts: group.map(({ sourceHost }) => sourceHost.name),
  }));
}

/**
 * Whether the server's own access list or packet filter refuses this host. Other checks evaluate the same lists for the
 * addresses of the nodes, so a list that excludes only service hosts is no fault.
 */
function isRefusedByServer(
  design: Design,
  { server, networkState }: { readonly server: ServiceHost; readonly networkState: PrivilegedHostState },
  sourceHost: ServiceHost,
  { port }: ServiceTarget,
  { state }: ReachResult,
): boolean {
  if (state === 'denied') return true;
  const [templateNode] = design.nodes;
  if (networkState.filter === null || templateNode === undefined) return false;
  const chains = parsePacketFilters(networkState.filter);
  if (chains === null) return true;
  const designWithHost = { ...design, nodes: [{ ...templateNode, name: sourceHost.name, ip: sourceHost.ip }] };
  return listBlockedPackets(designWithHost, server, networkState, chains).some(({ ports }) => ports.includes(port));
}

async function isServiceAvailable(
  { probes }: SiteCheckContext,
  { host, port, request }: ServiceTarget,
): Promise<boolean> {
  if (request === undefined) {
    const answer = await probes.tcp({ host, port });
    return !isUnmeasurable(answer) && (answer.state === 'open' || answer.state === 'closed-at-once');
  }
  if ('dnsName' in request) {
    const answer = await probes.dns({ server: host, name: request.dnsName, type: 'A' });
    return !isUnmeasurable(answer) && answer.state === 'answered';
  }
  const answer = await probes.head({ url: `http://${formatUrlHost(host)}:${port}${request.httpPath}` });
  return !isUnmeasurable(answer) && answer.status === 200;
}

/** Formats the request of `isServiceAvailable` as a shell command. */
function formatCommand({ host, port, request }: ServiceTarget): string {
  if (request === undefined) return `nc -vz -w 3 ${host} ${port}`;
  return 'dnsName' in request
    ? `dig @${host} ${request.dnsName} A`
    : `curl -sI http://${formatUrlHost(host)}:${port}${request.httpPath}`;
}
