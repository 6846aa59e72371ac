import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join, normalize } from 'node:path';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { HostStatus } from '../site/config.ts';
import { createBalancer, listExternalListeners } from './balancer.ts';
import { buildOffer, type DhcpClient, type Lease, parseDiscover } from './dhcp.ts';
import { lookUp, type Zone } from './dns.ts';
import { createExternalDns } from './external-dns.ts';
import { breakFile, listBreakableFiles } from './file-faults.ts';
import { copyFiles, readText } from './host-files.ts';
import { createHostRuns, type HostRuns, type RunnerOutput } from './host-runs.ts';
import { createRunningHost, type HostNetwork, type RunningHost } from './running-host.ts';
import { installBootPrograms } from './tftp.ts';

/** The service hosts of the site. They run only the services whose files were installed. */
export type ServiceHosts = ReturnType<typeof createServiceHosts>;

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
  readonly getSpeed: () => number;
  /** Whether the cluster runs on a cloud, which has its own load balancers. */
  readonly isOnCloud: boolean;
  readonly onZonesChanged: () => void;
  /** Returns the text that is really written when a file is installed, with the mistakes of the injected faults. */
  readonly applyFileFaults: (host: string, file: string, text: string, previousText: string | null) => string;
}) {
  const { design, addresses, clock, hostsDir, runsDir, signal, getSpeed } = options;
  const { onZonesChanged, applyFileFaults, isOnCloud } = options;
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
    listServiceHosts(design).map((host) => [
      host.name,
      createRunningHost({ host, root: join(hostsDir, host.name), endpoints, addresses, clock, network, signal }),
    ]),
  );
  const dhcp = createDhcpNetwork([...hosts.values()]);
  const runs = new Map<string, HostRuns>();
  const externalBalancer = createBalancer(addresses, clock, () => undefined, network.resolve);
  const externalDns = createExternalDns(design, addresses, join(hostsDir, design.services.bastion.name));

  /**
   * Returns the runs of a host. The first call creates them and resumes an interrupted run, so the host's services must
   * already run.
   */
  function getRuns(runningHost: RunningHost): HostRuns {
    const { name } = runningHost.host;
    const cachedRuns = runs.get(name);
    if (cachedRuns !== undefined) return cachedRuns;
    const host = {
      root: runningHost.root,
      place(filesDir: string) {
        mkdirSync(runningHost.root, { recursive: true, mode: 0o700 });
        copyFiles(filesDir, runningHost.root, (file, text, previousText) =>
          applyFileFaults(name, file, text, previousText),
        );
        installBootPrograms(filesDir, runningHost.root, (file, text) => applyFileFaults(name, file, text, null));
        // External name servers now serve the records of the bastion's new file.
        onZonesChanged();
      },
      reload: runningHost.reload,
      // `install.sh` checks that each program accepts its file.
      isRunning: runningHost.isCurrent,
    };
    const hostRuns = createHostRuns({ dir: join(runsDir, name), host, clock, signal, getSpeed });
    runs.set(name, hostRuns);
    return hostRuns;
  }

  /** Finds the zones of the name server at an address; null if none runs. */
  function findZones(address: string): readonly Zone[] | null {
    const host = [...hosts.values()].find(({ host: { ip } }) => ip.includes(address));
    return host?.getZones() ?? externalDns.findZones(address);
  }

  /** Lists the zones of all name servers of the site, external ones included. */
  function listZones(): readonly Zone[] {
    return [...[...hosts.values()].flatMap((host) => host.getZones() ?? []), ...externalDns.listZones()];
  }

  return {
    /** Copies a host's files below its root and reloads its services. */
    async installFiles(name: string, filesDir: string): Promise<void> {
      const host = hosts.get(name);
      if (!host) throw new Error(`no host ${name}`);
      getRuns(host).installAtOnce(filesDir);
      await host.start();
    },
    /** Executes the runner of a host with these arguments; null: no such host. */
    runOnHost(name: string, filesDir: string, argv: readonly string[]): RunnerOutput | null {
      const host = hosts.get(name);
      return host ? getRuns(host).execute(filesDir, argv) : null;
    },
    /** Starts the services of every host again from the installed files. */
    async restart(): Promise<void> {
      if (!isOnCloud) {
        await externalBalancer.apply(listExternalListeners(design));
        await externalDns.start();
      }
      for (const host of hosts.values()) if (existsSync(host.root)) await host.start();
      for (const runningHost of hosts.values())
        if (existsSync(join(runsDir, runningHost.host.name))) getRuns(runningHost);
    },
    /**
     * Breaks the file of one service, and restarts its host.
     * @param share from 0 to 1: selects the file
     */
    async breakServiceFile(share: number): Promise<void> {
      const breakableFiles = [...hosts.values()].flatMap((host) =>
        listBreakableFiles(host.root).map((file) => ({ host, file })),
      );
      const target = breakableFiles[Math.floor(share * breakableFiles.length)];
      if (target === undefined) return;
      breakFile(target.file);
      await target.host.restart();
    },
    readFile(name: string, path: string): string | null {
      const host = hosts.get(name);
      return host ? readText(join(host.root, normalize(`/${path}`))) : null;
    },
    hasHost: (name: string) => hosts.has(name),
    /** Fetches a file by TFTP for the machine at `client`. Null: no such file; `silent`: no server answers. */
    fetchByTftp(server: string, path: string, client: string): Buffer | 'silent' | null {
      const host = [...hosts.values()].find(({ host: { ip } }) => ip.includes(server));
      return host === undefined ? 'silent' : host.fetchByTftp(path, client);
    },
    /** The DHCP servers on the machine network. */
    dhcp,
    designHosts: listServiceHosts(design),
    findZones,
    listZones,
    status: (): HostStatus[] => [...hosts.values()].map((host) => host.status()),
    async stop(): Promise<void> {
      for (const host of hosts.values()) await host.stop();
      await externalBalancer.stop();
      externalDns.stop();
    },
  };
}

const [SSH_PORT, DHCP_PORT, NTP_PORT] = [22, 67, 123];
/** Destination of a machine without an address; the site maps the broadcast address like any other. */
const BROADCAST_ADDRESS = '255.255.255.255';

/** Returns the offer of a foreign DHCP server to a machine; null: none. */
type GetForeignOffer = (mac: string) => { readonly lease: Lease; readonly server: string } | null;

/**
 * Starts the services that the bastion can probe: DHCP servers, time servers, and sshd of the service hosts. DHCP
 * servers also answer at the broadcast address, and sshd refuses every login.
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
    const service = startUdpService(addresses.getLoopbackAddress(address), addresses.getLocalPort(port), answer);
    const udpService = await service.catch((error: Error) => log(`${address} port ${port}: ${error.message}`));
    if (udpService) services.push(udpService);
  };
  const buildOffers = (message: Buffer, host: string | null): readonly Buffer[] => {
    const request = parseDiscover(message);
    if (request === null) return [];
    const siteOffers = dhcp.collectOffers(request.client, host, request.relay);
    const foreignOffer = host === null ? getForeignOffer(request.client.mac) : null;
    return [...(foreignOffer === null ? [] : [foreignOffer]), ...siteOffers].map(({ lease, server }) =>
      buildOffer(message, lease, server),
    );
  };
  const filterIpv4 = (hostAddresses: readonly string[]) => hostAddresses.filter((address) => !address.includes(':'));
  for (const { name, ip } of hosts) {
    for (const address of filterIpv4(ip)) await startUdp(address, DHCP_PORT, (message) => buildOffers(message, name));
    for (const address of ip)
      services.push(startSshd(addresses.getLoopbackAddress(address), addresses.getLocalPort(SSH_PORT), log));
  }
  await startUdp(BROADCAST_ADDRESS, DHCP_PORT, (message) => buildOffers(message, null));
  for (const server of design.services.time.servers)
    await startUdp(server, NTP_PORT, (message) => {
      const response = buildTimeResponse(message, clock);
      return response === null ? [] : [response];
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

/** Starts a service that replies to each datagram with the datagrams that `answer` returns. */
async function startUdpService(
  address: string,
  port: number,
  answer: (message: Buffer) => readonly Buffer[],
): Promise<{ stop(): void }> {
  const socket = createSocket('udp4');
  socket.on('message', (message, sender) => {
    for (const reply of answer(message)) socket.send(reply, sender.port, sender.address, () => undefined);
  });
  await once(socket.bind(port, address), 'listening');
  socket.on('error', () => undefined);
  return { stop: () => void socket.close() };
}

/** Seconds between the epochs of NTP (1900) and Unix (1970). */
const NTP_EPOCH_OFFSET = 2_208_988_800;
const MESSAGE_LENGTH = 48;
/** RFC 5905: no leap second, version 4, mode server. */
const SERVER_FLAGS = 0x24;
const STRATUM = 2;

/** Builds the response of a time server to a request, by this clock (RFC 5905, 7.3); null: the request is invalid. */
function buildTimeResponse(request: Buffer, clock: Clock): Buffer | null {
  if (request.length < MESSAGE_LENGTH) return null;
  const now = clock.now();
  const response = Buffer.alloc(MESSAGE_LENGTH);
  response[0] = SERVER_FLAGS;
  response[1] = STRATUM;
  request.copy(response, 24, 40, 48);
  for (const offset of [16, 32, 40]) writeTime(response, offset, now);
  return response;
}

function writeTime(message: Buffer, offset: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  message.writeUInt32BE((seconds + NTP_EPOCH_OFFSET) % 2 ** 32, offset);
  message.writeUInt32BE(Math.floor(((ms % 1000) / 1000) * 2 ** 32), offset + 4);
}

/**
 * Creates the interface of the site's DHCP servers to their clients. Each server writes its messages to the log of its
 * host.
 */
function createDhcpNetwork(hosts: readonly RunningHost[]) {
  const listServers = () =>
    hosts.flatMap((runningHost) => {
      const dhcp = runningHost.getDhcpServer();
      return dhcp === null
        ? []
        : [{ ...dhcp, runningHost, log: (line: string) => runningHost.log(dhcp.program, line) }];
    });
  return {
    /** Sends the request to the DHCP servers of the site. Null: no answer. */
    requestLease(client: DhcpClient): Lease | null {
      for (const { server, runningHost, log } of listServers()) {
        const result = server.findLease(client);
        if (!('lease' in result)) {
          log(`DHCPDISCOVER from ${client.mac} via eth0: network ${result.network}: no free leases`);
          continue;
        }
        const { address } = result.lease;
        log(`DHCPDISCOVER from ${client.mac} via eth0`);
        log(`DHCPOFFER on ${address} to ${client.mac} via eth0`);
        log(`DHCPREQUEST for ${address} (${runningHost.host.ip[0]}) from ${client.mac} via eth0`);
        log(`DHCPACK on ${address} to ${client.mac} via eth0`);
        return result.lease;
      }
      return null;
    },
    /**
     * Logs a request that also reaches the servers of the site, although the machine takes the address that a foreign
     * DHCP server offered.
     */
    logForeignOffer(client: DhcpClient, address: string, foreignServer: string): void {
      for (const { server, log } of listServers()) {
        const result = server.findLease(client);
        if (!('lease' in result)) continue;
        log(`DHCPDISCOVER from ${client.mac} via eth0`);
        log(`DHCPOFFER on ${result.lease.address} to ${client.mac} via eth0`);
        log(`DHCPREQUEST for ${address} (${foreignServer}) from ${client.mac} via eth0: unknown lease ${address}.`);
      }
    },
    /**
     * Collects the offers of the DHCP server on `host` to a client behind a relay agent. If `host` is null, it collects
     * the offers of all servers to a broadcast. No offer is accepted.
     */
    collectOffers(
      client: DhcpClient,
      host: string | null,
      relay: string,
    ): { readonly lease: Lease; readonly server: string }[] {
      const servers = listServers().filter(({ runningHost }) => host === null || runningHost.host.name === host);
      const via = host === null ? 'eth0' : relay;
      return servers.flatMap(({ server, runningHost, log }) => {
        const result = server.findLease(client);
        if (!('lease' in result)) {
          log(`DHCPDISCOVER from ${client.mac} via ${via}: network ${result.network}: no free leases`);
          return [];
        }
        log(`DHCPDISCOVER from ${client.mac} via ${via}`);
        log(`DHCPOFFER on ${result.lease.address} to ${client.mac} via ${via}`);
        return [{ lease: result.lease, server: runningHost.host.ip.find((address) => !address.includes(':')) ?? '' }];
      });
    },
    /** Writes a line to the log of every DHCP server. */
    logLine(line: string): void {
      for (const { log } of listServers()) log(line);
    },
  };
}

type DhcpNetwork = ReturnType<typeof createDhcpNetwork>;
