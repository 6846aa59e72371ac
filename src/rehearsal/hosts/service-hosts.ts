import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';
import type { Design, ServiceHost } from '../../design/model.ts';
import { serviceHosts as designedHosts } from '../../design/names.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { HostStatus } from '../site/config.ts';
import { appender } from '../site/files.ts';
import { type Balancer, type BoundListener, createBalancer } from './balancer.ts';
import type { DhcpClient, DhcpServer, Lease } from './dhcp.ts';
import { parseDhcpdConf } from './dhcpd-conf.ts';
import { parseHaproxyConfig, virtualAddresses } from './haproxy-config.ts';
import { copyFiles, fileOf, filesBelow, textOf } from './host-files.ts';
import { createHostRuns, type HostRuns, type RunAnswer } from './host-runs.ts';
import { parseKeaConf } from './kea-conf.ts';
import { lookUp, type NameServer, startNameServer } from './name-server.ts';
import { parseNamedConf } from './named-conf.ts';
import { parseZone, type Zone } from './zone-file.ts';

/** The service hosts of the site: they run what was put in place on them and nothing else. */
export interface ServiceHosts {
  /** Copies a host's files below its root and reloads its services. */
  putInPlace(host: string, filesDir: string): Promise<void>;
  /** What the runner of a host says to these arguments; null: no such host. */
  hostRun(host: string, filesDir: string, argv: readonly string[]): RunAnswer | null;
  /** Starts the services of every host again from the files that lie there. */
  restart(): Promise<void>;
  readFile(host: string, path: string): string | null;
  isHost(name: string): boolean;
  /** Sends the request to every DHCP server of the site. Null: no answer. */
  askDhcp(client: DhcpClient): Lease | null;
  /** A machine asks ours too, and then takes the address that another DHCP server offered. */
  overhearDhcp(client: DhcpClient, address: string, server: string): void;
  /** A line in the log of every DHCP server. */
  noteDhcp(line: string): void;
  /** The zones that a name server at that address of the site answers from; null where none runs. */
  zonesAt(address: string): readonly Zone[] | null;
  /** All zones that any name server of the site answers from. */
  allZones(): readonly Zone[];
  status(): HostStatus[];
  stop(): Promise<void>;
}

interface Service {
  readonly name: string;
  isRunning: boolean;
  detail: string;
}

interface RunningHost {
  readonly host: ServiceHost;
  readonly root: string;
  /** Appends to its /var/log/messages. */
  readonly log: (line: string) => void;
  readonly services: Map<string, Service>;
  zones: Zone[] | null;
  dhcp: DhcpServer | null;
  balancer: Balancer | null;
  nameServers: NameServer[];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** The services that are played, by the units of the systems. */
const UNITS: Readonly<Record<string, string>> = {
  named: 'named',
  dhcpd: 'dhcpd',
  'isc-dhcp-server': 'dhcpd',
  'kea-dhcp4': 'kea-dhcp4',
  'kea-dhcp4-server': 'kea-dhcp4',
  haproxy: 'haproxy',
};
const DNS_PORT = 53;
/** @param onZonesChanged is called after a host has reloaded its zones */
export function createServiceHosts(options: {
  readonly design: Design;
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly hostsDir: string;
  /** Where runs of `install.sh` keep their notes, a directory for each host. */
  readonly runsDir: string;
  readonly signal: AbortSignal;
  readonly speed: () => number;
  readonly onZonesChanged: () => void;
  /** What really lies on a host after a file was put in place: people make mistakes. */
  readonly slip: (host: string, file: string, text: string, before: string | null) => string;
}): ServiceHosts {
  const { design, addresses, clock, hostsDir, runsDir, signal, speed, onZonesChanged, slip } = options;
  const endpoints = [...design.endpoints.api, ...design.endpoints.apiInt, ...design.endpoints.ingress];
  const hosts = new Map<string, RunningHost>(
    designedHosts(design).map((host) => [
      host.name,
      {
        host,
        root: join(hostsDir, host.name),
        log: appender(join(hostsDir, host.name, 'var/log/messages')),
        services: new Map(),
        zones: null,
        dhcp: null,
        balancer: null,
        nameServers: [],
      },
    ]),
  );

  function log(on: RunningHost, program: string, line: string): void {
    const at = new Date(clock.now());
    const day = String(at.getUTCDate()).padStart(2, ' ');
    const stamp = `${MONTHS[at.getUTCMonth()]} ${day} ${at.toISOString().slice(11, 19)}`;
    on.log(`${stamp} ${on.host.name} ${program}[${1000 + program.length}]: ${line}`);
  }

  const dhcpProgram = (on: RunningHost) => (on.services.has('dhcpd') ? 'dhcpd' : 'kea-dhcp4');

  /** Starts or reloads one service; a file it cannot read leaves it stopped, as in life. */
  async function run(on: RunningHost, name: string, file: string | null, start: (text: string) => Promise<void>) {
    if (file === null) return;
    const service: Service = { name, isRunning: false, detail: '' };
    on.services.set(name, service);
    try {
      await start(readFileSync(file, 'utf8'));
      service.isRunning = true;
    } catch (error) {
      service.detail = error instanceof Error ? error.message : String(error);
      log(on, name, `[ALERT] ${service.detail}`);
      log(on, 'systemd', `Failed to start ${name}.`);
    }
  }

  async function start(on: RunningHost): Promise<void> {
    const files = filesBelow(on.root);
    const named = (name: string) => files.find((file) => basename(file) === name) ?? null;
    const configurations = files.filter((file) => /\/named\.conf[^/]*$/.test(file));
    if (configurations.length > 0) {
      await run(on, 'named', configurations[0] ?? null, () => startNamed(on, configurations));
    }
    await run(on, 'dhcpd', named('dhcpd.conf'), async (text) => {
      on.dhcp = null;
      on.dhcp = parseDhcpdConf(text);
    });
    await run(on, 'kea-dhcp4', named('kea-dhcp4.conf'), async (text) => {
      on.dhcp = null;
      on.dhcp = parseKeaConf(text);
    });
    await run(on, 'haproxy', named('haproxy.cfg'), (text) => startBalancer(on, text, named('keepalived.conf')));
  }

  /** Starts what is configured on a host, and ends what is not any more. */
  async function reload(on: RunningHost): Promise<void> {
    on.services.clear();
    await start(on);
    if (!on.services.has('named')) {
      for (const server of on.nameServers.splice(0)) server.stop();
      on.zones = null;
    }
    if (!on.services.has('dhcpd') && !on.services.has('kea-dhcp4')) on.dhcp = null;
    if (!on.services.has('haproxy')) await on.balancer?.apply([]);
    onZonesChanged();
  }

  const runs = new Map<string, HostRuns>();

  /** Made when the services run: a run that was under way goes on. */
  function runsOf(on: RunningHost): HostRuns {
    const { name } = on.host;
    const known = runs.get(name);
    if (known !== undefined) return known;
    const host = {
      root: on.root,
      place(filesDir: string) {
        mkdirSync(on.root, { recursive: true, mode: 0o700 });
        copyFiles(filesDir, on.root, (file, text, before) => slip(name, file, text, before));
      },
      reload: () => reload(on),
      isRunning: (unit: string) => {
        const service = UNITS[unit];
        return service === undefined ? null : (on.services.get(service)?.isRunning ?? false);
      },
    };
    const made = createHostRuns({ dir: join(runsDir, name), host, clock, signal, speed });
    runs.set(name, made);
    return made;
  }

  async function startNamed(on: RunningHost, configurations: readonly string[]): Promise<void> {
    on.zones = null;
    const declared = configurations.flatMap((file) => parseNamedConf(readFileSync(file, 'utf8')).zones);
    if (declared.length === 0) throw new Error('no zone is declared in named.conf');
    on.zones = declared.flatMap((zone) => {
      const path = zone.file === null ? null : fileOf(on.root, zone.file);
      if (zone.type === 'primary' && path !== null) return [parseZone(readFileSync(path, 'utf8'), zone.name)];
      if (zone.type === 'primary')
        throw new Error(`zone ${zone.name}/IN: loading from ${zone.file} failed: file not found`);
      return zone.primaries.flatMap((address) => transferred(address, zone.name));
    });
    if (on.nameServers.length === 0) {
      for (const address of on.host.ip) {
        const server = await startNameServer(addresses.loopback(address), addresses.port(DNS_PORT), () => on.zones);
        on.nameServers.push(server);
      }
    }
    onZonesChanged();
  }

  /** What a secondary gets from its primary. */
  function transferred(address: string, zoneName: string): Zone[] {
    return (zonesAt(address) ?? []).filter(({ origin }) => origin === zoneName.toLowerCase());
  }

  async function startBalancer(on: RunningHost, text: string, keepalived: string | null): Promise<void> {
    const listeners = parseHaproxyConfig(text).filter(({ members, isStats }) => members.length > 0 || isStats);
    // Where no keepalived was put in place, somebody put the shared addresses on the interface by hand.
    const shared = keepalived === null ? endpoints : virtualAddresses(readFileSync(keepalived, 'utf8'));
    const own = new Set([...on.host.ip, ...shared]);
    const bound = listeners.flatMap(({ address, ...listener }): BoundListener[] => {
      if (address === '*') return [...own].map((each) => ({ ...listener, address: each }));
      if (!own.has(address) && !address.startsWith('127.')) {
        throw new Error(`Starting proxy ${listener.name}: cannot bind socket (Cannot assign requested address)`);
      }
      return address.startsWith('127.') ? [] : [{ ...listener, address }];
    });
    on.balancer ??= createBalancer(addresses, clock, (line) => log(on, 'haproxy', line), resolveMember);
    await on.balancer.apply(bound);
  }

  async function resolveMember(name: string): Promise<string | null> {
    if (/^[\d.]+$|:/.test(name)) return name;
    return lookUp(allZones(), name, 'A').answers.find(({ type }) => type === 'A')?.data ?? null;
  }

  function zonesAt(address: string): readonly Zone[] | null {
    const host = [...hosts.values()].find(({ host: { ip } }) => ip.includes(address));
    return host?.zones ?? null;
  }

  function allZones(): readonly Zone[] {
    return [...hosts.values()].flatMap(({ zones }) => zones ?? []);
  }

  return {
    async putInPlace(name, filesDir) {
      const on = hosts.get(name);
      if (!on) throw new Error(`no host ${name}`);
      runsOf(on).place(filesDir);
      await start(on);
    },
    hostRun(name, filesDir, argv) {
      const on = hosts.get(name);
      return on ? runsOf(on).answer(filesDir, argv) : null;
    },
    async restart() {
      for (const on of hosts.values()) if (existsSync(on.root)) await start(on);
      for (const on of hosts.values()) if (existsSync(join(runsDir, on.host.name))) runsOf(on);
    },
    readFile(name, path) {
      const on = hosts.get(name);
      return on ? textOf(join(on.root, normalize(`/${path}`))) : null;
    },
    isHost: (name) => hosts.has(name),
    askDhcp(client) {
      for (const on of hosts.values()) {
        if (on.dhcp === null) continue;
        const found = on.dhcp.lease(client);
        const program = dhcpProgram(on);
        if (!('lease' in found)) {
          log(on, program, `DHCPDISCOVER from ${client.mac} via eth0: network ${found.network}: no free leases`);
          continue;
        }
        const { address } = found.lease;
        log(on, program, `DHCPDISCOVER from ${client.mac} via eth0`);
        log(on, program, `DHCPOFFER on ${address} to ${client.mac} via eth0`);
        log(on, program, `DHCPREQUEST for ${address} (${on.host.ip[0]}) from ${client.mac} via eth0`);
        log(on, program, `DHCPACK on ${address} to ${client.mac} via eth0`);
        return found.lease;
      }
      return null;
    },
    overhearDhcp(client, address, server) {
      for (const on of hosts.values()) {
        const found = on.dhcp?.lease(client);
        if (!found || !('lease' in found)) continue;
        const program = dhcpProgram(on);
        log(on, program, `DHCPDISCOVER from ${client.mac} via eth0`);
        log(on, program, `DHCPOFFER on ${found.lease.address} to ${client.mac} via eth0`);
        const what = `DHCPREQUEST for ${address} (${server}) from ${client.mac} via eth0`;
        log(on, program, `${what}: unknown lease ${address}.`);
      }
    },
    noteDhcp(line) {
      for (const on of hosts.values()) if (on.dhcp !== null) log(on, dhcpProgram(on), line);
    },
    zonesAt,
    allZones,
    status: () =>
      [...hosts.values()].map(({ host, services }) => ({ name: host.name, services: [...services.values()] })),
    async stop() {
      for (const on of hosts.values()) {
        for (const server of on.nameServers) server.stop();
        await on.balancer?.stop();
      }
    },
  };
}
