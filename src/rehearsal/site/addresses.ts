import { createHash } from 'node:crypto';
import { createServer, isIPv4, type Server } from 'node:net';
import type { Design } from '../../design/model.ts';
import { serviceHosts } from '../../design/names.ts';

/** A port that nothing of the design uses: held to keep the network of a site to itself. */
const LOCK_PORT = 40999;
const LOW_PORT_SHIFT = 10_000;
const FIRST_NETWORK = 16;
const NETWORKS = 220;

/** The addresses of a site: those of the design, each on a loopback address of its own. */
export interface Addresses {
  readonly lowPortShift: number;
  /** The loopback address that stands for an address of the site; one is allotted at first use. */
  loopback(address: string): string;
  /** The port there that stands for a port of the site. */
  port(port: number): number;
  /** All that were allotted so far. */
  all(): Readonly<Record<string, string>>;
}

/** Maps the addresses of the design to 127.B.c.d; IPv6 and whatever collides is allotted from 127.B.254.0 down. */
export function createAddresses(network: number, design: Design): Addresses {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  let spare = 0;
  const nextSpare = () => {
    spare += 1;
    return `127.${network}.${254 - Math.floor(spare / 250)}.${(spare % 250) + 1}`;
  };
  const allot = (address: string): string => {
    const wanted = isIPv4(address) ? `127.${network}.${address.split('.').slice(2).join('.')}` : null;
    let loopback = wanted ?? nextSpare();
    while (taken.has(loopback) || loopback.endsWith('.255.254')) loopback = nextSpare();
    taken.add(loopback);
    given.set(address, loopback);
    return loopback;
  };
  const loopback = (address: string) => given.get(address) ?? allot(address);
  for (const address of designAddresses(design)) loopback(address);
  return {
    lowPortShift: LOW_PORT_SHIFT,
    loopback,
    port: (port) => (port < 1024 ? port + LOW_PORT_SHIFT : port),
    all: () => Object.fromEntries(given),
  };
}

function designAddresses(design: Design): string[] {
  const { api, apiInt, ingress } = design.endpoints;
  return [
    ...serviceHosts(design).flatMap(({ ip }) => ip),
    ...design.nodes.flatMap(({ ip }) => ip),
    ...api,
    ...apiInt,
    ...ingress,
    // Asked by name or address: whoever serves the time, and everybody on the wire.
    ...design.services.time.servers,
    '255.255.255.255',
  ];
}

/** Takes a 127.B.0.0/16 that no other site holds, beginning with the one that suits the directory's name. */
export async function takeNetwork(siteDir: string): Promise<{ network: number; release: () => void }> {
  const start = createHash('sha256').update(siteDir).digest().readUInt16BE(0) % NETWORKS;
  for (let step = 0; step < NETWORKS; step += 1) {
    const network = FIRST_NETWORK + ((start + step) % NETWORKS);
    const lock = await listen(`127.${network}.255.254`);
    if (lock) return { network, release: () => lock.close() };
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
