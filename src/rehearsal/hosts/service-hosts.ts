import { existsSync, mkdirSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { HostStatus } from '../site/config.ts';
import { readText } from '../site/files.ts';
import { createBalancer, listExternalListeners } from './balancer.ts';
import { createDhcpNetwork } from './dhcp-network.ts';
import { lookUpName, type Zone } from './dns.ts';
import { createExternalDns } from './external-dns.ts';
import { breakFile, listBreakableFiles } from './file-faults.ts';
import { copyFiles } from './host-files.ts';
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
