import { createServer, type Server } from 'node:net';
import type { Lease } from '../../hosts/dhcp.ts';
import { findRegistry } from '../../site/files.ts';
import { deriveRandom, findAffectedNode } from '../../site/seeded-random.ts';
import type { World } from '../world.ts';
import { type Attachment, canReach } from './network.ts';

/** MAC address of the foreign machine that uses a duplicate address. */
export const FOREIGN_MAC = '00:0c:29:5a:b7:10';
const SSH = 22;

/** Returns the address that a foreign machine also uses. Null: no address is used twice. */
export function getDuplicateAddress(world: World): string | null {
  return findAffectedNode('address-taken-twice', world)?.ip.find((address) => !address.includes(':')) ?? null;
}

/**
 * Formats the neighbour table of the bastion as /proc/net/arp shows it after all addresses were probed. At a duplicate
 * address the foreign machine answers faster than ours.
 */
export function formatArpTable(world: World): string {
  const duplicate = getDuplicateAddress(world);
  const ours = Object.values(world.saved.machines).flatMap(({ name, stage, lease }): [string, string][] => {
    const mac = world.hardware.get(name)?.mac;
    return stage === 'off' || stage === 'dead' || lease === null || mac === undefined ? [] : [[lease.address, mac]];
  });
  const byAddress = new Map([...ours, ...(duplicate === null ? [] : [[duplicate, FOREIGN_MAC] as const])]);
  const lines = [...byAddress].map(
    ([address, mac]) => `${address.padEnd(17)}0x1         0x2         ${mac}     *        eth0`,
  );
  return ['IP address       HW type     Flags       HW address            Mask     Device', ...lines, ''].join('\n');
}

/** Starts the foreign machine at the duplicate address. */
export function startDuplicateHost(world: World): { stop(): void } {
  const address = getDuplicateAddress(world);
  if (address === null) return { stop: () => undefined };
  const server: Server = createServer((socket) => {
    // The foreign machine has another address since the repair.
    if (getDuplicateAddress(world) === null) {
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
 * Returns the lease of a foreign DHCP server, which is on the same switch as one node and often faster. Firmware waits
 * for an offer with a boot file and ignores this one; an operating system takes the first. Null: our server was faster.
 */
export function pickForeignLease(world: World, name: string, mac: string): Lease | null {
  const node = findAffectedNode('foreign-dhcp', world);
  if (node?.name !== name) return null;
  const race = `dhcp race ${mac}`;
  const attempt = (world.saved.timers[race] ?? 0) + 1;
  world.saved.timers[race] = attempt;
  if (attempt > 1 && deriveRandom(world.seed, race, attempt) < 0.5) return null;
  return buildForeignOffer(world);
}

/** Builds the offer that the foreign DHCP server broadcasts to every client. Null: there is no such server. */
export function buildForeignOffer(world: World): Lease | null {
  const node = findAffectedNode('foreign-dhcp', world);
  if (node === null) return null;
  const used = new Set([...world.design.nodes.flatMap(({ ip }) => ip), ...Object.keys(world.addresses.all())]);
  const nodeAddress = node.ip.find((address) => !address.includes(':')) ?? '';
  const findFreeAddress = (from: number) => {
    for (let last = from; last < 254; last += 1) {
      const address = nodeAddress.replace(/\d+$/, String(last));
      if (!used.has(address)) return address;
    }
    return nodeAddress;
  };
  const server = findFreeAddress(1);
  return {
    address: findFreeAddress(200),
    prefix: 24,
    hostname: null,
    domain: 'home.arpa',
    nameServers: [server],
    routers: [server],
    filename: null,
    nextServer: null,
  };
}

/** Address of all registries outside of the site, from the documentation range (RFC 5737). */
const REGISTRY_ADDRESS = '203.0.113.7';

/**
 * Returns podman's error if an image cannot be pulled, or null.
 * @param credentials text of the machine's pull secret; null: it is not checked
 */
export function findPullError(
  world: World,
  attachment: Attachment,
  image: string,
  credentials: string | null,
): string | null {
  const registry = findRegistry(world.design.imageDigestSources, image);
  const [host = '', port = '443'] = registry.split(':');
  const ping = `initializing source docker://${image}: pinging container registry ${registry}: Get "https://${registry}/v2/"`;
  const canResolve =
    attachment.nameServers.some((server) => world.hosts.findZones(server) !== null) || hasExternalDns(world);
  if (!canResolve) return `${ping}: dial tcp: lookup ${host}: no such host`;
  if (!canReach(world.design, attachment, null))
    return `${ping}: dial tcp ${REGISTRY_ADDRESS}:${port}: connect: no route to host`;
  if (world.faults.has('registry-unreachable')) return `${ping}: dial tcp ${REGISTRY_ADDRESS}:${port}: i/o timeout`;
  if (credentials !== null && !hasCredentials(credentials, registry))
    return `initializing source docker://${image}: reading manifest in ${registry}: unauthorized: access to the requested resource is not authorized`;
  return null;
}

/** External name servers also resolve names outside of the site. */
function hasExternalDns({ design }: World): boolean {
  return design.services.dns.kind === 'external';
}

function hasCredentials(credentials: string, registry: string): boolean {
  try {
    const { auths } = JSON.parse(credentials) as { auths?: Record<string, unknown> };
    return auths !== undefined && Object.keys(auths).some((key) => key === registry || key.startsWith(`${registry}/`));
  } catch {
    return false;
  }
}
