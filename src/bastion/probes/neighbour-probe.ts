import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { parseArpTable } from '../../diagnosis/boot/boot-activity.ts';
import type { ProbeAnswer, Unmeasurable } from '../../diagnosis/site/probe-types.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Clock } from '../../platform/clock.ts';
import { DISCARD_PORT, describeLocalError, isLocalError } from './send-block.ts';

/** The kernel sends three requests, a second apart (net.ipv4.neigh.*.mcast_solicit). Milliseconds. */
const RESOLVE_TIMEOUT = 3500;
const POLL_INTERVAL = 250;
/** The kernel's neighbour table, for IPv4. */
export const ARP_TABLE = '/proc/net/arp';

/**
 * Finds the MAC address that holds an address on a network of this machine, in the kernel's neighbour table after a
 * packet to it. IPv4 only: IPv6 nodes have no DHCP of ours that could assign an address twice.
 */
export async function probeNeighbour(clock: Clock, address: string): Promise<ProbeAnswer<'neighbour'> | Unmeasurable> {
  if (isIPv6(address) || !isOnLink(address)) return { isLocal: false, mac: null };
  const socket = createSocket('udp4');
  try {
    const sendError = await new Promise<Error | null>((resolve) => {
      socket.on('error', resolve);
      socket.send(Buffer.alloc(0), DISCARD_PORT, address, resolve);
    });
    if (sendError !== null && isLocalError(sendError))
      return {
        isUnmeasured: true,
        detail: catalogue().bastion.probe.sendBlocked(address, describeLocalError(sendError)),
      };
    for (let waited = 0; waited < RESOLVE_TIMEOUT; waited += POLL_INTERVAL) {
      const mac = findMac(await readFile(ARP_TABLE, 'utf8').catch(() => ''), address);
      if (mac !== null) return { isLocal: true, mac: mac };
      await clock.sleep(POLL_INTERVAL);
    }
    return { isLocal: true, mac: null };
  } finally {
    socket.close();
  }
}

/** Finds the same for a given neighbour table. */
export function findNeighbour(table: string, address: string): ProbeAnswer<'neighbour'> {
  return { isLocal: true, mac: findMac(table, address) };
}

/** Whether the address is in a network of an interface of this machine. */
export function isOnLink(address: string): boolean {
  const number = toNumber(address);
  return Object.values(networkInterfaces())
    .flat()
    .some((each) => {
      if (each?.family !== 'IPv4' || each.internal || each.address === address) return false;
      const mask = toNumber(each.netmask);
      return (toNumber(each.address) & mask) === (number & mask);
    });
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) | 0;
}

/** Finds the MAC address in a neighbour table; null: no reply yet. */
function findMac(table: string, address: string): string | null {
  return parseArpTable(table, true).find((each) => each.address === address)?.mac ?? null;
}
