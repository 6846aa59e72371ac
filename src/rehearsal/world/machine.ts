import { SECOND } from '../../ports/clock.ts';
import { jitter } from '../site/random.ts';
import { bringUpCluster } from './bring-up.ts';
import { readIgnition } from './ignition.ts';
import { runIpxe } from './ipxe.ts';
import { runKubelet } from './kubelet.ts';
import { type MachineNetwork, machineNetwork, reverseName } from './network.ts';
import type { MachineStage, MachineState } from './saved.ts';
import type { Hardware, World } from './world.ts';

/** What a stage may use: the machine, its saved state, and the signal that ends it when it loses power. */
export interface MachineContext {
  readonly world: World;
  readonly hardware: Hardware;
  readonly state: MachineState;
  readonly signal: AbortSignal;
  /** The network with the address that the machine has now. */
  readonly network: () => MachineNetwork;
  /** A line on its console; a new one also goes to the site's log. */
  readonly print: (line: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

/** A machine that can be switched on and off, and goes through its stages by itself. */
export interface Machine {
  readonly hardware: Hardware;
  readonly state: MachineState;
  powerOn(): void;
  powerOff(): void;
  /** Goes on where the saved state is, after the site was started again. */
  resume(): void;
}

/** Between two attempts of a firmware that found nothing to start. */
const BOOT_RETRY = 30 * SECOND;
const FETCH_RETRY = 10 * SECOND;
const UEFI = 7;
const BIOS = 0;
const ARM64_UEFI = 11;

export function createMachine(world: World, hardware: Hardware, state: MachineState): Machine {
  let power: AbortController | null = null;

  function context(signal: AbortSignal): MachineContext {
    return {
      world,
      hardware,
      state,
      signal,
      network: () => machineNetwork(world, state.lease?.address ?? '', state.lease?.nameServers ?? []),
      print: (line) => {
        if (line === state.console) return;
        state.console = line;
        world.log(`${state.name}: ${line}`);
      },
      sleep: (ms) => world.clock.sleep(ms, signal),
    };
  }

  async function live(signal: AbortSignal): Promise<void> {
    const machine = context(signal);
    while (!signal.aborted && state.stage !== 'off') {
      const next = await STAGES[state.stage](machine);
      if (signal.aborted) return;
      state.stage = next;
      state.since = world.clock.now();
      world.log(`${state.name}: ${next}`);
      world.changed();
    }
  }

  function run(): void {
    const controller = new AbortController();
    power = controller;
    const signal = AbortSignal.any([controller.signal, world.signal]);
    live(signal).catch((error: unknown) => {
      if (!signal.aborted) world.log(`${state.name}: ${error instanceof Error ? error.stack : String(error)}`);
    });
  }

  return {
    hardware,
    state,
    powerOn() {
      if (state.stage !== 'off') return;
      state.stage = hardware.isDead ? 'dead' : 'firmware';
      state.since = world.clock.now();
      world.changed();
      run();
    },
    powerOff() {
      power?.abort();
      state.stage = 'off';
      state.since = world.clock.now();
      state.lease = null;
      world.changed();
    },
    resume() {
      if (state.stage !== 'off') run();
    },
  };
}

type Stage = (machine: MachineContext) => Promise<MachineStage>;

const STAGES: Readonly<Record<MachineStage, Stage>> = {
  off: async () => 'off',
  dead: forever,
  stopped: forever,
  serving: forever,
  firmware: async (machine) => {
    await spend(machine, 50 * SECOND, 80 * SECOND);
    return machine.state.disk === null ? 'dhcp' : bootDisk(machine);
  },
  dhcp: bootFromNetwork,
  ipxe: runScript,
  live: runLiveSystem,
  installing: async (machine) => {
    await spend(machine, 100 * SECOND, 150 * SECOND);
    return 'rebooting';
  },
  rebooting: async (machine) => {
    await spend(machine, 40 * SECOND, 60 * SECOND);
    return bootDisk(machine);
  },
  'release-image': async (machine) => {
    machine.print('release-image.service: Pulling the release image');
    await spend(machine, 70 * SECOND, 100 * SECOND);
    return 'bootkube';
  },
  bootkube: async (machine) => {
    machine.print('bootkube.service: Rendering manifests');
    await spend(machine, 120 * SECOND, 160 * SECOND);
    return bringUpCluster(machine);
  },
  'machine-config': fetchMachineConfig,
  pivoting: async (machine) => {
    machine.print('machine-config-daemon-firstboot.service: Rebasing to the release OS image');
    await spend(machine, 120 * SECOND, 190 * SECOND);
    return 'kubelet';
  },
  kubelet: runKubelet,
  joined: runKubelet,
};

/** Lets the rest of a stage's duration pass; what passed before a restart of the site counts. */
async function spend({ world, state, sleep }: MachineContext, least: number, most: number): Promise<void> {
  const until = state.since + jitter(world.seed, least, most, state.name, state.stage, state.disk === null ? 0 : 1);
  await sleep(Math.max(0, until - world.clock.now()));
}

async function forever({ signal, state }: MachineContext): Promise<MachineStage> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  return state.stage;
}

function architectureOf({ world, hardware }: MachineContext): number {
  if (world.design.openshift.architecture === 'aarch64') return ARM64_UEFI;
  return hardware.firmware === 'uefi' ? UEFI : BIOS;
}

/** PXE: an address and a boot program by DHCP; iPXE then asks again and gets the URL of its script. */
async function bootFromNetwork(machine: MachineContext): Promise<MachineStage> {
  const { world, hardware, state, print, sleep } = machine;
  const architecture = architectureOf(machine);
  for (;;) {
    const first = world.hosts.askDhcp({ mac: hardware.mac, architecture, userClass: null });
    if (first === null) print('PXE-E51: No DHCP or proxyDHCP offers were received');
    else if (first.filename === null) print('PXE-E53: No boot filename received');
    else if (!/^https?:/.test(first.filename) && first.nextServer === null)
      print('PXE-E11: ARP timeout (no next-server)');
    else if (/grub|shim|pxelinux/.test(first.filename)) print(`${first.filename}: this machine boots with iPXE only`);
    else {
      const second = world.hosts.askDhcp({ mac: hardware.mac, architecture, userClass: 'iPXE' });
      if (second?.filename && /^https?:/.test(second.filename)) {
        state.lease = second;
        return 'ipxe';
      }
      print(`iPXE is given ${second?.filename ?? 'no filename'} again and starts itself over and over`);
    }
    await sleep(BOOT_RETRY);
  }
}

async function runScript(machine: MachineContext): Promise<MachineStage> {
  const { hardware, state, network, print, sleep } = machine;
  const outcome = await runIpxe(
    {
      mac: hardware.mac,
      platform: hardware.firmware === 'uefi' ? 'efi' : 'pcbios',
      address: state.lease?.address ?? '',
      hostname: state.lease?.hostname ?? null,
      print,
      wait: sleep,
      fetch: async (url) => {
        const found = await network()
          .fetch(url)
          .catch((error: Error) => error);
        if (!(found instanceof Error) && found.status === 200) return found.body;
        print(
          `${url}... ${found instanceof Error ? found.message : found.status === 404 ? 'No such file or directory (https://ipxe.org/2d0c618e)' : `HTTP ${found.status}`}`,
        );
        return null;
      },
    },
    state.lease?.filename ?? '',
  );
  if (outcome.kind === 'boot') {
    state.kernelArguments = outcome.kernelArguments;
    return 'live';
  }
  if (outcome.kind === 'failed') print(outcome.why);
  if (outcome.kind === 'local') print('Boot from disk: No bootable device');
  await sleep(BOOT_RETRY);
  return 'dhcp';
}

/** The value of a kernel argument, or null. */
function argument(words: readonly string[], name: string): string | null {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** The live system: its root file system, then coreos-installer, which asks for its ignition for ever. */
async function runLiveSystem(machine: MachineContext): Promise<MachineStage> {
  const { state, print } = machine;
  const value = (name: string) => argument(state.kernelArguments, name);
  await spend(machine, 20 * SECOND, 40 * SECOND);
  const rootfs = value('coreos.live.rootfs_url');
  if (rootfs !== null) await fetchForEver(machine, rootfs, 'coreos-livepxe-rootfs');
  const image = value('coreos.inst.image_url');
  if (rootfs === null && image === null) {
    print('coreos-livepxe-rootfs: No rootfs image found. Modify your PXE configuration to add coreos.live.rootfs_url');
    return 'stopped';
  }
  if (image !== null) await fetchForEver(machine, image, 'coreos-installer');
  const [device, url] = [value('coreos.inst.install_dev'), value('coreos.inst.ignition_url')];
  if (device === null || url === null) {
    print(
      'coreos-installer did not start: the live system waits at its prompt (no coreos.inst.install_dev or ignition_url)',
    );
    return 'stopped';
  }
  const ignition = await fetchForEver(machine, url, 'coreos-installer');
  const kept = state.kernelArguments.filter((word) => /^(?:ip|nameserver|bond|vlan|rd\.neednet|rd\.route)=/.test(word));
  state.disk = { ignition: ignition.toString('utf8'), kernelArguments: kept };
  print(`coreos-installer: Read disk image, writing to ${device}`);
  return 'installing';
}

async function fetchForEver(machine: MachineContext, url: string, program: string): Promise<Buffer> {
  const { network, print, sleep } = machine;
  for (;;) {
    const found = await network()
      .fetch(url)
      .catch((error: Error) => error);
    if (!(found instanceof Error) && found.status === 200) return found.body;
    print(
      `${program}: error fetching ${url}: ${found instanceof Error ? found.message : `HTTP status ${found.status}`}`,
    );
    await sleep(FETCH_RETRY);
  }
}

/** The installed system: an address, a name, and what its ignition says it is. */
async function bootDisk(machine: MachineContext): Promise<MachineStage> {
  const { state, print } = machine;
  await joinNetwork(machine);
  if (state.joinedAt !== null) return 'joined';
  const role = readIgnition(state.disk?.ignition ?? '');
  switch (role.kind) {
    case 'bootstrap':
      return 'release-image';
    case 'pointer':
      return 'machine-config';
    case 'unusable':
      print(`ignition: ${role.why}`);
      return 'stopped';
  }
}

/** Static kernel arguments if there are any, else DHCP; the name from there, else from the reverse zone. */
async function joinNetwork(machine: MachineContext): Promise<void> {
  const { world, hardware, state, network, print, sleep } = machine;
  const words = state.disk?.kernelArguments ?? [];
  const fixed = staticLease(words);
  for (;;) {
    const lease = fixed ?? world.hosts.askDhcp({ mac: hardware.mac, architecture: null, userClass: null });
    if (lease !== null) {
      state.lease = lease;
      break;
    }
    print('NetworkManager: no DHCP lease');
    await sleep(FETCH_RETRY);
  }
  state.hostname = state.lease.hostname ?? null;
  if (state.hostname === null) {
    const [name] = await network().lookUp(reverseName(state.lease.address), 'PTR');
    state.hostname = name?.replace(/\.$/, '') ?? null;
  }
}

/** `ip=172.16.0.21::172.16.0.254:255.255.255.0:m1.ocp45.example:enp1s0:none` and `nameserver=`. */
function staticLease(words: readonly string[]): MachineState['lease'] {
  const fields = (argument(words, 'ip') ?? '').split(':');
  const [address = '', , gateway = '', , hostname = ''] = fields;
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(address)) return null;
  return {
    address,
    prefix: null,
    hostname: hostname === '' ? null : hostname,
    domain: null,
    nameServers: words.filter((word) => word.startsWith('nameserver=')).map((word) => word.slice(11)),
    routers: gateway === '' ? [] : [gateway],
    filename: null,
    nextServer: null,
  };
}

/** Ignition's first boot: asks the machine config server until it answers. */
async function fetchMachineConfig(machine: MachineContext): Promise<MachineStage> {
  const { state, network, print, sleep } = machine;
  const role = readIgnition(state.disk?.ignition ?? '');
  if (role.kind !== 'pointer') return 'stopped';
  for (let attempt = 1; ; attempt += 1) {
    const found = await network()
      .fetch(role.url, role.authority)
      .catch((error: Error) => error);
    if (!(found instanceof Error) && found.status === 200) break;
    const why = found instanceof Error ? found.message : `HTTP status ${found.status}`;
    print(`ignition: GET ${role.url}: attempt #${attempt}: GET error: ${why}`);
    // Ignition backs off up to five seconds.
    await sleep(5 * SECOND);
  }
  state.kind = role.url.endsWith('/master') ? 'master' : 'worker';
  print(`ignition: GET ${role.url}: GET result: OK`);
  return 'pivoting';
}
