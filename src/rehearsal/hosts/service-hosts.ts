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
import { readText } from '../site/files.ts';
import { createBalancer, listExternalListeners } from './balancer.ts';
import { buildOffer, type Lease, parseDiscover } from './dhcp.ts';
import { createDhcpNetwork, type DhcpNetwork } from './dhcp-network.ts';
import { lookUpName, type NameServer, startNameServer, type Zone } from './dns.ts';
import { breakFile, listBreakableFiles } from './file-faults.ts';
import { copyFiles } from './host-files.ts';
import { createHostRuns, type HostRuns, type RunnerOutput } from './host-runs.ts';
import { createRunningHost, type HostNetwork, type RunningHost } from './running-host.ts';
import { installBootPrograms } from './tftp.ts';

const RECORDS_PATH = '/root/upi-wizard/dns-records.csv';
const DNS_PORT = 53;
const TTL = 3600;

/**
 * Creates the name servers of the company, if the design names any. Their administrators enter the records of
 * dns-records.csv as soon as the bastion has the file; the servers resolve outside names at any time.
 * @param bastionRoot directory with the files of the bastion
 */
function createExternalDns(design: Design, addresses: Addresses, bastionRoot: string) {
  const { kind, forwarders } = design.services.dns;
  const serverAddresses = kind === 'external' ? forwarders : [];
  const runningServers: NameServer[] = [];
  /** Returns the zones, which all servers share. */
  const listZones = (): readonly Zone[] =>
    serverAddresses.length === 0 ? [] : buildZones(design, readText(join(bastionRoot, RECORDS_PATH)));
  return {
    /** Starts a server at each forwarder address of the design; none if DNS is not external. */
    async start(): Promise<void> {
      for (const serverAddress of serverAddresses.slice(runningServers.length)) {
        const address = addresses.getLoopbackAddress(serverAddress);
        runningServers.push(await startNameServer(address, addresses.getLocalPort(DNS_PORT), listZones, () => true));
      }
    },
    /** Returns the zones of the server at an address of the site; null: there is no such server. */
    findZones: (address: string) => (serverAddresses.includes(address) ? listZones() : null),
    listZones,
    stop(): void {
      for (const server of runningServers.splice(0)) server.stop();
    },
  };
}

/**
 * Builds the base domain's zone and the reverse zones from the rows of dns-records.csv.
 * @param csv the file; null: the bastion has no file yet, and the zones hold no record of the cluster
 */
export function buildZones(design: Design, csv: string | null): Zone[] {
  const origins = [design.cluster.baseDomain.toLowerCase(), 'in-addr.arpa', 'ip6.arpa'];
  const records = (csv ?? '')
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', type = '', data = ''] = line.split(',');
      return { name: name.toLowerCase(), type, ttl: TTL, data };
    });
  return origins.map((origin) => ({
    origin,
    records: [
      { name: origin, type: 'SOA', ttl: TTL, data: `ns.${origin} hostmaster.${origin} 1 7200 3600 604800 3600` },
      ...records.filter(({ name }) => name === origin || name.endsWith(`.${origin}`)),
    ],
  }));
}

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
    transferZone: (address, zone) => (findZones(address) ?? []).filter(({ origin }) => origin === zone.toLowerCase()),
    async resolveName(name) {
      if (/^[\d.]+$|:/.test(name)) return name;
      return lookUpName(listZones(), name, 'A').answers.find(({ type }) => type === 'A')?.data ?? null;
    },
    reportZoneChange: onZonesChanged,
  };
  const hostsByName = new Map<string, RunningHost>(
    listServiceHosts(design).map((host) => [
      host.name,
      createRunningHost({ host, root: join(hostsDir, host.name), endpoints, addresses, clock, network, signal }),
    ]),
  );
  const dhcp = createDhcpNetwork([...hostsByName.values()]);
  const runsByHost = new Map<string, HostRuns>();
  const externalBalancer = createBalancer(addresses, clock, () => undefined, network.resolveName);
  const externalDns = createExternalDns(design, addresses, join(hostsDir, design.services.bastion.name));

  /**
   * Returns the runs of a host. The first call creates them and resumes an interrupted run, so the host's services must
   * already run.
   */
  function getRuns(runningHost: RunningHost): HostRuns {
    const { name } = runningHost.host;
    const cachedRuns = runsByHost.get(name);
    if (cachedRuns !== undefined) return cachedRuns;
    const host = {
      root: runningHost.root,
      placeFiles(filesDir: string) {
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
      isRunning: runningHost.isRunningCurrentFile,
    };
    const hostRuns = createHostRuns({ dir: join(runsDir, name), host, clock, signal, getSpeed });
    runsByHost.set(name, hostRuns);
    return hostRuns;
  }

  /** Finds the zones of the name server at an address; null if none runs. */
  function findZones(address: string): readonly Zone[] | null {
    const host = [...hostsByName.values()].find(({ host: { ip } }) => ip.includes(address));
    return host?.getZones() ?? externalDns.findZones(address);
  }

  /** Lists the zones of all name servers of the site, external ones included. */
  function listZones(): readonly Zone[] {
    return [...[...hostsByName.values()].flatMap((host) => host.getZones() ?? []), ...externalDns.listZones()];
  }

  return {
    /** Installs files on a host without a run of `install.sh`, and starts the services of the host. */
    async installFiles(name: string, filesDir: string): Promise<void> {
      const host = hostsByName.get(name);
      if (!host) throw new Error(`no host ${name}`);
      getRuns(host).installAtOnce(filesDir);
      await host.start();
    },
    /** Executes `host-run.sh` of a host with these arguments; null: no such host. */
    runOnHost(name: string, filesDir: string, argv: readonly string[]): RunnerOutput | null {
      const host = hostsByName.get(name);
      return host ? getRuns(host).execute(filesDir, argv) : null;
    },
    /** Starts the external services and all hosts with installed files, and resumes interrupted runs. */
    async restart(): Promise<void> {
      if (!isOnCloud) {
        await externalBalancer.apply(listExternalListeners(design));
        await externalDns.start();
      }
      for (const host of hostsByName.values()) if (existsSync(host.root)) await host.start();
      for (const runningHost of hostsByName.values())
        if (existsSync(join(runsDir, runningHost.host.name))) getRuns(runningHost);
    },
    /**
     * Breaks the file of one service, and restarts its host.
     * @param share from 0 to 1: selects the file
     */
    async breakServiceFile(share: number): Promise<void> {
      const breakableFiles = [...hostsByName.values()].flatMap((host) =>
        listBreakableFiles(host.root).map((file) => ({ host, file })),
      );
      const target = breakableFiles[Math.floor(share * breakableFiles.length)];
      if (target === undefined) return;
      breakFile(target.file);
      await target.host.restart();
    },
    readFile(name: string, path: string): string | null {
      const host = hostsByName.get(name);
      return host ? readText(join(host.root, normalize(`/${path}`))) : null;
    },
    hasHost: (name: string) => hostsByName.has(name),
    /** Fetches a file by TFTP for the machine at `client`. Null: no such file; `silent`: no server answers. */
    fetchByTftp(server: string, path: string, client: string): Buffer | 'silent' | null {
      const host = [...hostsByName.values()].find(({ host: { ip } }) => ip.includes(server));
      return host === undefined ? 'silent' : host.fetchByTftp(path, client);
    },
    /** The DHCP servers on the machine network. */
    dhcp,
    designHosts: listServiceHosts(design),
    findZones,
    listZones,
    getStatus: (): HostStatus[] => [...hostsByName.values()].map((host) => host.getStatus()),
    async stop(): Promise<void> {
      for (const host of hostsByName.values()) await host.stop();
      await externalBalancer.stop();
      externalDns.stop();
    },
  };
}

const [SSH_PORT, DHCP_PORT, NTP_PORT] = [22, 67, 123];
/** Destination of requests from a machine without an address; the site maps this broadcast address like any other. */
const BROADCAST_ADDRESS = '255.255.255.255';

/**
 * Starts the services that the bastion can probe: DHCP servers, time servers, and sshd of the service hosts. DHCP
 * servers also answer at the broadcast address, and sshd sends only its banner.
 */
export async function startNetworkServices(options: {
  readonly design: Design;
  readonly hosts: readonly { readonly name: string; readonly ip: readonly string[] }[];
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly dhcp: DhcpNetwork;
  /** Returns the offer of a foreign DHCP server; null: there is none. */
  readonly getForeignOffer: () => { readonly lease: Lease; readonly server: string } | null;
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
    const foreignOffer = host === null ? getForeignOffer() : null;
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
    await startUdp(server, NTP_PORT, (message) => buildTimeResponses(message, clock));
  return {
    stop() {
      for (const service of services.splice(0)) service.stop();
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
const NTP_MESSAGE_LENGTH = 48;
/** RFC 5905: no leap second, version 4, mode server. */
const SERVER_FLAGS = 0x24;
const STRATUM = 2;

/** Builds the response of a time server to a request, by this clock (RFC 5905, 7.3); none to an invalid request. */
function buildTimeResponses(request: Buffer, clock: Clock): Buffer[] {
  if (request.length < NTP_MESSAGE_LENGTH) return [];
  const now = clock.now();
  const response = Buffer.alloc(NTP_MESSAGE_LENGTH);
  response[0] = SERVER_FLAGS;
  response[1] = STRATUM;
  request.copy(response, 24, 40, 48);
  for (const offset of [16, 32, 40]) writeTime(response, offset, now);
  return [response];
}

function writeTime(message: Buffer, offset: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  message.writeUInt32BE((seconds + NTP_EPOCH_OFFSET) % 2 ** 32, offset);
  message.writeUInt32BE(Math.floor(((ms % 1000) / 1000) * 2 ** 32), offset + 4);
}
