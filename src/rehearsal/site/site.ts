import { mkdirSync } from 'node:fs';
import type { Design } from '../../design/model.ts';
import { getString } from '../api/objects.ts';
import { createStore } from '../api/store.ts';
import { createFileFaults } from '../hosts/file-faults.ts';
import type { RunAnswer } from '../hosts/host-runs.ts';
import { createServiceHosts } from '../hosts/service-hosts.ts';
import { generatePassword } from '../stand-in/create.ts';
import { buildCloudZones, createCloudCluster } from '../world/cloud/cloud-cluster.ts';
import { hardwareFor, type MachineReport, repairHardware } from '../world/machines/machine.ts';
import { runWorld } from '../world/run-world.ts';
import type { World } from '../world/world.ts';
import { buildDialMap, createAddresses, reserveNetwork } from './addresses.ts';
import { releaseFacts, type SiteConfig, type SiteStatus } from './config.ts';
import { type FaultId, REPAIRABLE_FAULTS } from './faults.ts';
import {
  createAppender,
  createLocalKubeconfig,
  moveInitramfsAside,
  openJournals,
  type SitePaths,
  writeAtomically,
} from './files.ts';
import { prepareSite } from './prepare-site.ts';
import { deriveRandom } from './seeded-random.ts';
import { createSiteTime, loadWorld, persistWorld, type SiteTime } from './world-storage.ts';

/** A simulated site that runs in this process. */
export interface SimulatedSite {
  powerOn(node: string): boolean;
  powerOff(node: string): boolean;
  installFiles(host: string, filesDir: string): Promise<boolean>;
  /** Executes the runner of a host with these arguments; null: no such host. */
  runOnHost(host: string, filesDir: string, argv: readonly string[]): RunAnswer | null;
  readFile(host: string, path: string): string | null;
  /** Reads the machine at an address as over SSH; null: the login fails. */
  inspectMachine(address: string): MachineReport | null;
  /** Repairs a fault of `REPAIRABLE_FAULTS`; false: that fault is not present. */
  repair(fault: string): boolean;
  /** 0 halts the time of the site. */
  setSpeed(speed: number): void;
  status(): SiteStatus;
  /** Saves the world and closes every port. */
  stop(): Promise<void>;
}

/** Faults of a machine, which restarts after the repair. */
const MACHINE_FAULTS: readonly FaultId[] = ['clock-skew', 'node-never-boots'];

/**
 * Creates a site from its configuration and, if it has run before, from its saved world.
 * @param createTime creates the site's time, beginning at the saved moment (ms)
 */
export async function openSite(
  config: SiteConfig,
  paths: SitePaths,
  createTime: (now: number) => SiteTime = (now) => createSiteTime(config, paths, now),
): Promise<SimulatedSite> {
  const { design, seed, speed, cloud = null } = config;
  const faults = new Set(config.faults);
  const saved = loadWorld(paths);
  for (const fault of saved.repaired ?? []) faults.delete(fault);
  const { slips } = saved;
  const siteTime = createTime(saved.now);
  const { clock } = siteTime;
  prepareSite(config, paths);
  mkdirSync(paths.hosts, { recursive: true, mode: 0o700 });
  const { network, release } = await reserveNetwork(paths.dir);
  const addresses = createAddresses(network, design);
  const store = createStore({ now: () => clock.now() });
  if (saved.store !== null) store.load(saved.store);
  const controller = new AbortController();
  const append = createAppender(paths.log, controller.signal);
  const log = (line: string) => append(`${new Date(clock.now()).toISOString()} ${line}`);
  const hosts = createServiceHosts({
    design,
    addresses,
    clock,
    hostsDir: paths.hosts,
    runsDir: paths.hostRuns,
    signal: controller.signal,
    speed: siteTime.speed,
    isOnCloud: cloud !== null,
    onZonesChanged: writeDial,
    applyFileFaults: createFileFaults({ design, faults, seed }, slips),
  });

  function writeDial(): void {
    const zones = [...hosts.listZones(), ...(cloud === null ? [] : buildCloudZones(design))];
    writeAtomically(paths.dial, JSON.stringify(buildDialMap(addresses, zones), null, 1));
  }

  /** The user's own `oc`, in another terminal, cannot resolve names of the site. */
  function ocKubeconfig(): string {
    const { clusterDomain, kubeconfig = '' } = saved.cluster ?? {};
    return kubeconfig === '' ? '' : createLocalKubeconfig(kubeconfig, addresses, design, `api.${clusterDomain}`);
  }

  const storage = persistWorld({ saved, paths, clock, store, ocKubeconfig });
  const world: World = {
    design,
    cloud,
    clock,
    seed,
    faults,
    addresses,
    hosts,
    store,
    release: releaseFacts(design.openshift.version, design.openshift.architecture),
    hardware: cloud === null ? hardwareFor(saved, design, faults, seed) : new Map(),
    saved,
    signal: controller.signal,
    log,
    journals: openJournals(paths.journals, controller.signal),
    changed: () => {
      if (!controller.signal.aborted) storage.scheduleSave();
    },
  };
  if (cloud !== null && saved.cluster === null) {
    writeAtomically(paths.kubeconfig, await createCloudCluster(world));
    writeAtomically(paths.kubeadminPassword, generatePassword());
  }
  store.subscribe(world.changed);
  await hosts.restart();
  writeDial();
  const running = runWorld(world, siteTime.speed);
  storage.start();
  log(
    `the site runs on 127.${network}.0.0/16 at speed ${speed}, seed ${seed}, faults: ${[...faults].join(', ') || 'none'}`,
  );

  return {
    powerOn(node) {
      const machine = running.machines.get(node);
      if (machine) saved.rack ??= Object.fromEntries(world.hardware);
      if (faults.has('boot-file-missing')) moveInitramfsAside(paths, world.release.rhcos);
      if (faults.has('service-file-broken') && !saved.isFileBroken) {
        saved.isFileBroken = true;
        hosts.breakServiceFile(deriveRandom(seed, 'service-file-broken')).catch((error: unknown) => log(String(error)));
      }
      machine?.powerOn();
      // An action that was confirmed with "done" survives a kill.
      storage.save();
      return machine !== undefined;
    },
    powerOff(node) {
      const machine = running.machines.get(node);
      machine?.powerOff();
      storage.save();
      return machine !== undefined;
    },
    async installFiles(host, filesDir) {
      if (!hosts.hasHost(host)) return false;
      await hosts.installFiles(host, filesDir);
      writeDial();
      return true;
    },
    runOnHost: (host, filesDir, argv) => hosts.runOnHost(host, filesDir, argv),
    inspectMachine: (address) => running.readMachineReport(address),
    repair(name) {
      const fault = REPAIRABLE_FAULTS.find((each) => each === name);
      if (fault === undefined || !faults.has(fault)) return false;
      for (const machine of running.machines.values()) {
        // The power is back: nothing else was wrong with a node.
        if (fault === 'etcd-member-lost' && machine.state.joinedAt !== null) machine.powerOn();
        if (
          MACHINE_FAULTS.includes(fault) &&
          repairHardware(machine.hardware, fault) &&
          machine.state.stage !== 'off'
        ) {
          machine.powerOff();
          machine.powerOn();
        }
      }
      faults.delete(fault);
      saved.repaired = [...(saved.repaired ?? []), fault];
      if (saved.rack) saved.rack = Object.fromEntries(world.hardware);
      log(`repaired: ${fault}`);
      storage.save();
      return true;
    },
    readFile(host, path) {
      if (!hosts.hasHost(host)) return null;
      // Files of the kernel of a host, and the DNS settings that its administrator made first.
      if (path === '/proc/net/arp') return running.formatArpTable();
      if (path === '/sys/class/rtc/rtc0/since_epoch') return `${Math.floor(clock.now() / 1000)}\n`;
      const found = hosts.readFile(host, path);
      return found === null && path === '/etc/resolv.conf' ? formatResolvConf(design) : found;
    },
    setSpeed(newSpeed) {
      siteTime.setSpeed(newSpeed);
      log(`the site runs at speed ${newSpeed}`);
    },
    status() {
      return {
        now: clock.now(),
        speed: siteTime.speed(),
        seed,
        faults: config.faults,
        machines: [...running.machines.values()].map(({ hardware, state }) => ({
          name: state.name,
          mac: hardware.mac,
          isOn: state.stage !== 'off',
          stage: state.stage,
          since: state.since,
          console: state.console,
        })),
        hosts: hosts.status(),
        api: { isUp: running.isApiUp(), since: saved.cluster?.apiSince ?? null },
        isBootstrapComplete:
          getString(store.get('configmaps', 'kube-system', 'bootstrap'), 'data', 'status') === 'complete',
        unsaved: storage.getSaveFailure(),
      };
    },
    async stop() {
      controller.abort();
      storage.stop();
      running.stop();
      await hosts.stop();
      release();
      storage.save();
    },
  };
}

/** Returns the resolv.conf of a host that uses the same name servers as the nodes. */
function formatResolvConf({ services, cluster }: Design): string {
  const { servers, forwarders } = services.dns;
  const nameServers = servers.length > 0 ? servers.flatMap(({ ip }) => ip) : forwarders;
  return [`search ${cluster.baseDomain}`, ...nameServers.map((address) => `nameserver ${address}`), ''].join('\n');
}
