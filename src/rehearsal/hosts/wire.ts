import { createServer, type Server } from 'node:net';
import type { Design } from '../../design/model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { Lease } from './dhcp.ts';
import { discoverOf, offerMessage } from './dhcp-message.ts';
import type { DhcpNetwork } from './dhcp-network.ts';
import { timeAnswer } from './time-server.ts';
import { startUdpService } from './udp-service.ts';

const [SSH, DHCP, NTP] = [22, 67, 123];
/** What a machine without an address sends to; who hears it is at this address of the site. */
export const EVERYBODY = '255.255.255.255';

/** What somebody else offers to a machine; null: nothing. */
export type Foreign = (mac: string) => { readonly lease: Lease; readonly server: string } | null;

/**
 * What the bastion can ask on the wire: the DHCP servers, each and all at once, the time servers, and sshd of the service hosts, which
 * says what it is and lets nobody in.
 */
export async function startWire(options: {
  readonly design: Design;
  readonly hosts: readonly { readonly name: string; readonly ip: readonly string[] }[];
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly dhcp: DhcpNetwork;
  readonly foreign: Foreign;
  readonly log: (line: string) => void;
}): Promise<{ stop(): void }> {
  const { design, hosts, addresses, clock, dhcp, foreign, log } = options;
  const started: { stop(): void }[] = [];
  const udp = async (address: string, port: number, answer: (message: Buffer) => readonly Buffer[]) => {
    const service = startUdpService(addresses.loopback(address), addresses.port(port), answer);
    const found = await service.catch((error: Error) => log(`${address} port ${port}: ${error.message}`));
    if (found) started.push(found);
  };
  const offers = (message: Buffer, host: string | null): readonly Buffer[] => {
    const asked = discoverOf(message);
    if (asked === null) return [];
    const ours = dhcp.offers(asked.client, host, asked.relay);
    const theirs = host === null ? foreign(asked.client.mac) : null;
    return [...(theirs === null ? [] : [theirs]), ...ours].map(({ lease, server }) =>
      offerMessage(message, lease, server),
    );
  };
  const ipv4 = (all: readonly string[]) => all.filter((address) => !address.includes(':'));
  for (const { name, ip } of hosts) {
    for (const address of ipv4(ip)) await udp(address, DHCP, (message) => offers(message, name));
    for (const address of ip) started.push(startSshd(addresses.loopback(address), addresses.port(SSH), log));
  }
  await udp(EVERYBODY, DHCP, (message) => offers(message, null));
  for (const server of design.services.time.servers)
    await udp(server, NTP, (message) => {
      const answer = timeAnswer(message, clock);
      return answer === null ? [] : [answer];
    });
  return {
    stop() {
      for (const each of started.splice(0)) each.stop();
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
