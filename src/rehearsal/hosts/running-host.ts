import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ServiceHost } from '../../design/model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { HostStatus } from '../site/config.ts';
import { type Balancer, type BoundListener, createBalancer } from './balancer.ts';
import type { DhcpServer } from './dhcp.ts';
import { parseDhcpdConf } from './dhcpd-conf.ts';
import { parseHaproxyConfig, virtualAddresses } from './haproxy-config.ts';
import { fileOf, filesBelow } from './host-files.ts';
import { openHostLog, refusalLines, takenLine } from './host-log.ts';
import { parseKeaConf } from './kea-conf.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { parseNamedConf } from './named-conf.ts';
import { createTftpService } from './tftp-service.ts';
import { parseZone, type Zone } from './zone-file.ts';

/** The services that are played, by the units of the systems. */
const UNITS: Readonly<Record<string, string>> = {
  named: 'named',
  dhcpd: 'dhcpd',
  'isc-dhcp-server': 'dhcpd',
  'kea-dhcp4': 'kea-dhcp4',
  'kea-dhcp4-server': 'kea-dhcp4',
  haproxy: 'haproxy',
  'tftp.socket': 'in.tftpd',
  'tftpd-hpa': 'in.tftpd',
};
const DNS_PORT = 53;

/** Those that are reloaded, and not restarted, when their files change. */
const RELOADS: ReadonlySet<string> = new Set(['named', 'haproxy']);
interface Service {
  readonly name: string;
  isRunning: boolean;
  detail: string;
}

/** What a host of the site gets from the others. */
export interface Neighbours {
  /** The zone as the name server at an address has it; none where none answers. */
  transfer(address: string, zone: string): Zone[];
  /** The address of a name, by the name servers of the site. */
  resolve(name: string): Promise<string | null>;
  /** The zones were loaded anew. */
  zonesChanged(): void;
}

/**
 * A service host of the site: it runs what the files below its root configure, and nothing else.
 * @param options.endpoints the addresses of the cluster that a load balancer carries
 */
export function createRunningHost(options: {
  readonly host: ServiceHost;
  readonly root: string;
  readonly endpoints: readonly string[];
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly neighbours: Neighbours;
  readonly signal: AbortSignal;
}) {
  const { host, root, endpoints, addresses, clock, neighbours, signal } = options;
  const log = openHostLog({ name: host.name, root, clock, signal });
  const services = new Map<string, Service>();
  /** What runs, with this file or an earlier one; and what refused its file at the last try. */
  const serving = new Set<string>();
  const refused = new Set<string>();
  const nameServers: NameServer[] = [];
  const tftp = createTftpService(host, root, addresses, (line) => log('in.tftpd', line));
  let zones: Zone[] | null = null;
  let asksOthers = false;
  let dhcp: DhcpServer | null = null;
  let balancer: Balancer | null = null;

  /**
   * Starts a service, or makes it read its file again. One that is refused leaves it stopped; named and HAProxy, which reload, go on
   * with what they had.
   */
  async function run(name: string, file: string | null, begin: (text: string) => Promise<void>) {
    if (file === null) return;
    const isReload = RELOADS.has(name) && serving.has(name);
    const service: Service = { name, isRunning: false, detail: '' };
    services.set(name, service);
    try {
      await begin(readFileSync(file, 'utf8'));
      service.isRunning = true;
      if (refused.delete(name)) log(name, takenLine(name));
      serving.add(name);
    } catch (error) {
      service.detail = error instanceof Error ? error.message : String(error);
      service.isRunning = isReload;
      refused.add(name);
      for (const line of refusalLines(name, service.detail)) log(name, line);
      log('systemd', isReload ? `Reload failed for ${name}.` : `Failed to start ${name}.`);
    }
  }

  async function start(): Promise<void> {
    const files = filesBelow(root);
    const named = (name: string) => files.find((file) => basename(file) === name) ?? null;
    const configurations = files.filter((file) => /\/named\.conf[^/]*$/.test(file));
    if (configurations.length > 0) {
      await run('named', configurations[0] ?? null, () => startNamed(configurations));
    }
    await run('dhcpd', named('dhcpd.conf'), async (text) => {
      dhcp = null;
      dhcp = parseDhcpdConf(text);
    });
    await run('kea-dhcp4', named('kea-dhcp4.conf'), async (text) => {
      dhcp = null;
      dhcp = parseKeaConf(text);
    });
    await run(
      'in.tftpd',
      named('tftpd-hpa') ?? files.find((file) => /\/tftp\.service\.d\//.test(file)) ?? null,
      tftp.start,
    );
    await run('haproxy', named('haproxy.cfg'), (text) => startBalancer(text, named('keepalived.conf')));
  }

  async function startNamed(configurations: readonly string[]): Promise<void> {
    const texts = configurations.map((file) => readFileSync(file, 'utf8'));
    const declared = texts.flatMap((text) => parseNamedConf(text).zones);
    if (declared.length === 0) throw new Error('no zone is declared in named.conf');
    const loaded = declared.flatMap((zone) => {
      const path = zone.file === null ? null : fileOf(root, zone.file);
      if (zone.type === 'primary' && path !== null) return [loadZone(path, zone)];
      if (zone.type === 'primary')
        throw new Error(`zone ${zone.name}/IN: loading from ${zone.file} failed: file not found`);
      return zone.primaries.flatMap((address) => neighbours.transfer(address, zone.name));
    });
    zones = loaded;
    asksOthers = texts.some((text) => /^\s*recursion yes;/m.test(text));
    if (nameServers.length === 0) {
      for (const address of host.ip) {
        nameServers.push(
          await startNameServer(
            addresses.loopback(address),
            addresses.port(DNS_PORT),
            () => zones,
            () => asksOthers,
          ),
        );
      }
    }
    neighbours.zonesChanged();
  }

  async function startBalancer(text: string, keepalived: string | null): Promise<void> {
    const listeners = parseHaproxyConfig(text).filter(({ members, isStats }) => members.length > 0 || isStats);
    // Where no keepalived was put in place, somebody put the shared addresses on the interface by hand.
    const shared = keepalived === null ? endpoints : virtualAddresses(readFileSync(keepalived, 'utf8'));
    const own = new Set([...host.ip, ...shared]);
    const bound = listeners.flatMap(({ address, ...listener }): BoundListener[] => {
      if (address === '*') return [...own].map((each) => ({ ...listener, address: each }));
      if (!own.has(address) && !address.startsWith('127.')) {
        throw new Error(`Starting proxy ${listener.name}: cannot bind socket (Cannot assign requested address)`);
      }
      return address.startsWith('127.') ? [] : [{ ...listener, address }];
    });
    balancer ??= createBalancer(addresses, clock, (line) => log('haproxy', line), neighbours.resolve);
    await balancer.apply(bound);
  }

  return {
    host,
    root,
    log,
    start,
    /** Starts what is configured, and ends what is not any more. */
    async reload(): Promise<void> {
      services.clear();
      await start();
      for (const name of [...serving]) if (!services.has(name)) serving.delete(name);
      if (!services.has('named')) {
        for (const server of nameServers.splice(0)) server.stop();
        zones = null;
      }
      if (!services.has('dhcpd') && !services.has('kea-dhcp4')) dhcp = null;
      if (!services.has('haproxy')) await balancer?.apply([]);
      if (!services.has('in.tftpd')) tftp.stop();
      neighbours.zonesChanged();
    },
    /** Stops every service, and starts what takes its files. */
    async restart(): Promise<void> {
      serving.clear();
      zones = null;
      for (const server of nameServers.splice(0)) server.stop();
      await balancer?.apply([]);
      await start();
      neighbours.zonesChanged();
    },
    /** Whether a unit runs; null: the rehearsal plays no such service. */
    isRunning(unit: string): boolean | null {
      const service = UNITS[unit];
      return service === undefined ? null : (services.get(service)?.isRunning ?? false);
    },
    /** The same, and not with an earlier file than the one that lies there. */
    isCurrent(unit: string): boolean | null {
      const service = UNITS[unit];
      return service === undefined ? null : serving.has(service) && !refused.has(service);
    },
    fetchByTftp: tftp.fetch,
    /** The zones that its name server answers from; null where none runs. */
    zones: (): readonly Zone[] | null => zones,
    /** Its DHCP server, and the program that it is; null where none runs. */
    dhcp: () => (dhcp === null ? null : { server: dhcp, program: services.has('dhcpd') ? 'dhcpd' : 'kea-dhcp4' }),
    status: (): HostStatus => ({ name: host.name, services: [...services.values()] }),
    async stop(): Promise<void> {
      for (const server of nameServers) server.stop();
      tftp.stop();
      await balancer?.stop();
    },
  };
}

export type RunningHost = ReturnType<typeof createRunningHost>;

/** @throws Error with the words of named, and the file in them */
function loadZone(path: string, { name, file }: { readonly name: string; readonly file: string | null }): Zone {
  try {
    return parseZone(readFileSync(path, 'utf8'), name);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(`zone ${name}/IN: loading from file ${file ?? path} failed: ${said}`);
  }
}
