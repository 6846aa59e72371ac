import { createServer, type Server } from 'node:net';
import type { Lease } from '../../hosts/dhcp.ts';
import { chance } from '../../site/random.ts';
import { victimOf } from '../../site/victims.ts';
import type { World } from '../world.ts';

/** The MAC address of the machine of somebody else. */
export const STRANGER = '00:0c:29:5a:b7:10';
const SSH = 22;

/** The address that a machine of somebody else has too; null: all are used once. */
export function takenAddress(world: World): string | null {
  return victimOf('address-taken-twice', world)?.ip.find((address) => !address.includes(':')) ?? null;
}

/**
 * The neighbour table of the bastion as /proc/net/arp has it, after everybody was asked for: who has an address answers at it, and the
 * machine of somebody else is faster than ours.
 */
export function arpTable(world: World): string {
  const taken = takenAddress(world);
  const ours = Object.values(world.saved.machines).flatMap(({ name, stage, lease }): [string, string][] => {
    const mac = world.hardware.get(name)?.mac;
    return stage === 'off' || stage === 'dead' || lease === null || mac === undefined ? [] : [[lease.address, mac]];
  });
  const byAddress = new Map([...ours, ...(taken === null ? [] : [[taken, STRANGER] as const])]);
  const lines = [...byAddress].map(
    ([address, mac]) => `${address.padEnd(17)}0x1         0x2         ${mac}     *        eth0`,
  );
  return ['IP address       HW type     Flags       HW address            Mask     Device', ...lines, ''].join('\n');
}

/** Lets the machine of somebody else answer at the address that it shares with one of ours. */
export function startStranger(world: World): { stop(): void } {
  const address = takenAddress(world);
  if (address === null) return { stop: () => undefined };
  const server: Server = createServer((socket) => {
    // Given another address since.
    if (takenAddress(world) === null) {
      socket.destroy();
      return;
    }
    socket.on('error', () => socket.destroy());
    socket.end('SSH-2.0-OpenSSH_7.4\r\n');
  });
  server.on('error', (error) => world.log(`the machine of somebody else: ${error.message}`));
  server.listen(world.addresses.port(SSH), world.addresses.loopback(address));
  return { stop: () => void server.close() };
}

/**
 * The lease of a DHCP server of somebody else, which stands at the same switch as one node and is often the faster one. Firmware
 * waits for an offer with a boot file and so leaves this one; an operating system takes the first. Null: ours was faster.
 */
export function foreignLease(world: World, name: string, mac: string): Lease | null {
  const victim = victimOf('foreign-dhcp', world);
  if (victim?.name !== name) return null;
  const race = `dhcp race ${mac}`;
  const turn = (world.saved.timers[race] ?? 0) + 1;
  world.saved.timers[race] = turn;
  if (turn > 1 && chance(world.seed, race, turn) < 0.5) return null;
  return foreignOffer(world);
}

/** What the DHCP server of somebody else offers to whoever asks everybody; null: there is none. */
export function foreignOffer(world: World): Lease | null {
  const victim = victimOf('foreign-dhcp', world);
  if (victim === null) return null;
  const used = new Set([...world.design.nodes.flatMap(({ ip }) => ip), ...Object.keys(world.addresses.all())]);
  const near = victim.ip.find((address) => !address.includes(':')) ?? '';
  const free = (from: number) => {
    for (let last = from; last < 254; last += 1) {
      const address = near.replace(/\d+$/, String(last));
      if (!used.has(address)) return address;
    }
    return near;
  };
  const server = free(1);
  return {
    address: free(200),
    prefix: 24,
    hostname: null,
    domain: 'home.arpa',
    nameServers: [server],
    routers: [server],
    filename: null,
    nextServer: null,
  };
}
