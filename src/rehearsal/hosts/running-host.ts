import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ServiceHost } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { HostStatus } from '../site/config.ts';
import { type Balancer, type BoundListener, createBalancer } from './balancer.ts';
import { parseHaproxyConfig, parseVirtualAddresses } from './balancer-conf.ts';
import type { DhcpServer } from './dhcp.ts';
import { parseDhcpdConf, parseKeaConf } from './dhcp-conf.ts';
import { type NameServer, parseNamedConf, parseZone, startNameServer, type Zone } from './dns.ts';
import { findZoneFile, formatRefusalLines, getStartLine, listFiles, openHostLog } from './host-files.ts';
import { createTftpService } from './tftp.ts';

/** The simulated services, by unit name; distributions name their units differently. */
const SERVICE_BY_UNIT: Readonly<Record<string, string>> = {
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
const DHCP_PARSERS = [
  ['dhcpd', parseDhcpdConf],
  ['kea-dhcp4', parseKeaConf],
] as const;

/** Services that reload changed files; the others restart. */
const RELOADABLE_SERVICES: ReadonlySet<string> = new Set(['named', 'haproxy']);
interface Service {
  readonly name: string;
  isRunning: boolean;
  detail: string;
}

/** Access of a service host to the other hosts of the site. */
export interface HostNetwork {
  /** Transfers a zone from the name server at an address; empty if none answers. */
  transferZone(address: string, zone: string): Zone[];
  /** Resolves a name to an address with the name servers of the site; null if it does not resolve. */
  resolveName(name: string): Promise<string | null>;
  /** Reports that the zones were loaded again. */
  reportZoneChange(): void;
}

/**
 * Creates a service host of the site. It runs only the services that the files below its root configure.
 * @param options.endpoints addresses of the cluster that a load balancer serves
 */
export function createRunningHost(options: {
  readonly host: ServiceHost;
  readonly root: string;
  readonly endpoints: readonly string[];
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly network: HostNetwork;
  readonly signal: AbortSignal;
}) {
  const { host, root, endpoints, addresses, clock, network, signal } = options;
  const log = openHostLog({ name: host.name, root, clock, signal });
  const services = new Map<string, Service>();
  /** Services that run with their current or an earlier file, and services that refused their file last time. */
  const activeServices = new Set<string>();
  const rejectedServices = new Set<string>();
  const nameServers: NameServer[] = [];
  const stopNameServers = () => {
    for (const server of nameServers.splice(0)) server.stop();
    zones = null;
  };
  const tftp = createTftpService(host, root, addresses, (line) => log('in.tftpd', line));
  let zones: Zone[] | null = null;
  let isRecursive = false;
  let dhcp: DhcpServer | null = null;
  let balancer: Balancer | null = null;

  /**
   * Starts a service, or makes the service read its file again. A service that refuses its file stops; named and
   * HAProxy, which reload, keep their previous configuration.
   */
  async function loadService(name: string, file: string | null, load: (text: string) => Promise<void>) {
    if (file === null) return;
    const isReload = RELOADABLE_SERVICES.has(name) && activeServices.has(name);
    const service: Service = { name, isRunning: false, detail: '' };
    services.set(name, service);
    try {
      await load(readFileSync(file, 'utf8'));
      service.isRunning = true;
      if (rejectedServices.delete(name)) log(name, getStartLine(name));
      activeServices.add(name);
    } catch (error) {
      service.detail = error instanceof Error ? error.message : String(error);
      service.isRunning = isReload;
      rejectedServices.add(name);
      for (const line of formatRefusalLines(name, service.detail)) log(name, line);
      log('systemd', isReload ? `Reload failed for ${name}.` : `Failed to start ${name}.`);
    }
  }

  async function start(): Promise<void> {
    const files = listFiles(root);
    const findFile = (name: string) => files.find((file) => basename(file) === name) ?? null;
    const namedFiles = files.filter((file) => /\/named\.conf[^/]*$/.test(file));
    await loadService('named', namedFiles[0] ?? null, () => startNamed(namedFiles));
    for (const [name, parse] of DHCP_PARSERS) {
      await loadService(name, findFile(`${name}.conf`), async (text) => {
        dhcp = null;
        dhcp = parse(text);
      });
    }
    const tftpFile = findFile('tftpd-hpa') ?? files.find((file) => /\/tftp\.service\.d\//.test(file)) ?? null;
    await loadService('in.tftpd', tftpFile, tftp.start);
    await loadService('haproxy', findFile('haproxy.cfg'), (text) => startBalancer(text, findFile('keepalived.conf')));
  }

  async function startNamed(configFiles: readonly string[]): Promise<void> {
    const texts = configFiles.map((file) => readFileSync(file, 'utf8'));
    const declaredZones = texts.flatMap(parseNamedConf);
    if (declaredZones.length === 0) throw new Error('no zone is declared in named.conf');
    const loadedZones = declaredZones.flatMap((zone) => {
      const path = zone.file === null ? null : findZoneFile(root, zone.file);
      if (zone.type === 'primary' && path !== null) return [readZone(path, zone)];
      if (zone.type === 'primary')
        throw new Error(`zone ${zone.name}/IN: loading from ${zone.file} failed: file not found`);
      return zone.primaries.flatMap((address) => network.transferZone(address, zone.name));
    });
    zones = loadedZones;
    isRecursive = texts.some((text) => /^\s*recursion yes;/m.test(text));
    const port = addresses.getLocalPort(DNS_PORT);
    for (const address of nameServers.length === 0 ? host.ip.map(addresses.getLoopbackAddress) : [])
      nameServers.push(
        await startNameServer(
          address,
          port,
          () => zones,
          () => isRecursive,
        ),
      );
    network.reportZoneChange();
  }

  async function startBalancer(text: string, keepalivedFile: string | null): Promise<void> {
    const listeners = parseHaproxyConfig(text).filter(
      ({ members, isStatusPage }) => members.length > 0 || isStatusPage,
    );
    // Without an installed keepalived, the shared addresses were added to the interface manually.
    const sharedAddresses =
      keepalivedFile === null ? endpoints : parseVirtualAddresses(readFileSync(keepalivedFile, 'utf8'));
    const hostAddresses = new Set([...host.ip, ...sharedAddresses]);
    const boundListeners = listeners.flatMap(({ address, ...listener }): BoundListener[] => {
      if (address.startsWith('127.')) return [];
      if (address !== '*' && !hostAddresses.has(address))
        throw new Error(`Starting proxy ${listener.name}: cannot bind socket (Cannot assign requested address)`);
      const boundAddresses = address === '*' ? [...hostAddresses] : [address];
      return boundAddresses.map((boundAddress) => ({
        ...listener,
        address: boundAddress,
        isShared: !host.ip.includes(boundAddress),
      }));
    });
    balancer ??= createBalancer(addresses, clock, (line) => log('haproxy', line), network.resolveName);
    await balancer.apply(boundListeners);
  }

  return {
    host,
    root,
    log,
    start,
    /** Starts the configured services and stops all others. */
    async reload(): Promise<void> {
      services.clear();
      await start();
      for (const name of [...activeServices]) if (!services.has(name)) activeServices.delete(name);
      if (!services.has('named')) stopNameServers();
      if (!services.has('dhcpd') && !services.has('kea-dhcp4')) dhcp = null;
      if (!services.has('haproxy')) await balancer?.apply([]);
      if (!services.has('in.tftpd')) tftp.stop();
      network.reportZoneChange();
    },
    /** Stops every service, then starts those that accept their files. */
    async restart(): Promise<void> {
      activeServices.clear();
      stopNameServers();
      await balancer?.apply([]);
      await start();
      network.reportZoneChange();
    },
    /** Whether a unit runs; null: the rehearsal does not simulate that service. */
    isRunning(unit: string): boolean | null {
      const service = SERVICE_BY_UNIT[unit];
      return service === undefined ? null : (services.get(service)?.isRunning ?? false);
    },
    /** Whether a unit runs with its current file instead of an earlier one; null as for `isRunning`. */
    isRunningCurrentFile(unit: string): boolean | null {
      const service = SERVICE_BY_UNIT[unit];
      return service === undefined ? null : activeServices.has(service) && !rejectedServices.has(service);
    },
    fetchByTftp: tftp.fetch,
    /** Returns the zones of the host's name server; null if none runs. */
    getZones: (): readonly Zone[] | null => zones,
    /** Returns the host's DHCP server and the program that this server simulates; null if none runs. */
    getDhcpServer: () =>
      dhcp === null ? null : { server: dhcp, program: services.has('dhcpd') ? 'dhcpd' : 'kea-dhcp4' },
    getStatus: (): HostStatus => ({ name: host.name, services: [...services.values()] }),
    async stop(): Promise<void> {
      stopNameServers();
      tftp.stop();
      await balancer?.stop();
    },
  };
}

export type RunningHost = ReturnType<typeof createRunningHost>;

/** @throws Error with named's message, which names the file */
function readZone(path: string, { name, file }: { readonly name: string; readonly file: string | null }): Zone {
  try {
    return parseZone(readFileSync(path, 'utf8'), name);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`zone ${name}/IN: loading from file ${file ?? path} failed: ${message}`);
  }
}
