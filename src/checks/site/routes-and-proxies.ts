import { BlockList, isIP } from 'node:net';
import { isAddressInCidr } from '../../artifacts/network/addresses.ts';
import {
  getApiIntName,
  getApiName,
  getAppsDomain,
  getClusterDomain,
  listServiceHosts,
} from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { type DefaultRoute, isUnmeasurable, type LocalNetworkSettings } from '../../probes/probe-types.ts';
import { createSiteCheckFactory, isLocalHost, querySite, type SiteCheckContext, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details.network;
const check = createSiteCheckFactory('hosts');

/** Checks of the routes and proxies of this machine and of the service hosts. */
export const ROUTE_AND_PROXY_CHECKS = [
  /** Programs that inherit a proxy from the environment reach the cluster without it. */
  check('proxy-environment', 'warning', (site) => [
    querySite(site, 'machine', {}, { subject: words().thisMachine, command: 'env | grep -i _proxy' }, (machine) =>
      evaluateProxies(site, machine),
    ),
  ]),
  /** This machine has one default route, or uses the right one of several with different metrics. */
  check('default-routes', 'warning', (site) => [
    querySite(
      site,
      'machine',
      {},
      { subject: words().thisMachine, command: 'ip route show default' },
      ({ defaultRoutes }) => evaluateRoutes(site, defaultRoutes, [...site.localAddresses], true),
    ),
  ]),
  /**
   * Each service host has one default route, or uses the planned one of several. Otherwise answers may leave through
   * another interface than the one on which the queries arrive.
   */
  check('host-routes', 'warning', (site) =>
    listServiceHosts(site.design)
      .filter((host) => !isLocalHost(site, host))
      .map(({ name, ip }) =>
        querySite(
          site,
          'host',
          { name, address: ip[0], isSelf: false },
          { subject: name, command: `ssh ${ip[0]} ip route show default` },
          (answer) =>
            answer.state === 'known'
              ? evaluateRoutes(site, answer.defaultRoutes ?? [], ip, false)
              : { state: 'unknown', detail: answer.detail },
        ),
      ),
  ),
];

/** Evaluates the default routes of a machine; `addresses` are those of that machine. */
async function evaluateRoutes(
  { design, probes }: SiteCheckContext,
  routes: readonly DefaultRoute[],
  addresses: readonly string[],
  isThisMachine: boolean,
): Promise<Verdict> {
  const [usedRoute, otherRoute] = routes;
  if (usedRoute === undefined || otherRoute === undefined)
    return { state: 'ok', detail: usedRoute === undefined ? words().noRoute : words().route(usedRoute) };
  const reply = isThisMachine ? await probes.neighbour({ address: usedRoute.gateway }) : null;
  const isGatewaySilent = reply !== null && !isUnmeasurable(reply) && reply.isLocal && reply.mac === null;
  const plannedGateways = design.networks.machine
    .filter(({ cidr }) => addresses.some((address) => isAddressInCidr(address, cidr)))
    .map(({ gateway }) => gateway);
  const correctRoute =
    routes.find(({ gateway }) => plannedGateways.includes(gateway)) ?? (isGatewaySilent ? otherRoute : usedRoute);
  const surplusRoutes = routes.filter((route) => route !== correctRoute);
  // Two routes of different metrics, of which the planned one is used, are correct: the other route is the fallback.
  if (!isGatewaySilent && correctRoute === usedRoute && usedRoute.metric !== otherRoute.metric)
    return { state: 'ok', detail: words().routes.detail(routes) };
  return {
    state: 'failed',
    title: words().routes.title(usedRoute, isGatewaySilent),
    detail: words().routes.detail(routes),
    remedy: words().routes.remedy(surplusRoutes),
  };
}

/** The variables that programs in Go read. They ignore ALL_PROXY, which curl reads. */
const GO_VARIABLES = /^https?_proxy$/i;

function evaluateProxies({ design }: SiteCheckContext, { proxies, noProxy, proxyFile }: LocalNetworkSettings): Verdict {
  const names = [getApiName(design), getApiIntName(design), `console-openshift-console.${getAppsDomain(design)}`];
  const missingFlags = names.map((name) => !isHostExcluded(name, noProxy));
  const networks = design.networks.machine.map(({ cidr }) => cidr);
  const missingNetworks = networks.filter((cidr) => !isNetworkExcluded(cidr, noProxy));
  if (proxies.length === 0) return { state: 'ok', detail: words().noProxy };
  // Programs reach the cluster by name: a no_proxy list that lacks only a network has no effect on them.
  if (!missingFlags.includes(true)) return { state: 'ok', detail: words().excluded };
  const missingNames = names
    .filter((_, index) => missingFlags[index])
    .map((name) => name.replace('console-openshift-console.', '*.'));
  const entries = [
    ...noProxy.split(/[\s,]+/).filter((entry) => /^[\w.*:/-]+$/.test(entry)),
    `.${getClusterDomain(design)}`,
  ];
  const completeNoProxy = [...new Set([...entries, ...missingNetworks])].join(',');
  const affectsGoPrograms = proxies.some(({ name }) => GO_VARIABLES.test(name));
  return {
    state: 'failed',
    severity: affectsGoPrograms ? 'warning' : 'note',
    title: words().proxy.title(proxies[0]?.name ?? '', affectsGoPrograms),
    detail: words().proxy.detail(proxies, proxyFile, [...missingNames, ...missingNetworks]),
    remedy: words().proxy.remedy(completeNoProxy, proxyFile),
  };
}

/** Whether a no_proxy list contains a host, as golang.org/x/net/http/httpproxy reads it. */
function isHostExcluded(host: string, noProxy: string): boolean {
  return noProxy
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim().replace(/:\d+$/, ''))
    .some((entry) => {
      if (entry === '*') return true;
      const domain = entry.replace(/^\*\./, '.');
      if (domain === '' || isIP(domain) !== 0) return false;
      return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
    });
}

/** Whether a single noProxy entry covers the whole network. */
function isNetworkExcluded(cidr: string, noProxy: string): boolean {
  const [network = '', prefixLength = ''] = cidr.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  return noProxy.split(',').some((entry) => {
    const [entryNetwork = '', entryPrefixLength = ''] = entry.trim().split('/');
    if (entry.trim() === '*') return true;
    if (
      isIP(entryNetwork) !== isIP(network) ||
      !/^\d{1,3}$/.test(entryPrefixLength) ||
      Number(entryPrefixLength) > Number(prefixLength)
    )
      return false;
    const blockList = new BlockList();
    blockList.addSubnet(entryNetwork, Number(entryPrefixLength), family);
    return blockList.check(network, family);
  });
}
