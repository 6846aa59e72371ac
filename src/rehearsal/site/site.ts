import { mkdirSync } from 'node:fs';
import type { Design } from '../../design/model.ts';
import { textAt } from '../api/objects.ts';
import { createStore } from '../api/store.ts';
import type { RunAnswer } from '../hosts/host-runs.ts';
import { createServiceHosts } from '../hosts/service-hosts.ts';
import { slipOf } from '../hosts/slips.ts';
import { newPassword } from '../stand-in/create.ts';
import { beginOnCloud } from '../world/cloud/begin.ts';
import { cloudZones } from '../world/cloud/services.ts';
import { runWorld } from '../world/create-world.ts';
import { rackOf, repair } from '../world/machines/hardware.ts';
import type { Inside } from '../world/machines/inside.ts';
import type { World } from '../world/world.ts';
import { createAddresses, takeNetwork } from './addresses.ts';
import type { SiteConfig, SiteStatus } from './config.ts';
import { dialMap } from './dial.ts';
import { type FaultId, REPAIRED } from './faults.ts';
import { appender, type SitePaths, writeAtomically } from './files.ts';
import { furnish } from './furnish.ts';
import { moveInitramfsAside } from './images.ts';
import { openJournals } from './journals.ts';
import { keepWorld, loadWorld } from './keeping.ts';
import { localKubeconfig } from './oc.ts';
import { chance } from './random.ts';
import { startTimeLine, type TimeLine } from './time-line.ts';
import { releaseFacts } from './versions.ts';

/** A site that runs in this process. */
export interface SiteHost {
  powerOn(node: string): boolean;
  powerOff(node: string): boolean;
  putInPlace(host: string, filesDir: string): Promise<boolean>;
  /** What the runner of a host says to these arguments; null: no such host. */
  hostRun(host: string, filesDir: string, argv: readonly string[]): RunAnswer | null;
  readFile(host: string, path: string): string | null;
  /** What is seen over SSH at an address; null: nobody is let in there. */
  inside(address: string): Inside | null;
  /** Somebody puts right what a fault of REPAIRED has spoilt; false: nothing of that kind is wrong. */
  repair(fault: string): boolean;
  /** 0 halts the time of the site. */
  setSpeed(speed: number): void;
  status(): SiteStatus;
  /** Saves the world and closes every port. */
  stop(): Promise<void>;
}

/** What lies in a machine: it starts anew when it has been put right. */
const OF_MACHINES: readonly FaultId[] = ['clock-skew', 'node-never-boots'];

/**
 * Builds the site from its configuration and, when it has run before, from its saved world.
 * @param begin gives the site its time, beginning at the saved moment (ms)
 */
export async function openSite(
  config: SiteConfig,
  paths: SitePaths,
  begin: (now: number) => TimeLine = (now) => startTimeLine(config, paths, now),
): Promise<SiteHost> {
  const { design, seed, speed, cloud = null } = config;
  const faults = new Set(config.faults);
  const saved = loadWorld(paths);
  for (const fault of saved.repaired ?? []) faults.delete(fault);
  const { slips } = saved;
  const timeLine = begin(saved.now);
  const { clock } = timeLine;
  furnish(config, paths);
  mkdirSync(paths.hosts, { recursive: true, mode: 0o700 });
  const { network, release } = await takeNetwork(paths.dir);
  const addresses = createAddresses(network, design);
  const store = createStore({ now: () => clock.now() });
  if (saved.store !== null) store.load(saved.store);
  const controller = new AbortController();
  const append = appender(paths.log, controller.signal);
  const log = (line: string) => append(`${new Date(clock.now()).toISOString()} ${line}`);
  const hosts = createServiceHosts({
    design,
    addresses,
    clock,
    hostsDir: paths.hosts,
    runsDir: paths.hostRuns,
    signal: controller.signal,
    speed: timeLine.speed,
    isOnCloud: cloud !== null,
    onZonesChanged: writeDial,
    slip: slipOf({ design, faults, seed }, slips),
  });

  function writeDial(): void {
    const zones = [...hosts.allZones(), ...(cloud === null ? [] : cloudZones(design))];
    writeAtomically(paths.dial, JSON.stringify(dialMap(addresses, zones), null, 1));
  }

  /** `oc` of the person, in another terminal, knows no name of the site. */
  function ocKubeconfig(): string {
    const { clusterDomain, kubeconfig = '' } = saved.cluster ?? {};
    return kubeconfig === '' ? '' : localKubeconfig(kubeconfig, addresses, design, `api.${clusterDomain}`);
  }

  const keeper = keepWorld({ saved, paths, clock, store, ocKubeconfig });
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
    hardware: cloud === null ? rackOf(saved, design, faults, seed) : new Map(),
    saved,
    signal: controller.signal,
    log,
    journals: openJournals(paths.journals, controller.signal),
    changed: () => {
      if (!controller.signal.aborted) keeper.saveSoon();
    },
  };
  if (cloud !== null && saved.cluster === null) {
    writeAtomically(paths.kubeconfig, await beginOnCloud(world));
    writeAtomically(paths.kubeadminPassword, newPassword());
  }
  store.subscribe(world.changed);
  await hosts.restart();
  writeDial();
  const running = runWorld(world, timeLine.speed);
  keeper.begin();
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
        hosts.breakOne(chance(seed, 'service-file-broken')).catch((error: unknown) => log(String(error)));
      }
      machine?.powerOn();
      // What was answered with "done" survives a kill.
      keeper.save();
      return machine !== undefined;
    },
    powerOff(node) {
      const machine = running.machines.get(node);
      machine?.powerOff();
      keeper.save();
      return machine !== undefined;
    },
    async putInPlace(host, filesDir) {
      if (!hosts.isHost(host)) return false;
      await hosts.putInPlace(host, filesDir);
      writeDial();
      return true;
    },
    hostRun: (host, filesDir, argv) => hosts.hostRun(host, filesDir, argv),
    inside: (address) => running.inside(address),
    repair(name) {
      const fault = REPAIRED.find((each) => each === name);
      if (fault === undefined || !faults.has(fault)) return false;
      for (const machine of running.machines.values()) {
        // Its power is back: of a node nothing else was wrong.
        if (fault === 'etcd-member-lost' && machine.state.joinedAt !== null) machine.powerOn();
        if (OF_MACHINES.includes(fault) && repair(machine.hardware, fault) && machine.state.stage !== 'off') {
          machine.powerOff();
          machine.powerOn();
        }
      }
      faults.delete(fault);
      saved.repaired = [...(saved.repaired ?? []), fault];
      if (saved.rack) saved.rack = Object.fromEntries(world.hardware);
      log(`somebody has put right: ${fault}`);
      keeper.save();
      return true;
    },
    readFile(host, path) {
      if (!hosts.isHost(host)) return null;
      // What the kernel of a host shows, and what its administrator has set before anything else.
      if (path === '/proc/net/arp') return running.arpTable();
      if (path === '/sys/class/rtc/rtc0/since_epoch') return `${Math.floor(clock.now() / 1000)}\n`;
      const found = hosts.readFile(host, path);
      return found === null && path === '/etc/resolv.conf' ? resolvConf(design) : found;
    },
    setSpeed(wanted) {
      timeLine.setSpeed(wanted);
      log(`the site runs at speed ${wanted}`);
    },
    status() {
      return {
        now: clock.now(),
        speed: timeLine.speed(),
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
          textAt(store.get('configmaps', 'kube-system', 'bootstrap'), 'data', 'status') === 'complete',
        unsaved: keeper.unsaved(),
      };
    },
    async stop() {
      controller.abort();
      keeper.end();
      running.stop();
      await hosts.stop();
      release();
      keeper.save();
    },
  };
}

/** A host that looks names up where the nodes do, as it is told to. */
function resolvConf({ services, cluster }: Design): string {
  const { servers, forwarders } = services.dns;
  const asked = servers.length > 0 ? servers.flatMap(({ ip }) => ip) : forwarders;
  return [`search ${cluster.baseDomain}`, ...asked.map((address) => `nameserver ${address}`), ''].join('\n');
}
