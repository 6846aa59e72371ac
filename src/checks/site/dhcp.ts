import { type FirmwarePrograms, listFirmwarePrograms } from '../../artifacts/boot/programs.ts';
import { type DhcpBoot, deriveDhcpSettings } from '../../artifacts/dhcp/settings.ts';
import { filterIpv4 } from '../../artifacts/network/addresses.ts';
import { findDhcpHost } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { DhcpClient, DhcpOffer, ProbeAnswer } from '../../probes/probe-types.ts';
import { DHCP_LOG_COMMAND } from '../boot/dhcp-log.ts';
import { getNetworkBoot } from './boot-files.ts';
import { DHCP_INTERFACE_CHECK } from './server-access.ts';
import {
  createSiteCheckFactory,
  formatHostCommand,
  querySite,
  type SiteCheckContext,
  type SiteResult,
  type Verdict,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = createSiteCheckFactory('dhcp');

/** Checks of the DHCP server: its offers to the planned machines. */
export const DHCP_CHECKS = [
  DHCP_INTERFACE_CHECK,
  /** The DHCP server answers at least one machine. Only this check reports a silent server. */
  check('dhcp-server', 'fatal', (site) => {
    const dhcp = planOffers(site.design);
    if (dhcp === null) return [];
    return [
      queryDhcp(site, dhcp, dhcp.server, (answer) => {
        if (answer.relay !== 'queried') return createUnknownVerdict(answer.relay);
        const count = dhcp.machines.filter((machine) => findOffer(dhcp, machine, answer) !== null).length;
        return { state: count > 0 ? 'ok' : 'failed', detail: words().offered(count, dhcp.machines.length) };
      }),
    ];
  }),
  /** Each planned MAC address is offered the planned address, with the name servers of the design. */
  check('dhcp-leases', 'fatal', (site) =>
    queryMachines(site, ({ address }, offer, { nameServers }) => {
      if (offer.address !== address) return { state: 'failed', detail: words().otherLease(offer.address, address) };
      if (offer.nameServers.join() === nameServers.join())
        return { state: 'ok', detail: words().lease(offer.address, offer.gateways) };
      // The order is secondary: all of these name servers know the cluster.
      const isOtherOrder = offer.nameServers.toSorted().join() === nameServers.toSorted().join();
      const detail = words().otherNameServers(offer.nameServers, nameServers);
      return { state: 'failed', detail, ...(isOtherOrder ? { severity: 'warning' } : {}) };
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
      // The check `dhcp-leases` reports a missing offer.
      { stateWithoutOffer: 'unknown', shouldQuery: ({ gateway }) => gateway !== null },
    ),
  ),
  /** The options that decide the network, the name and the clock of a node. Other options may be missing. */
  check('dhcp-options', 'fatal', (site) =>
    queryMachines(
      site,
      (machine, offer, dhcp) => {
        const differences = listOptionDifferences(machine, offer, dhcp);
        const detail = differences.map(({ text }) => text).join('; ');
        if (detail === '') return { state: 'ok', detail: words().optionsAsGenerated };
        const isFatal = differences.some((difference) => difference.isFatal);
        return { state: 'failed', detail, severity: isFatal ? 'fatal' : 'warning' };
      },
      { stateWithoutOffer: 'unknown' },
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
  /**
   * The boot file for each kind of firmware, and the script for iPXE, which sends a second request: one machine
   * represents all.
   */
  check('dhcp-firmware', 'fatal', (site) => {
    const [dhcp, boot] = [planOffers(site.design), getNetworkBoot(site.design)];
    if (dhcp === null || boot === null) return [];
    return dhcp.firmwareQueries.map((firmwareQuery) =>
      queryDhcp(
        site,
        dhcp,
        `${firmwareQuery.node} ${words().firmware[firmwareQuery.client.kind](firmwareQuery.client.architecture)}`,
        (answer) => {
          if (answer.relay !== 'queried') return createUnknownVerdict(answer.relay);
          const offer = answer.offers.find(
            (candidate) =>
              isFromPlannedServer(dhcp, candidate) &&
              candidate.mac === firmwareQuery.mac.toLowerCase() &&
              candidate.client?.kind === firmwareQuery.client.kind &&
              candidate.client.architecture === firmwareQuery.client.architecture,
          );
          // The check `dhcp-leases` reports a machine that gets no offer at all.
          if (offer === undefined) return { state: 'unknown', detail: words().noOffer };
          return evaluateBootFile(firmwareQuery, offer, boot.tftpServer);
        },
      ),
    );
  }),
  /** No other DHCP server answers: a machine takes the first offer that it gets. */
  check('dhcp-foreign', 'fatal', (site) => {
    const dhcp = planOffers(site.design);
    if (dhcp === null) return [];
    return [
      queryDhcp(site, dhcp, null, ({ broadcast, offers }) => {
        const otherOffers = offers.filter(({ server }) => !dhcp.serverAddresses.includes(server));
        const texts = otherOffers.map(({ server, address, serverMac }) =>
          words().foreignOffer(server, address, serverMac ?? null),
        );
        if (texts.length > 0) return { state: 'failed', detail: [...new Set(texts)].join(', ') };
        return broadcast === 'queried'
          ? { state: 'ok', detail: words().noOtherServer }
          : createUnknownVerdict(broadcast);
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
  const host = findDhcpHost(design);
  const [server] = filterIpv4(host?.ip ?? []);
  if (host === null || server === undefined) return null;
  const plan = deriveDhcpSettings(design);
  const firmware =
    plan.boot === null ? undefined : listFirmwarePrograms(design.openshift.architecture).find(isUefiTftp);
  const machines = plan.subnets.flatMap(({ nodes, gateway, netmask, address: network }) =>
    nodes.map(({ name, fqdn, mac, address, secureBoot }) => ({
      ...{ node: name, fqdn, mac, address, network, netmask, gateway, secureBoot },
      /** Null: the offer names no boot file. */
      file: (secureBoot ? firmware?.signedProgram : firmware?.program) ?? null,
    })),
  );
  return {
    server,
    serverAddresses: host.ip,
    nameServers: plan.nameServers,
    timeServers: plan.timeServers,
    domain: plan.clusterDomain,
    architecture: firmware?.codes[0] ?? null,
    machines,
    firmwareQueries: plan.boot === null ? [] : planFirmwareQueries(plan.boot, machines),
  };
}

interface FirmwareQuery {
  readonly node: string;
  readonly mac: string;
  readonly network: string;
  readonly client: DhcpClient;
  readonly file: string;
}

/** Plans queries as each kind of firmware and as iPXE: for a machine of the design, and for one with Secure Boot. */
function planFirmwareQueries(
  { script, firmware }: DhcpBoot,
  machines: readonly (Pick<FirmwareQuery, 'node' | 'mac' | 'network'> & { readonly secureBoot: boolean })[],
): FirmwareQuery[] {
  const [usualMachine, secureBootMachine] = [
    machines.find((candidate) => !candidate.secureBoot),
    machines.find((candidate) => candidate.secureBoot),
  ];
  const createQueries = (machine: typeof usualMachine, client: DhcpClient, file: string | null): FirmwareQuery[] => {
    if (machine === undefined || file === null) return [];
    const { node, mac, network } = machine;
    return [{ node, mac, network, client, file }];
  };
  const firmwareQueries = firmware.flatMap(({ codes, isHttp, program, signedProgram }) =>
    codes.flatMap((code) => {
      const architecture = Number.parseInt(code.replaceAll(':', ''), 16);
      const client = { kind: isHttp ? ('http' as const) : ('tftp' as const), architecture };
      return [
        ...createQueries(usualMachine, client, program),
        ...createQueries(secureBootMachine, client, signedProgram),
      ];
    }),
  );
  const [{ client } = { client: null }] = firmwareQueries;
  return client === null
    ? []
    : [...firmwareQueries, ...createQueries(usualMachine, { kind: 'ipxe', architecture: client.architecture }, script)];
}

function evaluateBootFile({ client, file }: FirmwareQuery, offer: DhcpOffer, tftpServer: string): Verdict {
  const detail = words().bootFile(offer.file, offer.nextServer);
  const hasPlannedServer = client.kind !== 'tftp' || offer.nextServer === tftpServer;
  if (offer.file !== file || !hasPlannedServer)
    return { state: 'failed', detail: words().otherBoot(detail, words().bootFile(file, tftpServer)) };
  // UEFI specification 24.7.3.1: firmware ignores an offer with another vendor class.
  if (client.kind === 'http' && offer.vendorClass !== HTTP_CLIENT)
    return { state: 'failed', detail: words().noHttpClient };
  return { state: 'ok', detail };
}

const HTTP_CLIENT = 'HTTPClient';
/** A machine renews its lease after half of this time, and reboots more than once during its installation. */
const MIN_LEASE_SECONDS = 3600;
const USUAL_MTU = 1500;

/** Lists what differs from the generated configuration; `isFatal`: the node does not work with it. */
function listOptionDifferences(
  machine: PlannedOffer,
  offer: DhcpOffer,
  { domain, timeServers }: PlannedOffers,
): { readonly text: string; readonly isFatal: boolean }[] {
  const { options } = words();
  const compareOption = (name: string, actual: string, expected: string, isFatal: boolean) =>
    actual === expected ? [] : [{ text: options.other(name, actual, expected), isFatal }];
  const { mtu, leaseSeconds, searchDomains } = offer;
  return [
    ...compareOption(options.netmask, offer.netmask ?? '', machine.netmask, true),
    ...compareOption(options.hostName, offer.hostName ?? '', machine.fqdn, true),
    ...compareOption(options.domain, offer.domain ?? '', domain, false),
    // Without a search list, the domain is searched.
    ...(searchDomains.length === 0 ? [] : compareOption(options.search, searchDomains.join(', '), domain, false)),
    ...compareOption(options.time, offer.timeServers.toSorted().join(', '), timeServers.toSorted().join(', '), false),
    ...(mtu === null || mtu === USUAL_MTU ? [] : [{ text: options.mtu(mtu), isFatal: false }]),
    ...(leaseSeconds === null || leaseSeconds >= MIN_LEASE_SECONDS
      ? []
      : [{ text: options.lease(leaseSeconds), isFatal: false }]),
  ];
}

function isUefiTftp({ codes, isHttp }: FirmwarePrograms): boolean {
  return !isHttp && !codes.includes(0);
}

/**
 * Queries the offer to each machine.
 * @param stateWithoutOffer the state of the result for a machine that gets no offer
 */
function queryMachines(
  site: SiteCheckContext,
  evaluate: (machine: PlannedOffer, offer: DhcpOffer, dhcp: PlannedOffers) => Verdict,
  {
    stateWithoutOffer = 'failed',
    shouldQuery = () => true,
  }: {
    readonly stateWithoutOffer?: 'failed' | 'unknown';
    readonly shouldQuery?: (machine: PlannedOffer) => boolean;
  } = {},
): Promise<SiteResult>[] {
  const dhcp = planOffers(site.design);
  if (dhcp === null) return [];
  return dhcp.machines.filter(shouldQuery).map((machine) =>
    queryDhcp(site, dhcp, `${machine.node} ${machine.mac}`, (answer) => {
      if (answer.relay !== 'queried') return createUnknownVerdict(answer.relay);
      const offer = findOffer(dhcp, machine, answer);
      if (offer !== null) return evaluate(machine, offer, dhcp);
      return dhcp.machines.every((candidate) => findOffer(dhcp, candidate, answer) === null)
        ? { state: 'unknown', detail: words().noDhcpAnswer(dhcp.server) }
        : { state: stateWithoutOffer, detail: words().noOffer };
    }),
  );
}

function findOffer(
  dhcp: PlannedOffers,
  { mac }: Pick<PlannedOffer, 'mac'>,
  { offers }: ProbeAnswer<'dhcp'>,
): DhcpOffer | null {
  const machineOffers = offers.filter((offer) => offer.mac === mac.toLowerCase() && offer.client === undefined);
  return machineOffers.find((offer) => isFromPlannedServer(dhcp, offer)) ?? null;
}

function isFromPlannedServer({ serverAddresses }: PlannedOffers, { server }: DhcpOffer): boolean {
  return serverAddresses.includes(server);
}

function createUnknownVerdict(reason: Exclude<ProbeAnswer<'dhcp'>['relay'], 'queried'>): Verdict {
  return { state: 'unknown', detail: words().dhcpUnmeasurable[reason] };
}

/** Queries the DHCP server. `subject` null: the result is about the whole network. */
function queryDhcp(
  site: SiteCheckContext,
  { server, architecture, machines, firmwareQueries }: PlannedOffers,
  subject: string | null,
  evaluate: (answer: ProbeAnswer<'dhcp'>) => Verdict,
): Promise<SiteResult> {
  const machineQueries = machines.map(({ mac, network }) => ({ mac, network }));
  const clientQueries = firmwareQueries.map(({ mac, network, client }) => ({ mac, network, client }));
  const query = { server, machines: [...machineQueries, ...clientQueries], architecture };
  const host = findDhcpHost(site.design);
  const logCommand = `sudo ${DHCP_LOG_COMMAND} --since -10min`;
  const command =
    subject === null
      ? 'sudo nmap --script broadcast-dhcp-discover'
      : host === null
        ? logCommand
        : formatHostCommand(site, host, logCommand);
  return querySite(site, 'dhcp', query, { subject: subject ?? words().wholeNetwork, command }, evaluate);
}
