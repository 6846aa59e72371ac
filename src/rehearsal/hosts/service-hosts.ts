import { existsSync, mkdirSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { Design, ServiceHost } from '../../design/model.ts';
import { serviceHosts as designedHosts } from '../../design/names.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Addresses } from '../site/addresses.ts';
import type { HostStatus } from '../site/config.ts';
import { createBalancer } from './balancer.ts';
import { putPrograms } from './boot-programs.ts';
import { breakableFiles, breakFile } from './broken-file.ts';
import type { DhcpClient, Lease } from './dhcp.ts';
import { createDhcpNetwork, type DhcpNetwork } from './dhcp-network.ts';
import { copyFiles, textOf } from './host-files.ts';
import { createHostRuns, type HostRuns, type RunAnswer } from './host-runs.ts';
import { lookUp } from './name-server.ts';
import { othersListeners } from './others-balancer.ts';
import { createRunningHost, type Neighbours, type RunningHost } from './running-host.ts';
import type { Zone } from './zone-file.ts';

/** The service hosts of the site: they run what was put in place on them and nothing else. */
export interface ServiceHosts {
  /** Copies a host's files below its root and reloads its services. */
  putInPlace(host: string, filesDir: string): Promise<void>;
  /** What the runner of a host says to these arguments; null: no such host. */
  hostRun(host: string, filesDir: string, argv: readonly string[]): RunAnswer | null;
  /** Starts the services of every host again from the files that lie there. */
  restart(): Promise<void>;
  /** Somebody slips in a file of one service, and restarts its host. @param share from 0 to 1: which one */
  breakOne(share: number): Promise<void>;
  readFile(host: string, path: string): string | null;
  isHost(name: string): boolean;
  /** Sends the request to every DHCP server of the site. Null: no answer. */
  askDhcp(client: DhcpClient): Lease | null;
  /** A machine asks ours too, and then takes the address that another DHCP server offered. */
  overhearDhcp(client: DhcpClient, address: string, server: string): void;
  /** What a machine at an address gets from the TFTP server at another; null: no such file; `silent`: no server. */
  fetchByTftp(server: string, path: string, client: string): Buffer | 'silent' | null;
  /** A line in the log of every DHCP server. */
  noteDhcp(line: string): void;
  /** The DHCP servers as the machines of the site meet them. */
  readonly dhcp: DhcpNetwork;
  readonly all: readonly ServiceHost[];
  /** The zones that a name server at that address of the site answers from; null where none runs. */
  zonesAt(address: string): readonly Zone[] | null;
  /** All zones that any name server of the site answers from. */
  allZones(): readonly Zone[];
  status(): HostStatus[];
  stop(): Promise<void>;
}

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
  /** The cloud has balancers of its own. */
  readonly isOnCloud?: boolean;
  readonly onZonesChanged: () => void;
  /** What really lies on a host after a file was put in place: people make mistakes. */
  readonly slip: (host: string, file: string, text: string, before: string | null) => string;
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
    slip,
    isOnCloud = false,
  } = options;
  const endpoints = [...design.endpoints.api, ...design.endpoints.apiInt, ...design.endpoints.ingress];
  const neighbours: Neighbours = {
    transfer: (address, zone) => (zonesAt(address) ?? []).filter(({ origin }) => origin === zone.toLowerCase()),
    async resolve(name) {
      if (/^[\d.]+$|:/.test(name)) return name;
      return lookUp(allZones(), name, 'A').answers.find(({ type }) => type === 'A')?.data ?? null;
    },
    zonesChanged: onZonesChanged,
  };
  const hosts = new Map<string, RunningHost>(
    designedHosts(design).map((host) => [
      host.name,
      createRunningHost({ host, root: join(hostsDir, host.name), endpoints, addresses, clock, neighbours, signal }),
    ]),
  );
  const dhcp = createDhcpNetwork([...hosts.values()]);
  const runs = new Map<string, HostRuns>();
  const others = createBalancer(addresses, clock, () => undefined, neighbours.resolve);

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
        putPrograms(filesDir, on.root, (file, text) => slip(name, file, text, null));
      },
      reload: on.reload,
      // The script asks each program whether it takes its file.
      isRunning: on.isCurrent,
    };
    const made = createHostRuns({ dir: join(runsDir, name), host, clock, signal, speed });
    runs.set(name, made);
    return made;
  }

  function zonesAt(address: string): readonly Zone[] | null {
    return [...hosts.values()].find(({ host: { ip } }) => ip.includes(address))?.zones() ?? null;
  }

  function allZones(): readonly Zone[] {
    return [...hosts.values()].flatMap((on) => on.zones() ?? []);
  }

  return {
    async putInPlace(name, filesDir) {
      const on = hosts.get(name);
      if (!on) throw new Error(`no host ${name}`);
      runsOf(on).place(filesDir);
      await on.start();
    },
    hostRun(name, filesDir, argv) {
      const on = hosts.get(name);
      return on ? runsOf(on).answer(filesDir, argv) : null;
    },
    async restart() {
      if (!isOnCloud) await others.apply(othersListeners(design));
      for (const on of hosts.values()) if (existsSync(on.root)) await on.start();
      for (const on of hosts.values()) if (existsSync(join(runsDir, on.host.name))) runsOf(on);
    },
    async breakOne(share) {
      const all = [...hosts.values()].flatMap((on) => breakableFiles(on.root).map((file) => ({ on, file })));
      const chosen = all[Math.floor(share * all.length)];
      if (chosen === undefined) return;
      breakFile(chosen.file);
      await chosen.on.restart();
    },
    readFile(name, path) {
      const on = hosts.get(name);
      return on ? textOf(join(on.root, normalize(`/${path}`))) : null;
    },
    isHost: (name) => hosts.has(name),
    askDhcp: dhcp.ask,
    overhearDhcp: dhcp.overhear,
    fetchByTftp(server, path, client) {
      const on = [...hosts.values()].find(({ host: { ip } }) => ip.includes(server));
      return on === undefined ? 'silent' : on.fetchByTftp(path, client);
    },
    noteDhcp: dhcp.note,
    dhcp,
    all: designedHosts(design),
    zonesAt,
    allZones,
    status: () => [...hosts.values()].map((on) => on.status()),
    async stop() {
      for (const on of hosts.values()) await on.stop();
      await others.stop();
    },
  };
}
