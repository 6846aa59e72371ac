import { createServer, type Server } from 'node:net';
import type { Design } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { Lease } from './dhcp.ts';
import { buildOffer, parseDiscover } from './dhcp-message.ts';
import type { DhcpNetwork } from './dhcp-network.ts';
import { buildTimeResponse } from './time-server.ts';
import { startUdpService } from './udp-service.ts';

const [SSH_PORT, DHCP_PORT, NTP_PORT] = [22, 67, 123];
/** Destination of a machine without an address; the site maps the broadcast address like any other. */
const BROADCAST_ADDRESS = '255.255.255.255';

/** Returns the offer of a foreign DHCP server to a machine; null: none. */
export type GetForeignOffer = (mac: string) => { readonly lease: Lease; readonly server: string } | null;

/**
 * Starts the services that the bastion can probe: each DHCP server, all of them by broadcast, the time servers, and
 * sshd of the service hosts. This sshd sends its version and refuses every login.
 */
export async function startNetworkServices(options: {
  readonly design: Design;
  readonly hosts: readonly { readonly name: string; readonly ip: readonly string[] }[];
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly dhcp: DhcpNetwork;
  readonly getForeignOffer: GetForeignOffer;
  readonly log: (line: string) => void;
}): Promise<{ stop(): void }> {
  const { design, hosts, addresses, clock, dhcp, getForeignOffer, log } = options;
  const services: { stop(): void }[] = [];
  const startUdp = async (address: string, port: number, answer: (message: Buffer) => readonly Buffer[]) => {
    const service = startUdpService(addresses.loopback(address), addresses.port(port), answer);
    const found = await service.catch((error: Error) => log(`${address} port ${port}: ${error.message}`));
    if (found) services.push(found);
  };
  const buildOffers = (message: Buffer, host: string | null): readonly Buffer[] => {
    const request = parseDiscover(message);
    if (request === null) return [];
    const ownOffers = dhcp.collectOffers(request.client, host, request.relay);
    const foreignOffer = host === null ? getForeignOffer(request.client.mac) : null;
    return [...(foreignOffer === null ? [] : [foreignOffer]), ...ownOffers].map(({ lease, server }) =>
      buildOffer(message, lease, server),
    );
  };
  const filterIpv4 = (all: readonly string[]) => all.filter((address) => !address.includes(':'));
  for (const { name, ip } of hosts) {
    for (const address of filterIpv4(ip)) await startUdp(address, DHCP_PORT, (message) => buildOffers(message, name));
    for (const address of ip) services.push(startSshd(addresses.loopback(address), addresses.port(SSH_PORT), log));
  }
  await startUdp(BROADCAST_ADDRESS, DHCP_PORT, (message) => buildOffers(message, null));
  for (const server of design.services.time.servers)
    await startUdp(server, NTP_PORT, (message) => {
      const answer = buildTimeResponse(message, clock);
      return answer === null ? [] : [answer];
    });
  return {
    stop() {
      for (const each of services.splice(0)) each.stop();
    },
  };
}

function startSshd(address: string, port: number, log: (line: string) => void): { stop(): void } {
  const server: Server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.write('SSH-2.0-OpenSSH_9.9\r\n');
    socket.resume();
    socket.unref();
  });
  server.on('error', (error) => log(`sshd at ${address}: ${error.message}`));
  server.listen(port, address);
  return { stop: () => void server.close() };
}
