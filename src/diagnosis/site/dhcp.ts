import { catalogue } from '../../text/catalogue.ts';
import type { Answer, DhcpOffer } from './exchange.ts';
import { type Ask, ask, type SiteCheck, type Verdict } from './question.ts';
import type { Site } from './site.ts';

const words = () => catalogue().diagnosis.site.said;

type Dhcp = NonNullable<Site['dhcp']>;
type Planned = Dhcp['machines'][number];

/** The DHCP server answers at least one machine: that it is silent is said once, by this check. */
export const dhcpServer: SiteCheck<'dhcp-server'> = {
  code: 'dhcp-server',
  phase: 'dhcp',
  severity: 'fatal',
  asks: ({ dhcp }) =>
    dhcp === null
      ? []
      : [
          askServer(dhcp, dhcp.server, (answer) => {
            if (answer.relay !== 'asked') return unseen(answer.relay);
            const count = dhcp.machines.filter((machine) => offerFor(dhcp, machine, answer) !== null).length;
            return { state: count > 0 ? 'ok' : 'failed', detail: words().offered(count, dhcp.machines.length) };
          }),
        ],
};

/** Each planned MAC address is offered the planned address, with the name servers of the design. */
export const dhcpLeases: SiteCheck<'dhcp-leases'> = {
  code: 'dhcp-leases',
  phase: 'dhcp',
  severity: 'fatal',
  asks: ({ dhcp }) =>
    eachMachine(dhcp, (server, { address }, offer) => {
      if (offer.address !== address) return { state: 'failed', detail: words().otherLease(offer.address, address) };
      const isKnown = server.nameServers.every((each) => offer.nameServers.includes(each));
      return isKnown
        ? { state: 'ok', detail: words().lease(offer.address, offer.gateways) }
        : { state: 'failed', detail: words().otherNameServers(offer.nameServers, server.nameServers) };
    }),
};

/** The way out of its network that each is offered: with another one nothing outside is reached. */
export const dhcpGateway: SiteCheck<'dhcp-gateway'> = {
  code: 'dhcp-gateway',
  phase: 'dhcp',
  severity: 'fatal',
  asks: ({ dhcp }) =>
    eachMachine(
      dhcp === null ? null : { ...dhcp, asked: dhcp.machines.filter(({ gateway }) => gateway !== null) },
      (_, { gateway }, { gateways }) => {
        if (gateway === null || gateways[0] === gateway) return { state: 'ok', detail: gateways.join(', ') };
        return { state: 'failed', detail: words().otherGateway(gateways, gateway) };
      },
      // That it gets no offer is told of its address.
      'unknown',
    ),
};

/** What the firmware is told to start: another server's file leads a machine nowhere. */
export const dhcpBoot: SiteCheck<'dhcp-boot'> = {
  code: 'dhcp-boot',
  phase: 'dhcp',
  severity: 'fatal',
  asks: ({ dhcp, boot }) =>
    boot === null
      ? []
      : eachMachine(dhcp, (_, { file }, offer) => {
          const detail = words().bootFile(offer.file, offer.nextServer);
          if (file === null) return { state: 'unknown', detail };
          const isRight = offer.file === file && offer.nextServer === boot.tftpServer;
          return isRight
            ? { state: 'ok', detail }
            : { state: 'failed', detail: words().otherBoot(detail, words().bootFile(file, boot.tftpServer)) };
        }),
};

/** Nobody else answers: a machine takes the first offer that it gets. */
export const dhcpForeign: SiteCheck<'dhcp-foreign'> = {
  code: 'dhcp-foreign',
  phase: 'dhcp',
  severity: 'fatal',
  asks: ({ dhcp }) =>
    dhcp === null
      ? []
      : [
          askServer(dhcp, null, ({ broadcast, offers }) => {
            const others = offers.filter(({ server }) => !dhcp.own.includes(server));
            const said = others.map(({ server, address }) => words().foreignOffer(server, address));
            if (said.length > 0) return { state: 'failed', detail: [...new Set(said)].join(', ') };
            return broadcast === 'asked' ? { state: 'ok', detail: words().nobodyElse } : unseen(broadcast);
          }),
        ],
};

function eachMachine(
  dhcp: (Dhcp & { readonly asked?: readonly Planned[] }) | null,
  judge: (server: Dhcp, machine: Planned, offer: DhcpOffer) => Verdict,
  withoutOffer: 'failed' | 'unknown' = 'failed',
): readonly Ask[] {
  if (dhcp === null) return [];
  return (dhcp.asked ?? dhcp.machines).map((machine) =>
    askServer(dhcp, `${machine.node} ${machine.mac}`, (answer) => {
      if (answer.relay !== 'asked') return unseen(answer.relay);
      const offer = offerFor(dhcp, machine, answer);
      if (offer !== null) return judge(dhcp, machine, offer);
      const isSilent = dhcp.machines.every((each) => offerFor(dhcp, each, answer) === null);
      return isSilent
        ? { state: 'unknown', detail: words().noOffers(dhcp.server) }
        : { state: withoutOffer, detail: words().noOffer };
    }),
  );
}

function offerFor({ own }: Dhcp, { mac }: Planned, { offers }: Answer<'dhcp'>): DhcpOffer | null {
  return offers.find((offer) => offer.mac === mac.toLowerCase() && own.includes(offer.server)) ?? null;
}

function unseen(why: Exclude<Answer<'dhcp'>['relay'], 'asked'>): Verdict {
  return { state: 'unknown', detail: words().dhcpUnseen[why] };
}

/** @param about null: everybody is asked */
function askServer(dhcp: Dhcp, about: string | null, judge: (answer: Answer<'dhcp'>) => Verdict): Ask {
  const { server, architecture } = dhcp;
  const machines = dhcp.machines.map(({ mac, network }) => ({ mac, network }));
  const command =
    about === null
      ? 'nmap --script broadcast-dhcp-discover'
      : `journalctl -u dhcpd -u isc-dhcp-server -u kea-dhcp4 -u kea-dhcp4-server --since -10min`;
  return ask('dhcp', { server, machines, architecture }, { subject: about ?? words().everybody, command }, judge);
}
