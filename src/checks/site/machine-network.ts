import { BlockList, isIP } from 'node:net';
import { isInNetwork } from '../../artifacts/network/addresses.ts';
import { apiIntName, apiName, appsDomain, clusterDomain, serviceHosts } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { type DefaultRoute, isUnmeasurable, type MachineNetwork } from '../../probes/probe-types.ts';
import { isLocalHost, querySite, type SiteCheckContext, siteChecksIn, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details.network;
const check = siteChecksIn('hosts');

/** How this machine and the service hosts leave their network. */
export const MACHINE_NETWORK_CHECKS = [
  /** Programs that inherit a proxy from the environment reach the cluster without it. */
  check('proxy-environment', 'warning', (site) => [
    querySite(site, 'machine', {}, { subject: words().thisMachine, command: 'env | grep -i _proxy' }, (machine) =>
      evaluateProxies(site, machine),
    ),
  ]),
  /** One default route leads out of this machine, or the one that is used leads to a router that answers. */
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
   * The same for the service hosts: with two of them, answers may leave through another interface than the one on which
   * the queries arrive.
   */
  check('host-routes', 'warning', (site) =>
    serviceHosts(site.design)
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

/** @param addresses those of the machine that has the routes */
async function evaluateRoutes(
  { design, probes }: SiteCheckContext,
  routes: readonly DefaultRoute[],
  addresses: readonly string[],
  isHere: boolean,
): Promise<Verdict> {
  const [used, second] = routes;
  if (used === undefined || second === undefined)
    return { state: 'ok', detail: used === undefined ? words().noRoute : words().route(used) };
  const reply = isHere ? await probes.neighbour({ address: used.gateway }) : null;
  const isDead = reply !== null && !isUnmeasurable(reply) && reply.isLocal && reply.mac === null;
  const planned = design.networks.machine
    .filter(({ cidr }) => addresses.some((address) => isInNetwork(address, cidr)))
    .map(({ gateway }) => gateway);
  const right = routes.find(({ gateway }) => planned.includes(gateway)) ?? (isDead ? second : used);
  const surplus = routes.filter((route) => route !== right);
  // Two routes of different metrics, of which the planned one is used, are right: the other one is for its failure.
  if (!isDead && right === used && used.metric !== second.metric)
    return { state: 'ok', detail: words().routes.detail(routes) };
  return {
    state: 'failed',
    title: words().routes.title(used, isDead),
    detail: words().routes.detail(routes),
    remedy: words().routes.remedy(surplus),
  };
}

/** The variables that programs in Go read; curl alone reads ALL_PROXY. */
const GO_VARIABLES = /^https?_proxy$/i;

function evaluateProxies({ design }: SiteCheckContext, { proxies, noProxy, proxyFile }: MachineNetwork): Verdict {
  const names = [apiName(design), apiIntName(design), `console-openshift-console.${appsDomain(design)}`];
  const isMissing = names.map((name) => !isExcluded(name, noProxy));
  const networks = design.networks.machine.map(({ cidr }) => cidr);
  const missingNetworks = networks.filter((cidr) => !isNetworkExcluded(cidr, noProxy));
  if (proxies.length === 0) return { state: 'ok', detail: words().noProxy };
  // Programs use names of the cluster: a network that is missing alone changes nothing for them.
  if (!isMissing.includes(true)) return { state: 'ok', detail: words().excluded };
  const missing = names
    .filter((_, index) => isMissing[index])
    .map((name) => name.replace('console-openshift-console.', '*.'));
  const entries = [
    ...noProxy.split(/[\s,]+/).filter((entry) => /^[\w.*:/-]+$/.test(entry)),
    `.${clusterDomain(design)}`,
  ];
  const complete = [...new Set([...entries, ...missingNetworks])].join(',');
  const isOfGo = proxies.some(({ name }) => GO_VARIABLES.test(name));
  return {
    state: 'failed',
    severity: isOfGo ? 'warning' : 'note',
    title: words().proxy.title(proxies[0]?.name ?? '', isOfGo),
    detail: words().proxy.detail(proxies, proxyFile, [...missing, ...missingNetworks]),
    remedy: words().proxy.remedy(complete, proxyFile),
  };
}

/** Whether a no_proxy list contains a host, as golang.org/x/net/http/httpproxy reads it. */
function isExcluded(host: string, noProxy: string): boolean {
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

/** Whether one entry contains a whole network. */
function isNetworkExcluded(cidr: string, noProxy: string): boolean {
  const [network = '', length = ''] = cidr.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  return noProxy.split(',').some((entry) => {
    const [other = '', prefix = ''] = entry.trim().split('/');
    if (entry.trim() === '*') return true;
    if (isIP(other) !== isIP(network) || !/^\d{1,3}$/.test(prefix) || Number(prefix) > Number(length)) return false;
    const list = new BlockList();
    list.addSubnet(other, Number(prefix), family);
    return list.check(network, family);
  });
}
