import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Design } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import { buildOffer, type Lease, parseDiscover } from './dhcp.ts';
import type { DhcpNetwork } from './dhcp-network.ts';

const [SSH_PORT, DHCP_PORT, NTP_PORT] = [22, 67, 123];
/** Destination of requests from a machine without an address; the site maps this broadcast address like any other. */
const BROADCAST_ADDRESS = '255.255.255.255';

/**
 * Starts the services that the bastion can probe: DHCP servers, time servers, and sshd of the service hosts. DHCP
 * servers also answer at the broadcast address, and sshd sends only its banner.
 */
export async function startNetworkServices(options: {
  readonly design: Design;
  readonly hosts: readonly { readonly name: string; readonly ip: readonly string[] }[];
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly dhcp: DhcpNetwork;
  /** Returns the offer of a foreign DHCP server; null: there is none. */
  readonly getForeignOffer: () => { readonly lease: Lease; readonly server: string } | null;
  readonly log: (line: string) => void;
}): Promise<{ stop(): void }> {
  const { design, hosts, addresses, clock, dhcp, getForeignOffer, log } = options;
  const services: { stop(): void }[] = [];
  const startUdp = async (address: string, port: number, answer: (message: Buffer) => readonly Buffer[]) => {
    const service = startUdpService(addresses.getLoopbackAddress(address), addresses.getLocalPort(port), answer);
    const udpService = await service.catch((error: Error) => log(`${address} port ${port}: ${error.message}`));
    if (udpService) services.push(udpService);
  };
  const buildOffers = (message: Buffer, host: string | null): readonly Buffer[] => {
    const request = parseDiscover(message);
    if (request === null) return [];
    const siteOffers = dhcp.collectOffers(request.client, host, request.relay);
    const foreignOffer = host === null ? getForeignOffer() : null;
    return [...(foreignOffer === null ? [] : [foreignOffer]), ...siteOffers].map(({ lease, server }) =>
      buildOffer(message, lease, server),
    );
  };
  const filterIpv4 = (hostAddresses: readonly string[]) => hostAddresses.filter((address) => !address.includes(':'));
  for (const { name, ip } of hosts) {
    for (const address of filterIpv4(ip)) await startUdp(address, DHCP_PORT, (message) => buildOffers(message, name));
    for (const address of ip)
      services.push(startSshd(addresses.getLoopbackAddress(address), addresses.getLocalPort(SSH_PORT), log));
  }
  await startUdp(BROADCAST_ADDRESS, DHCP_PORT, (message) => buildOffers(message, null));
  for (const server of design.services.time.servers)
    await startUdp(server, NTP_PORT, (message) => buildTimeResponses(message, clock));
  return {
    stop() {
      for (const service of services.splice(0)) service.stop();
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

/** Starts a service that replies to each datagram with the datagrams that `answer` returns. */
async function startUdpService(
  address: string,
  port: number,
  answer: (message: Buffer) => readonly Buffer[],
): Promise<{ stop(): void }> {
  const socket = createSocket('udp4');
  socket.on('message', (message, sender) => {
    for (const reply of answer(message)) socket.send(reply, sender.port, sender.address, () => undefined);
  });
  await once(socket.bind(port, address), 'listening');
  socket.on('error', () => undefined);
  return { stop: () => void socket.close() };
}

/** Seconds between the epochs of NTP (1900) and Unix (1970). */
const NTP_EPOCH_OFFSET = 2_208_988_800;
const NTP_MESSAGE_LENGTH = 48;
/** RFC 5905: no leap second, version 4, mode server. */
const SERVER_FLAGS = 0x24;
const STRATUM = 2;

/** Builds the response of a time server to a request, by this clock (RFC 5905, 7.3); none to an invalid request. */
function buildTimeResponses(request: Buffer, clock: Clock): Buffer[] {
  if (request.length < NTP_MESSAGE_LENGTH) return [];
  const now = clock.now();
  const response = Buffer.alloc(NTP_MESSAGE_LENGTH);
  response[0] = SERVER_FLAGS;
  response[1] = STRATUM;
  request.copy(response, 24, 40, 48);
  for (const offset of [16, 32, 40]) writeTime(response, offset, now);
  return [response];
}

function writeTime(message: Buffer, offset: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  message.writeUInt32BE((seconds + NTP_EPOCH_OFFSET) % 2 ** 32, offset);
  message.writeUInt32BE(Math.floor(((ms % 1000) / 1000) * 2 ** 32), offset + 4);
}
