import { createHash } from 'node:crypto';
import { createServer, isIPv4, type Server } from 'node:net';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { lookUpName, type Zone } from '../hosts/dns.ts';
import { listBmcs } from './bmcs.ts';
import type { DialMap } from './dial-map.ts';

/** A port that no design uses: held to reserve the network of a site. */
const LOCK_PORT = 40999;
const LOW_PORT_SHIFT = 10_000;
const FIRST_NETWORK = 16;
const NETWORK_COUNT = 220;

/** The addresses of a site: each address of the design has its own loopback address. */
export type Addresses = ReturnType<typeof createAddresses>;

/** Maps the addresses of the design to 127.B.c.d. IPv6 addresses and collisions are allocated from 127.B.254.0 down. */
export function createAddresses(network: number, design: Design) {
  const loopbackByAddress = new Map<string, string>();
  const usedLoopbacks = new Set<string>();
  let spareCount = 0;
  const allocateSpareLoopback = () => {
    spareCount += 1;
    return `127.${network}.${254 - Math.floor(spareCount / 250)}.${(spareCount % 250) + 1}`;
  };
  const allocateLoopback = (address: string): string => {
    const preferredLoopback = isIPv4(address) ? `127.${network}.${address.split('.').slice(2).join('.')}` : null;
    let loopback = preferredLoopback ?? allocateSpareLoopback();
    while (usedLoopbacks.has(loopback) || loopback.endsWith('.255.254')) loopback = allocateSpareLoopback();
    usedLoopbacks.add(loopback);
    loopbackByAddress.set(address, loopback);
    return loopback;
  };
  const getLoopbackAddress = (address: string) => loopbackByAddress.get(address) ?? allocateLoopback(address);
  for (const address of listDesignAddresses(design)) getLoopbackAddress(address);
  let unassignedAddresses: ReadonlySet<string> = new Set();
  return {
    lowPortShift: LOW_PORT_SHIFT,
    /** Returns the loopback address for an address of the site, allocated at first use. */
    getLoopbackAddress,
    /** Returns the local port for a port of the site. */
    getLocalPort: (port: number) => (port < 1024 ? port + LOW_PORT_SHIFT : port),
    /** Lists all addresses that have a loopback address so far, with that address. */
    getLoopbackByAddress: (): Readonly<Record<string, string>> => Object.fromEntries(loopbackByAddress),
    /** Whether a machine holds the address now. Nothing answers at an address that no machine holds. */
    isAssigned: (address: string) => !unassignedAddresses.has(address),
    /** Sets the addresses that no machine holds. Returns whether they have changed. */
    setUnassignedAddresses(newAddresses: readonly string[]): boolean {
      const hasChanged =
        newAddresses.length !== unassignedAddresses.size ||
        !newAddresses.every((newAddress) => unassignedAddresses.has(newAddress));
      unassignedAddresses = new Set(newAddresses);
      return hasChanged;
    },
  };
}

function listDesignAddresses(design: Design): string[] {
  const { api, apiInt, ingress } = design.endpoints;
  return [
    ...listServiceHosts(design).flatMap(({ ip }) => ip),
    ...design.nodes.flatMap(({ ip }) => ip),
    ...api,
    ...apiInt,
    ...ingress,
    ...listBmcs(design).map(({ address }) => address),
    // Also probed by name or address: the time servers, and the broadcast address.
    ...design.services.time.servers,
    '255.255.255.255',
  ];
}

/** Reserves a 127.B.0.0/16 that no other site holds, beginning with the network that the hash of `siteDir` selects. */
export async function reserveNetwork(siteDir: string): Promise<{ network: number; releaseNetwork: () => void }> {
  const startIndex = createHash('sha256').update(siteDir).digest().readUInt16BE(0) % NETWORK_COUNT;
  for (let offset = 0; offset < NETWORK_COUNT; offset += 1) {
    const network = FIRST_NETWORK + ((startIndex + offset) % NETWORK_COUNT);
    const lock = await listen(`127.${network}.255.254`);
    if (lock) return { network, releaseNetwork: () => lock.close() };
  }
  throw new Error('no free loopback network');
}

function listen(host: string): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(null));
    server.listen(LOCK_PORT, host, () => resolve(server));
  });
}

/** Labels below a wildcard that the wizard and its users request: a map cannot hold all names. */
const WILDCARD_LABELS = [
  'console-openshift-console',
  'oauth-openshift',
  'downloads-openshift-console',
  'canary-openshift-ingress-canary',
  'random',
];

/**
 * Builds the map of all addresses of the site, and all names that resolve. A name without a record is missing here,
 * too.
 */
export function buildDialMap(addresses: Addresses, zones: readonly Zone[]): DialMap {
  const hosts: Record<string, string> = {};
  for (const name of listDialableNames(zones)) {
    const ipv4Record = lookUpName(zones, name, 'A').answers.find(({ type }) => type === 'A');
    const addressRecord = ipv4Record ?? lookUpName(zones, name, 'AAAA').answers.find(({ type }) => type === 'AAAA');
    if (addressRecord) hosts[name] = addresses.getLoopbackAddress(addressRecord.data);
  }
  const unassigned = Object.entries(addresses.getLoopbackByAddress()).flatMap(([address, loopback]) =>
    addresses.isAssigned(address) ? [] : [loopback],
  );
  return { hosts: { ...addresses.getLoopbackByAddress(), ...hosts }, lowPortShift: addresses.lowPortShift, unassigned };
}

function listDialableNames(zones: readonly Zone[]): Set<string> {
  const names = zones
    .flatMap(({ records }) => records)
    .filter(({ type }) => type === 'A' || type === 'AAAA' || type === 'CNAME')
    .flatMap(({ name }) =>
      name.startsWith('*.') ? WILDCARD_LABELS.map((label) => `${label}${name.slice(1)}`) : [name],
    );
  return new Set(names);
}
