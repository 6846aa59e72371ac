import { catalogue } from '../../i18n/catalogue.ts';
import type { DhcpOffer, ProbeAnswer } from '../../probes/probe-types.ts';
import type { ExpectedSite } from './expected-site.ts';
import { type Query, type QueryVerdict, query, type SiteCheck } from './query.ts';

const words = () => catalogue().diagnosis.site.said;

type ExpectedDhcp = NonNullable<ExpectedSite['dhcp']>;
type PlannedMachine = ExpectedDhcp['machines'][number];

/** The DHCP server answers at least one machine. Only this check reports a silent server. */
export const dhcpServer: SiteCheck<'dhcp-server'> = {
  code: 'dhcp-server',
  phase: 'dhcp',
  severity: 'fatal',
  listQueries: ({ dhcp }) =>
    dhcp === null
      ? []
      : [
          queryDhcp(dhcp, dhcp.server, (answer) => {
            if (answer.relay !== 'asked') return unknownVerdict(answer.relay);
            const count = dhcp.machines.filter((machine) => findOffer(dhcp, machine, answer) !== null).length;
            return { state: count > 0 ? 'ok' : 'failed', detail: words().offered(count, dhcp.machines.length) };
          }),
        ],
};

/** Each planned MAC address is offered the planned address, with the name servers of the design. */
export const dhcpLeases: SiteCheck<'dhcp-leases'> = {
  code: 'dhcp-leases',
  phase: 'dhcp',
  severity: 'fatal',
  listQueries: ({ dhcp }) =>
    queryMachines(dhcp, (server, { address }, offer) => {
      if (offer.address !== address) return { state: 'failed', detail: words().otherLease(offer.address, address) };
      const isKnown = server.nameServers.every((each) => offer.nameServers.includes(each));
      return isKnown
        ? { state: 'ok', detail: words().lease(offer.address, offer.gateways) }
        : { state: 'failed', detail: words().otherNameServers(offer.nameServers, server.nameServers) };
    }),
};

/** The default gateway in each offer: with a wrong one, hosts outside of the network are unreachable. */
export const dhcpGateway: SiteCheck<'dhcp-gateway'> = {
  code: 'dhcp-gateway',
  phase: 'dhcp',
  severity: 'fatal',
  listQueries: ({ dhcp }) =>
    queryMachines(
      dhcp === null ? null : { ...dhcp, queriedMachines: dhcp.machines.filter(({ gateway }) => gateway !== null) },
      (_, { gateway }, { gateways }) => {
        if (gateway === null || gateways[0] === gateway) return { state: 'ok', detail: gateways.join(', ') };
        return { state: 'failed', detail: words().otherGateway(gateways, gateway) };
      },
      // A missing offer is reported by the check of its address.
      'unknown',
    ),
};

/** The boot file and server in each offer: with a wrong server or file, the machine does not boot. */
export const dhcpBoot: SiteCheck<'dhcp-boot'> = {
  code: 'dhcp-boot',
  phase: 'dhcp',
  severity: 'fatal',
  listQueries: ({ dhcp, boot }) =>
    boot === null
      ? []
      : queryMachines(dhcp, (_, { file }, offer) => {
          const detail = words().bootFile(offer.file, offer.nextServer);
          if (file === null) return { state: 'unknown', detail };
          const isExpected = offer.file === file && offer.nextServer === boot.tftpServer;
          return isExpected
            ? { state: 'ok', detail }
            : { state: 'failed', detail: words().otherBoot(detail, words().bootFile(file, boot.tftpServer)) };
        }),
};

/** No other DHCP server answers: a machine takes the first offer that it gets. */
export const dhcpForeign: SiteCheck<'dhcp-foreign'> = {
  code: 'dhcp-foreign',
  phase: 'dhcp',
  severity: 'fatal',
  listQueries: ({ dhcp }) =>
    dhcp === null
      ? []
      : [
          queryDhcp(dhcp, null, ({ broadcast, offers }) => {
            const others = offers.filter(({ server }) => !dhcp.serverAddresses.includes(server));
            const texts = others.map(({ server, address }) => words().foreignOffer(server, address));
            if (texts.length > 0) return { state: 'failed', detail: [...new Set(texts)].join(', ') };
            return broadcast === 'asked' ? { state: 'ok', detail: words().noOtherServer } : unknownVerdict(broadcast);
          }),
        ],
};

function queryMachines(
  dhcp: (ExpectedDhcp & { readonly queriedMachines?: readonly PlannedMachine[] }) | null,
  evaluate: (server: ExpectedDhcp, machine: PlannedMachine, offer: DhcpOffer) => QueryVerdict,
  withoutOffer: 'failed' | 'unknown' = 'failed',
): readonly Query[] {
  if (dhcp === null) return [];
  return (dhcp.queriedMachines ?? dhcp.machines).map((machine) =>
    queryDhcp(dhcp, `${machine.node} ${machine.mac}`, (answer) => {
      if (answer.relay !== 'asked') return unknownVerdict(answer.relay);
      const offer = findOffer(dhcp, machine, answer);
      if (offer !== null) return evaluate(dhcp, machine, offer);
      const isSilent = dhcp.machines.every((each) => findOffer(dhcp, each, answer) === null);
      return isSilent
        ? { state: 'unknown', detail: words().noDhcpAnswer(dhcp.server) }
        : { state: withoutOffer, detail: words().noOffer };
    }),
  );
}

function findOffer(
  { serverAddresses }: ExpectedDhcp,
  { mac }: PlannedMachine,
  { offers }: ProbeAnswer<'dhcp'>,
): DhcpOffer | null {
  return offers.find((offer) => offer.mac === mac.toLowerCase() && serverAddresses.includes(offer.server)) ?? null;
}

function unknownVerdict(reason: Exclude<ProbeAnswer<'dhcp'>['relay'], 'asked'>): QueryVerdict {
  return { state: 'unknown', detail: words().dhcpUnmeasurable[reason] };
}

/** @param about null: the whole network is queried */
function queryDhcp(
  dhcp: ExpectedDhcp,
  about: string | null,
  evaluate: (answer: ProbeAnswer<'dhcp'>) => QueryVerdict,
): Query {
  const { server, architecture } = dhcp;
  const machines = dhcp.machines.map(({ mac, network }) => ({ mac, network }));
  const command =
    about === null
      ? 'nmap --script broadcast-dhcp-discover'
      : `journalctl -u dhcpd -u isc-dhcp-server -u kea-dhcp4 -u kea-dhcp4-server --since -10min`;
  return query(
    'dhcp',
    { server, machines, architecture },
    { subject: about ?? words().wholeNetwork, command },
    evaluate,
  );
}
