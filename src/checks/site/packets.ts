import { getStatsPort } from '../../artifacts/network/firewall.ts';
import { listNodesWithRole, listServiceHosts } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { listBalancers } from './load-balancer.ts';
import { createSiteCheckFactory, isLocalHost, querySite, readHostNetworkState, type SiteCheckContext } from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = createSiteCheckFactory('hosts');

/** Each host that is off takes a second, and many workers prove nothing new. */
const MAX_NODES = 12;
const USUAL_MTU = 1500;

/** Checks of the network between this machine and the other hosts, whatever services run on them. */
export const PACKET_CHECKS = [
  /**
   * Packets of the usual size arrive as small ones do. Otherwise connections open, and every answer that is larger than
   * a packet hangs: certificates, images, large DNS answers.
   */
  check('packet-size', 'fatal', (site) =>
    listTargets(site).map(({ name, host, page, server }) => {
      const command = `ping -c 2 -M do -s 1472 ${host}; ping -c 2 -M do -s 1000 ${host}`;
      return querySite(site, 'packets', { host, page }, { subject: `${name} ${host}`, command }, async (answer) => {
        if (answer.state !== 'lost')
          return answer.state === 'passed'
            ? { state: 'ok', detail: words().packets.passed }
            : { state: 'unknown', detail: words().packets.silent };
        const { size, passingSize, isPageStalled } = answer;
        const networkState = server === null ? null : await readHostNetworkState(site, server);
        const smallMtuInterface = networkState?.interfaces.find(
          ({ mtu = USUAL_MTU, addresses }) =>
            mtu < USUAL_MTU && addresses.some((address) => address.startsWith(`${host}/`)),
        );
        const reason =
          smallMtuInterface === undefined
            ? null
            : words().smallMtu(name, smallMtuInterface.name, smallMtuInterface.mtu ?? 0);
        return {
          state: 'failed',
          detail: words().packets.lost(size, passingSize, isPageStalled === true, reason),
          ...(smallMtuInterface === undefined ? {} : { remedy: words().raiseMtu(name, smallMtuInterface.name) }),
        };
      });
    }),
  ),
];

/**
 * Lists the service hosts and some of the nodes. `page` is the URL of a load balancer's status page, which is larger
 * than a packet; null for all others.
 */
function listTargets(site: SiteCheckContext) {
  const { design } = site;
  const balancers = new Set(listBalancers(site).map(({ name }) => name));
  const hosts = listServiceHosts(design)
    .filter((host) => !isLocalHost(site, host))
    .map((host) => {
      const page = `http://${formatUrlHost(host.ip[0])}:${getStatsPort(design, host)}/`;
      return { name: host.name, host: host.ip[0], server: host, page: balancers.has(host.name) ? page : null };
    });
  const apiNodes = listNodesWithRole(design, 'bootstrap', 'control-plane');
  const nodes = [...apiNodes, ...design.nodes.filter((node) => !apiNodes.includes(node))].slice(0, MAX_NODES);
  return [
    ...hosts,
    ...nodes.flatMap(({ name, ip }) => ip.slice(0, 1).map((host) => ({ name, host, page: null, server: null }))),
  ];
}
