import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { arpTable } from '../../diagnosis/boot/service-signs.ts';
import type { Answer, Unmeasured } from '../../diagnosis/site/exchange.ts';
import type { Clock } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { DISCARD, isOwnError, ownReason } from './kept-here.ts';

/** The kernel asks three times, a second apart (net.ipv4.neigh.*.mcast_solicit). Milliseconds. */
const RESOLVES_WITHIN = 3500;
const LOOK_EVERY = 250;
/** The kernel's neighbour table, for IPv4. */
export const ARP_TABLE = '/proc/net/arp';

/**
 * Who has an address on a network of this machine, as the kernel's neighbour table knows after a packet to it. IPv4 only: IPv6
 * nodes have no DHCP of ours that could give an address twice.
 */
export async function neighbourProbe(clock: Clock, address: string): Promise<Answer<'neighbour'> | Unmeasured> {
  if (isIPv6(address) || !isOnLink(address)) return { isLocal: false, mac: null };
  const socket = createSocket('udp4');
  try {
    const refused = await new Promise<Error | null>((resolve) => {
      socket.on('error', resolve);
      socket.send(Buffer.alloc(0), DISCARD, address, resolve);
    });
    if (refused !== null && isOwnError(refused))
      return { isUnmeasured: true, detail: catalogue().bastion.probe.kept(address, ownReason(refused)) };
    for (let waited = 0; waited < RESOLVES_WITHIN; waited += LOOK_EVERY) {
      const entry = entryIn(await readFile(ARP_TABLE, 'utf8').catch(() => ''), address);
      if (entry !== null) return { isLocal: true, mac: entry };
      await clock.sleep(LOOK_EVERY);
    }
    return { isLocal: true, mac: null };
  } finally {
    socket.close();
  }
}

/** The same by a table that was filled in another way. */
export function neighbourIn(table: string, address: string): Answer<'neighbour'> {
  return { isLocal: true, mac: entryIn(table, address) };
}

/** Whether the address is in a network that an interface of this machine is in. */
export function isOnLink(address: string): boolean {
  const number = asNumber(address);
  return Object.values(networkInterfaces())
    .flat()
    .some((each) => {
      if (each?.family !== 'IPv4' || each.internal || each.address === address) return false;
      const mask = asNumber(each.netmask);
      return (asNumber(each.address) & mask) === (number & mask);
    });
}

function asNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) | 0;
}

/** The MAC address in a neighbour table; null: nobody answered yet. */
function entryIn(table: string, address: string): string | null {
  return arpTable(table, true).find((each) => each.address === address)?.mac ?? null;
}
