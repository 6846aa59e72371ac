import { existsSync, mkdirSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { serviceHosts as designedHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';

import type { Addresses } from '../site/addresses.ts';
import type { HostStatus } from '../site/config.ts';
import { createBalancer } from './balancer.ts';
import { installBootPrograms } from './boot-programs.ts';
import { breakFile, listBreakableFiles } from './broken-file.ts';
import type { DhcpClient, Lease } from './dhcp.ts';
import { createDhcpNetwork, type DhcpNetwork } from './dhcp-network.ts';
import { listExternalListeners } from './external-load-balancer.ts';
import { copyFiles, readText } from './host-files.ts';
import { createHostRuns, type HostRuns, type RunAnswer } from './host-runs.ts';
import { lookUp } from './name-server.ts';
import { createRunningHost, type HostNetwork, type RunningHost } from './running-host.ts';
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
