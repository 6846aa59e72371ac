import { type FirmwarePrograms, listFirmwarePrograms } from '../../artifacts/boot/programs.ts';
import { dhcpHost, dhcpPlan } from '../../artifacts/dhcp/plan.ts';
import { filterIpv4 } from '../../artifacts/network/addresses.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { DhcpOffer, ProbeAnswer } from '../../probes/probe-types.ts';
import { DHCP_INTERFACE_CHECK } from './as-the-server.ts';
import { getNetworkBoot } from './boot-files.ts';
import { ask, type Site, type SiteResult, siteChecksIn, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = siteChecksIn('dhcp');

/** Checks of the DHCP server: its offers to the planned machines. */
export const DHCP_CHECKS = [
  DHCP_INTERFACE_CHECK,
  /** The DHCP server answers at least one machine. Only this check reports a silent server. */
  check('dhcp-server', 'fatal', (site) => {
    const dhcp = planOffers(site.design);
    if (dhcp === null) return [];
    return [
      queryDhcp(site, dhcp, dhcp.server, (answer) => {
        if (answer.relay !== 'asked') return unknownVerdict(answer.relay);
        const count = dhcp.machines.filter((machine) => findOffer(dhcp, machine, answer) !== null).length;
        return { state: count > 0 ? 'ok' : 'failed', detail: words().offered(count, dhcp.machines.length) };
      }),
    ];
  }),
  /** Each planned MAC address is offered the planned address, with the name servers of the design. */
  check('dhcp-leases', 'fatal', (site) =>
    queryMachines(site, ({ address }, offer, { nameServers }) => {
      if (offer.address !== address) return { state: 'failed', detail: words().otherLease(offer.address, address) };
      return nameServers.every((each) => offer.nameServers.includes(each))
        ? { state: 'ok', detail: words().lease(offer.address, offer.gateways) }
        : { state: 'failed', detail: words().otherNameServers(offer.nameServers, nameServers) };
    }),
  ),
  /** The default gateway in each offer: with a wrong one, hosts outside of the network are unreachable. */
  check('dhcp-gateway', 'fatal', (site) =>
    queryMachines(
      site,
      ({ gateway }, { gateways }) =>
        gateway === null || gateways[0] === gateway
          ? { state: 'ok', detail: gateways.join(', ') }
          : { state: 'failed', detail: words().otherGateway(gateways, gateway) },
      // A missing offer is reported by the check of its address.
      { withoutOffer: 'unknown', isQueried: ({ gateway }) => gateway !== null },
    ),
  ),
  /** The boot file and server in each offer: with a wrong server or file, the machine does not boot. */
  check('dhcp-boot', 'fatal', (site) => {
    const boot = getNetworkBoot(site.design);
    if (boot === null) return [];
    return queryMachines(site, ({ file }, offer) => {
      const detail = words().bootFile(offer.file, offer.nextServer);
      if (file === null) return { state: 'unknown', detail };
      return offer.file === file && offer.nextServer === boot.tftpServer
        ? { state: 'ok', detail }
        : { state: 'failed', detail: words().otherBoot(detail, words().bootFile(file, boot.tftpServer)) };
    });
  }),
  /** No other DHCP server answers: a machine takes the first offer that it gets. */
  check('dhcp-foreign', 'fatal', (site) => {
    const dhcp = planOffers(site.design);
    if (dhcp === null) return [];
    return [
      queryDhcp(site, dhcp, null, ({ broadcast, offers }) => {
        const others = offers.filter(({ server }) => !dhcp.serverAddresses.includes(server));
        const texts = others.map(({ server, address }) => words().foreignOffer(server, address));
        if (texts.length > 0) return { state: 'failed', detail: [...new Set(texts)].join(', ') };
        return broadcast === 'asked' ? { state: 'ok', detail: words().noOtherServer } : unknownVerdict(broadcast);
      }),
    ];
  }),
];

type PlannedOffers = NonNullable<ReturnType<typeof planOffers>>;
type PlannedOffer = PlannedOffers['machines'][number];

/**
 * Plans the offers of the DHCP server to the nodes; null if it has no IPv4 address, or nodes get their addresses in
 * another way. The queries act as the most common firmware: UEFI that boots by TFTP.
 */
export function planOffers(design: Design) {
  const host = dhcpHost(design);
  const [server] = filterIpv4(host?.ip ?? []);
  if (host === null || server === undefined) return null;
  const plan = dhcpPlan(design);
  const firmware = plan.boot === null ? undefined : listFirmwarePrograms(design.openshift.architecture).find(isUefi);
  return {
    server,
    serverAddresses: host.ip,
    nameServers: plan.nameServers,
    architecture: firmware?.codes[0] ?? null,
    machines: plan.subnets.flatMap(({ nodes, gateway, address: network }) =>
      nodes.map(({ name, mac, address, secureBoot }) => ({
        ...{ node: name, mac, address, network, gateway },
        /** Null: the offer names no boot file. */
        file: (secureBoot ? firmware?.signed : firmware?.program) ?? null,
      })),
    ),
  };
}

function isUefi({ codes, isHttp }: FirmwarePrograms): boolean {
  return !isHttp && !codes.includes(0);
}

/**
 * Queries the offer to each machine.
 * @param withoutOffer state of a machine without an offer
 */
function queryMachines(
  site: Site,
  evaluate: (planned: PlannedOffer, offer: DhcpOffer, dhcp: PlannedOffers) => Verdict,
  {
    withoutOffer = 'failed',
    isQueried = () => true,
  }: {
    readonly withoutOffer?: 'failed' | 'unknown';
    readonly isQueried?: (machine: PlannedOffer) => boolean;
  } = {},
): Promise<SiteResult>[] {
  const dhcp = planOffers(site.design);
  if (dhcp === null) return [];
  return dhcp.machines.filter(isQueried).map((machine) =>
    queryDhcp(site, dhcp, `${machine.node} ${machine.mac}`, (answer) => {
      if (answer.relay !== 'asked') return unknownVerdict(answer.relay);
      const offer = findOffer(dhcp, machine, answer);
      if (offer !== null) return evaluate(machine, offer, dhcp);
      return dhcp.machines.every((each) => findOffer(dhcp, each, answer) === null)
        ? { state: 'unknown', detail: words().noDhcpAnswer(dhcp.server) }
        : { state: withoutOffer, detail: words().noOffer };
    }),
  );
}

function findOffer(
  { serverAddresses }: PlannedOffers,
  { mac }: PlannedOffer,
  { offers }: ProbeAnswer<'dhcp'>,
): DhcpOffer | null {
  return offers.find((offer) => offer.mac === mac.toLowerCase() && serverAddresses.includes(offer.server)) ?? null;
}

function unknownVerdict(reason: Exclude<ProbeAnswer<'dhcp'>['relay'], 'asked'>): Verdict {
  return { state: 'unknown', detail: words().dhcpUnmeasurable[reason] };
}

/** @param subject null: the whole network is queried */
function queryDhcp(
  site: Site,
  { server, architecture, machines }: PlannedOffers,
  subject: string | null,
  evaluate: (answer: ProbeAnswer<'dhcp'>) => Verdict,
): Promise<SiteResult> {
  const question = { server, machines: machines.map(({ mac, network }) => ({ mac, network })), architecture };
  const command =
    subject === null
      ? 'nmap --script broadcast-dhcp-discover'
      : `journalctl -u dhcpd -u isc-dhcp-server -u kea-dhcp4 -u kea-dhcp4-server --since -10min`;
  return ask(site, 'dhcp', question, { subject: subject ?? words().wholeNetwork, command }, evaluate);
}
