import { existsSync, mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join, normalize } from 'node:path';
import { serviceHosts as designedHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { HostStatus } from '../site/config.ts';
import { createBalancer, listExternalListeners } from './balancer.ts';
import { installBootPrograms } from './boot-programs.ts';
import { buildOffer, type DhcpClient, type Lease, parseDiscover } from './dhcp.ts';
import { createDhcpNetwork, type DhcpNetwork } from './dhcp-network.ts';
import { breakFile, listBreakableFiles } from './file-faults.ts';
import { copyFiles, readText } from './host-files.ts';
import { createHostRuns, type HostRuns, type RunAnswer } from './host-runs.ts';
import { lookUp, startUdpService } from './name-server.ts';
import { createRunningHost, type HostNetwork, type RunningHost } from './running-host.ts';
import { buildTimeResponse } from './time-server.ts';
import type { Zone } from './zone-file.ts';

/** The service hosts of the site. They run only the services whose files were installed. */
export interface ServiceHosts {
  /** Copies a host's files below its root and reloads its services. */
  installFiles(host: string, filesDir: string): Promise<void>;
  /** Executes the runner of a host with these arguments; null: no such host. */
  runOnHost(host: string, filesDir: string, argv: readonly string[]): RunAnswer | null;
  /** Starts the services of every host again from the installed files. */
  restart(): Promise<void>;
  /**
   * Breaks the file of one service, and restarts its host.
   * @param share from 0 to 1: selects the file
   */
  breakServiceFile(share: number): Promise<void>;
  readFile(host: string, path: string): string | null;
  hasHost(name: string): boolean;
  /** Sends the request to every DHCP server of the site. Null: no answer. */
  requestLease(client: DhcpClient): Lease | null;
  /** Logs that a machine queried our DHCP servers too, but took the address of a foreign one. */
  observeForeignOffer(client: DhcpClient, address: string, server: string): void;
  /** Fetches a file by TFTP for the machine at `client`. Null: no such file; `silent`: no server answers. */
  fetchByTftp(server: string, path: string, client: string): Buffer | 'silent' | null;
  /** Writes a line to the log of every DHCP server. */
  logDhcpLine(line: string): void;
  /** The DHCP servers on the machine network. */
  readonly dhcp: DhcpNetwork;
  readonly all: readonly ServiceHost[];
  /** The zones of the name server at that address of the site; null if none runs. */
  findZones(address: string): readonly Zone[] | null;
  /** The zones of all name servers of the site. */
  listZones(): readonly Zone[];
  status(): HostStatus[];
  stop(): Promise<void>;
}

/**
 * Creates the service hosts of a design.
 * @param options.onZonesChanged called after a host has reloaded its zones
 */
export function createServiceHosts(options: {
  readonly design: Design;
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly hostsDir: string;
  /** Directory for the state of `install.sh` runs, with a subdirectory per host. */
  readonly runsDir: string;
  readonly signal: AbortSignal;
  readonly speed: () => number;
  /** The cloud has its own load balancers. */
  readonly isOnCloud?: boolean;
  readonly onZonesChanged: () => void;
  /** Returns the text that is really written when a file is installed, with the mistakes of the injected faults. */
  readonly applyFileFaults: (host: string, file: string, text: string, before: string | null) => string;
}): ServiceHosts {
  const {
    design,
    addresses,
    clock,
    hostsDir,
    runsDir,
    signal,
    speed,
    onZonesChanged,
    applyFileFaults,
    isOnCloud = false,
  } = options;
  const endpoints = [...design.endpoints.api, ...design.endpoints.apiInt, ...design.endpoints.ingress];
  const network: HostNetwork = {
    transfer: (address, zone) => (findZones(address) ?? []).filter(({ origin }) => origin === zone.toLowerCase()),
    async resolve(name) {
      if (/^[\d.]+$|:/.test(name)) return name;
      return lookUp(listZones(), name, 'A').answers.find(({ type }) => type === 'A')?.data ?? null;
    },
    reportZoneChange: onZonesChanged,
  };
  const hosts = new Map<string, RunningHost>(
    designedHosts(design).map((host) => [
      host.name,
      createRunningHost({ host, root: join(hostsDir, host.name), endpoints, addresses, clock, network, signal }),
    ]),
  );
  const dhcp = createDhcpNetwork([...hosts.values()]);
  const runs = new Map<string, HostRuns>();
  const externalBalancer = createBalancer(addresses, clock, () => undefined, network.resolve);

  /** Created once the services run: an interrupted run then resumes. */
  function getRuns(runningHost: RunningHost): HostRuns {
    const { name } = runningHost.host;
    const known = runs.get(name);
    if (known !== undefined) return known;
    const host = {
      root: runningHost.root,
      place(filesDir: string) {
        mkdirSync(runningHost.root, { recursive: true, mode: 0o700 });
        copyFiles(filesDir, runningHost.root, (file, text, before) => applyFileFaults(name, file, text, before));
        installBootPrograms(filesDir, runningHost.root, (file, text) => applyFileFaults(name, file, text, null));
      },
      reload: runningHost.reload,
      // `install.sh` checks that each program accepts its file.
      isRunning: runningHost.isCurrent,
    };
    const hostRuns = createHostRuns({ dir: join(runsDir, name), host, clock, signal, speed });
    runs.set(name, hostRuns);
    return hostRuns;
  }

  function findZones(address: string): readonly Zone[] | null {
    return [...hosts.values()].find(({ host: { ip } }) => ip.includes(address))?.zones() ?? null;
  }

  function listZones(): readonly Zone[] {
    return [...hosts.values()].flatMap((host) => host.zones() ?? []);
  }

  return {
    async installFiles(name, filesDir) {
      const host = hosts.get(name);
      if (!host) throw new Error(`no host ${name}`);
      getRuns(host).place(filesDir);
      await host.start();
    },
    runOnHost(name, filesDir, argv) {
      const host = hosts.get(name);
      return host ? getRuns(host).answer(filesDir, argv) : null;
    },
    async restart() {
      if (!isOnCloud) await externalBalancer.apply(listExternalListeners(design));
      for (const host of hosts.values()) if (existsSync(host.root)) await host.start();
      for (const runningHost of hosts.values())
        if (existsSync(join(runsDir, runningHost.host.name))) getRuns(runningHost);
    },
    async breakServiceFile(share) {
      const all = [...hosts.values()].flatMap((host) => listBreakableFiles(host.root).map((file) => ({ host, file })));
      const chosen = all[Math.floor(share * all.length)];
      if (chosen === undefined) return;
      breakFile(chosen.file);
      await chosen.host.restart();
    },
    readFile(name, path) {
      const host = hosts.get(name);
      return host ? readText(join(host.root, normalize(`/${path}`))) : null;
    },
    hasHost: (name) => hosts.has(name),
    requestLease: dhcp.requestLease,
    observeForeignOffer: dhcp.observeForeignOffer,
    fetchByTftp(server, path, client) {
      const host = [...hosts.values()].find(({ host: { ip } }) => ip.includes(server));
      return host === undefined ? 'silent' : host.fetchByTftp(path, client);
    },
    logDhcpLine: dhcp.logLine,
    dhcp,
    all: designedHosts(design),
    findZones,
    listZones,
    status: () => [...hosts.values()].map((host) => host.status()),
    async stop() {
      for (const host of hosts.values()) await host.stop();
      await externalBalancer.stop();
    },
  };
}

const [SSH_PORT, DHCP_PORT, NTP_PORT] = [22, 67, 123];
/** Destination of a machine without an address; the site maps the broadcast address like any other. */
const BROADCAST_ADDRESS = '255.255.255.255';

/** Returns the offer of a foreign DHCP server to a machine; null: none. */
type GetForeignOffer = (mac: string) => { readonly lease: Lease; readonly server: string } | null;

/**
 * Starts the services that the bastion can probe: each DHCP server, all of them by broadcast, the time servers, and
 * sshd of the service hosts. This sshd sends its version and refuses every login.
 */
export async function startNetworkServices(options: {
  readonly design: Design;
  readonly hosts: readonly { readonly name: string; readonly ip: readonly string[] }[];
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly dhcp: DhcpNetwork;
  readonly getForeignOffer: GetForeignOffer;
  readonly log: (line: string) => void;
}): Promise<{ stop(): void }> {
  const { design, hosts, addresses, clock, dhcp, getForeignOffer, log } = options;
  const services: { stop(): void }[] = [];
  const startUdp = async (address: string, port: number, answer: (message: Buffer) => readonly Buffer[]) => {
    const service = startUdpService(addresses.loopback(address), addresses.port(port), answer);
    const found = await service.catch((error: Error) => log(`${address} port ${port}: ${error.message}`));
    if (found) services.push(found);
  };
  const buildOffers = (message: Buffer, host: string | null): readonly Buffer[] => {
    const request = parseDiscover(message);
    if (request === null) return [];
    const ownOffers = dhcp.collectOffers(request.client, host, request.relay);
    const foreignOffer = host === null ? getForeignOffer(request.client.mac) : null;
    return [...(foreignOffer === null ? [] : [foreignOffer]), ...ownOffers].map(({ lease, server }) =>
      buildOffer(message, lease, server),
    );
  };
  const filterIpv4 = (all: readonly string[]) => all.filter((address) => !address.includes(':'));
  for (const { name, ip } of hosts) {
    for (const address of filterIpv4(ip)) await startUdp(address, DHCP_PORT, (message) => buildOffers(message, name));
    for (const address of ip) services.push(startSshd(addresses.loopback(address), addresses.port(SSH_PORT), log));
  }
  await startUdp(BROADCAST_ADDRESS, DHCP_PORT, (message) => buildOffers(message, null));
  for (const server of design.services.time.servers)
    await startUdp(server, NTP_PORT, (message) => {
      const answer = buildTimeResponse(message, clock);
      return answer === null ? [] : [answer];
    });
  return {
    stop() {
      for (const each of services.splice(0)) each.stop();
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
