import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Design } from '../../design/model.ts';
import { getCompileCacheVariables, getUserName } from '../../platform/environment.ts';
import { REBOOT } from '../../platform/manual-actions.ts';
import { isAlive, type ProcessIdentity } from '../../platform/process.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { getString } from '../api/objects.ts';
import { createStore } from '../api/store.ts';
import { createFileFaultApplier } from '../hosts/file-faults.ts';
import { createServiceHosts } from '../hosts/service-hosts.ts';
import { generatePassword } from '../stand-in/create.ts';
import { buildCloudZones, createCloudCluster } from '../world/cloud/cloud-cluster.ts';
import type { Machine } from '../world/machines/machine.ts';
import { deriveHardware, repairHardware } from '../world/machines/machine.ts';
import { runWorld } from '../world/run-world.ts';
import type { World } from '../world/world.ts';
import { buildDialMap, createAddresses, reserveNetwork } from './addresses.ts';
import { createFencingFile } from './bmcs.ts';
import type { SiteConfig, SiteStatus } from './config.ts';
import { type FaultId, SIMULATED_REPAIR_FAULTS } from './faults.ts';
import {
  createAppender,
  createLocalKubeconfig,
  findRegistry,
  getImageBytes,
  listImageNames,
  moveInitramfsAside,
  openJournals,
  type SitePaths,
  writeAtomically,
} from './files.ts';
import { deriveReleaseMetadata } from './release-metadata.ts';
import { deriveRandom, findAffectedNode } from './seeded-random.ts';
import { createSiteTime, createWorldStorage, loadWorld, type SiteTime } from './world-storage.ts';

/** A simulated site that runs in this process. */
export type SimulatedSite = Awaited<ReturnType<typeof openSite>>;

/** How often the site checks that the process that halts its time still lives (ms of real time). */
const HOLDER_POLL_MS = 500;

/** Faults of a machine's hardware that a restart of the machine has to follow. */
const HARDWARE_FAULTS: readonly FaultId[] = ['clock-skew', 'node-never-boots'];

/**
 * Creates a site from its configuration and, if it has run before, from its saved world.
 * @param createTime creates the site's time, beginning at the saved moment (ms)
 */
export async function openSite(
  config: SiteConfig,
  paths: SitePaths,
  createTime: (now: number) => SiteTime = (now) => createSiteTime(config, paths, now),
) {
  const { design, seed, speed, cloud = null } = config;
  const faults = new Set(config.faults);
  const savedWorld = loadWorld(paths);
  for (const fault of savedWorld.repaired ?? []) faults.delete(fault);
  const { slips: fileFaultState } = savedWorld;
  const siteTime = createTime(savedWorld.now);
  const { clock } = siteTime;
  prepareSite(config, paths);
  mkdirSync(paths.hosts, { recursive: true, mode: 0o700 });
  const { network, releaseNetwork } = await reserveNetwork(paths.dir);
  const addresses = createAddresses(network, design);
  const store = createStore(clock);
  if (savedWorld.store !== null) store.load(savedWorld.store);
  const abortController = new AbortController();
  const append = createAppender(paths.log, abortController.signal);
  const log = (line: string) => append(`${new Date(clock.now()).toISOString()} ${line}`);
  const hosts = createServiceHosts({
    design,
    addresses,
    clock,
    hostsDir: paths.hosts,
    runsDir: paths.hostRuns,
    signal: abortController.signal,
    getSpeed: siteTime.getSpeed,
    isOnCloud: cloud !== null,
    onZonesChanged: writeDialMap,
    applyFileFaults: createFileFaultApplier({ design, faults, seed }, fileFaultState),
  });

  function writeDialMap(): void {
    const zones = [...hosts.listZones(), ...(cloud === null ? [] : buildCloudZones(design))];
    writeAtomically(paths.dial, JSON.stringify(buildDialMap(addresses, zones), null, 1));
  }

  /** Builds the kubeconfig for the user's own `oc`, which cannot resolve names of the site. */
  function buildOcKubeconfig(): string {
    const { clusterDomain, kubeconfig = '' } = savedWorld.cluster ?? {};
    return kubeconfig === '' ? '' : createLocalKubeconfig(kubeconfig, addresses, design, `api.${clusterDomain}`);
  }

  const storage = createWorldStorage({ saved: savedWorld, paths, clock, store, buildOcKubeconfig });
  const world: World = {
    design,
    cloud,
    clock,
    seed,
    faults,
    addresses,
    hosts,
    store,
    release: deriveReleaseMetadata(design.openshift.version, design.openshift.architecture),
    hardware: cloud === null ? deriveHardware(savedWorld, design, faults, seed) : new Map(),
    saved: savedWorld,
    signal: abortController.signal,
    log,
    journals: openJournals(paths.journals, abortController.signal),
    requestSave: () => {
      if (!abortController.signal.aborted) storage.scheduleSave();
    },
  };
  if (cloud !== null && savedWorld.cluster === null) {
    writeAtomically(paths.kubeconfig, await createCloudCluster(world));
    writeAtomically(paths.kubeadminPassword, generatePassword());
  }
  store.subscribe(world.requestSave);
  await hosts.restart();
  writeDialMap();
  let heldSpeed: number | null = null;
  let holderPoll: NodeJS.Timeout | undefined;

  /**
   * Sets the speed; 0 halts the time of the site.
   * @param holder a process that halts the time as long as it lives; the time runs at the new speed after that
   */
  function setSpeed(newSpeed: number, holder: ProcessIdentity | null = null): void {
    clearInterval(holderPoll);
    heldSpeed = holder === null ? null : newSpeed;
    siteTime.setSpeed(holder === null ? newSpeed : 0);
    log(`the site runs at speed ${siteTime.getSpeed()}`);
    if (holder !== null)
      holderPoll = setInterval(() => {
        if (!isAlive(holder)) setSpeed(newSpeed);
      }, HOLDER_POLL_MS);
  }

  /** Reboots the machines that are on and match; false: there are none. */
  function rebootMachines(matches: (machine: Machine) => boolean): boolean {
    const machines = [...runningWorld.machines.values()].filter(
      (machine) => matches(machine) && machine.state.stage !== 'off',
    );
    for (const machine of machines) {
      machine.powerOff();
      machine.powerOn();
    }
    storage.save();
    return machines.length > 0;
  }

  const runningWorld = runWorld(world, siteTime.getSpeed, writeDialMap);
  storage.start();
  log(
    `the site runs on 127.${network}.0.0/16 at speed ${speed}, seed ${seed}, faults: ${[...faults].join(', ') || 'none'}`,
  );

  return {
    powerOn(node: string): boolean {
      const machine = runningWorld.machines.get(node);
      if (machine) savedWorld.rack ??= Object.fromEntries(world.hardware);
      if (faults.has('boot-file-missing')) moveInitramfsAside(paths, world.release.rhcos);
      if (faults.has('service-file-broken') && !savedWorld.isFileBroken) {
        savedWorld.isFileBroken = true;
        hosts.breakServiceFile(deriveRandom(seed, 'service-file-broken')).catch((error: unknown) => log(String(error)));
      }
      machine?.powerOn();
      // Saves at once, so that an action that was confirmed to the user survives a kill.
      storage.save();
      return machine !== undefined;
    },
    powerOff(node: string): boolean {
      const machine = runningWorld.machines.get(node);
      machine?.powerOff();
      storage.save();
      return machine !== undefined;
    },
    async installFiles(host: string, filesDir: string): Promise<boolean> {
      if (!hosts.hasHost(host)) return false;
      await hosts.installFiles(host, filesDir);
      writeDialMap();
      return true;
    },
    runOnHost: hosts.runOnHost,
    /** Reads the machine at an address as over SSH; null: the login fails. */
    inspectMachine: runningWorld.readMachineReport,
    isRepaired: (name: string): boolean => savedWorld.repaired?.some((fault) => fault === name) ?? false,
    /**
     * Repairs a fault of `SIMULATED_REPAIR_FAULTS`, or reboots the machines that have not joined (`REBOOT`), except a
     * bootstrap node that serves. False: there is no such fault or machine.
     */
    repair(name: string): boolean {
      if (name === REBOOT) return rebootMachines(({ state }) => state.joinedAt === null && state.stage !== 'serving');
      const fault = SIMULATED_REPAIR_FAULTS.find((repairableFault) => repairableFault === name);
      if (fault === undefined || !faults.has(fault)) return false;
      const affectedNode = fault === 'foreign-dhcp' ? findAffectedNode(fault, world) : null;
      const needsRestart = ({ hardware, state }: Machine) =>
        HARDWARE_FAULTS.includes(fault)
          ? repairHardware(hardware, fault)
          : fault === 'rhcos-mixed'
            ? state.stage === 'stopped'
            : affectedNode?.name === state.name && !affectedNode.ip.includes(state.lease?.address ?? '');
      for (const machine of runningWorld.machines.values()) {
        // The fault only powered off a node, so the repair powers on every machine that has joined.
        if (fault === 'etcd-member-lost' && machine.state.joinedAt !== null) machine.powerOn();
        if (fault === 'disk-too-small') repairHardware(machine.hardware, fault);
      }
      const { rootfs } = world.release.rhcos;
      if (fault === 'rhcos-mixed' && rootfs !== null) writeFileSync(join(paths.images, rootfs), getImageBytes(rootfs));
      // The remedies for hardware faults, images and a foreign lease end with a restart of the machine.
      rebootMachines(needsRestart);
      faults.delete(fault);
      savedWorld.repaired = [...(savedWorld.repaired ?? []), fault];
      if (savedWorld.rack) savedWorld.rack = Object.fromEntries(world.hardware);
      log(`repaired: ${fault}`);
      storage.save();
      return true;
    },
    readFile(host: string, path: string): string | null {
      if (!hosts.hasHost(host)) return null;
      // No installation writes these files: two belong to the kernel, and resolv.conf to the host's administrator.
      if (path === '/proc/net/arp') return runningWorld.formatArpTable();
      if (path === '/sys/class/rtc/rtc0/since_epoch') return `${Math.floor(clock.now() / 1000)}\n`;
      const text = hosts.readFile(host, path);
      return text === null && path === '/etc/resolv.conf' ? formatResolvConf(design) : text;
    },
    setSpeed,
    getStatus(): SiteStatus {
      return {
        now: clock.now(),
        speed: heldSpeed ?? siteTime.getSpeed(),
        seed,
        faults: config.faults,
        machines: [...runningWorld.machines.values()].map(({ hardware, state }) => ({
          name: state.name,
          mac: hardware.mac,
          isOn: state.stage !== 'off',
          stage: state.stage,
          since: state.since,
          console: state.console,
        })),
        hosts: hosts.getStatus(),
        api: { isUp: runningWorld.isApiUp(), since: savedWorld.cluster?.apiSince ?? null },
        isBootstrapComplete:
          getString(store.get('configmaps', 'kube-system', 'bootstrap'), 'data', 'status') === 'complete',
        unsaved: storage.getSaveFailure(),
      };
    },
    /** Saves the world and closes every port. */
    async stop(): Promise<void> {
      clearInterval(holderPoll);
      abortController.abort();
      storage.stop();
      runningWorld.stop();
      await hosts.stop();
      releaseNetwork();
      storage.save();
    },
  };
}

/** Formats the resolv.conf of a host that uses the same name servers as the nodes. */
function formatResolvConf({ services, cluster }: Design): string {
  const { servers, forwarders } = services.dns;
  const nameServers = servers.length > 0 ? servers.flatMap(({ ip }) => ip) : forwarders;
  return [`search ${cluster.baseDomain}`, ...nameServers.map((address) => `nameserver ${address}`), ''].join('\n');
}

const REGISTRIES = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io'];

/** Prepares the input that a user has before the wizard starts: the installer, the images, the credentials. */
export function prepareSite(config: SiteConfig, paths: SitePaths): void {
  mkdirSync(paths.bin, { recursive: true, mode: 0o700 });
  mkdirSync(paths.images, { recursive: true, mode: 0o700 });
  if (!existsSync(paths.pullSecret)) writeAtomically(paths.pullSecret, createPullSecret(config));
  if (config.design.topology === 'fencing' && !existsSync(paths.fencing))
    writeAtomically(paths.fencing, createFencingFile(config.design));
  if (!existsSync(paths.sshKey)) writeAtomically(paths.sshKey, createPublicKey(), 0o644);
  if (config.hasDownloads ?? true) addDownloads(config, paths);
}

function addDownloads(config: SiteConfig, paths: SitePaths): void {
  const program = join(paths.bin, 'openshift-install');
  const command = [process.execPath, config.standInProgram, paths.dir].map(quoteShellArg).join(' ');
  // The wizard starts the stand-in with the environment of the real program, so the script sets the compile cache
  // variables.
  const exportLines = Object.entries(getCompileCacheVariables()).map(
    ([name, value]) => `export ${name}=${quoteShellArg(value)}\n`,
  );
  writeFileSync(program, `#!/bin/sh\n${exportLines.join('')}exec ${command} "$@"\n`);
  chmodSync(program, 0o755);
  const { version, architecture } = config.design.openshift;
  const { rhcos } = deriveReleaseMetadata(version, architecture);
  const isMixed = config.faults.includes('rhcos-mixed');
  for (const name of listImageNames(rhcos)) {
    const path = join(paths.images, name);
    if (existsSync(path) || existsSync(join(paths.movedAside, name))) continue;
    const isOfOtherBuild = isMixed && name === rhcos.rootfs;
    writeFileSync(path, getImageBytes(isOfOtherBuild ? `${name} of another build` : name));
  }
}

/** Creates a well-formed pull secret with invalid logins, for Red Hat's registries and the design's mirrors. */
function createPullSecret({ design, faults }: SiteConfig): string {
  const auth = Buffer.from('rehearsal:not-a-real-token').toString('base64');
  const mirrors = design.imageDigestSources.flatMap((source) => source.mirrors.map((mirror) => mirror.split('/')[0]));
  const { version, architecture } = design.openshift;
  const missingRegistry = faults.includes('pull-secret-without-registry')
    ? findRegistry(design.imageDigestSources, deriveReleaseMetadata(version, architecture).image)
    : null;
  const registries = [...REGISTRIES, ...mirrors].filter((name) => name !== missingRegistry);
  const auths = Object.fromEntries(registries.map((name) => [name, { auth, email: 'rehearsal@example.com' }]));
  return `${JSON.stringify({ auths })}\n`;
}

/** Creates an OpenSSH public key line. Its private key is discarded: simulated machines have no login. */
function createPublicKey(): string {
  const { publicKey: key } = generateKeyPairSync('ed25519');
  const keyBytes = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  const encodeField = (bytes: Buffer) => {
    const lengthPrefix = Buffer.alloc(4);
    lengthPrefix.writeUInt32BE(bytes.length);
    return Buffer.concat([lengthPrefix, bytes]);
  };
  const blob = Buffer.concat([encodeField(Buffer.from('ssh-ed25519')), encodeField(keyBytes)]);
  return `ssh-ed25519 ${blob.toString('base64')} ${getUserName()}@${hostname()}\n`;
}
