import { SECOND } from '../../../platform/clock.ts';
import { isMismatchedRootfs } from '../../site/files.ts';
import { deriveDuration } from '../../site/seeded-random.ts';
import { findPullError, type MachineContext, NO_NETWORK } from '../network/network.ts';
import { runKubelet } from '../nodes/kubelet.ts';
import type { MachineStage } from '../saved-world.ts';
import { BOOT_RETRY_DELAY, bootFromNetwork, fetchOnce, runIpxe } from './boot-programs.ts';
import {
  bootDisk,
  buildNodeIgnition,
  fetchMachineConfig,
  getKernelArgument,
  joinNetwork,
  parseIgnition,
  runBootkube,
} from './bring-up.ts';

const PULL_RETRY_DELAY = 10 * SECOND;
const CREDENTIALS_PATH = '/root/.docker/config.json';

/** Runs release-image.service of the bootstrap node: retries to pull the release image until it succeeds. */
async function pullReleaseImage(machine: MachineContext): Promise<void> {
  const { world, state, print, sleep } = machine;
  const ignition = parseIgnition(state.disk?.ignition ?? state.live ?? '');
  const credentials = ignition.kind === 'bootstrap' ? (ignition.files.get(CREDENTIALS_PATH) ?? null) : null;
  const { image } = world.release;
  for (;;) {
    print(`release-image.service: Pulling ${image}...`);
    const problem = findPullError(world, state.lease ?? NO_NETWORK, image, credentials);
    if (problem === null) return;
    print(`release-image.service: Error: ${problem}`);
    print(`release-image.service: Pull failed. Retrying ${image}...`);
    await sleep(PULL_RETRY_DELAY);
  }
}

/** Pulls the operating system of the release at the first boot of a node; retries without limit. */
async function rebaseToRelease(machine: MachineContext): Promise<void> {
  const { world, state, print, sleep } = machine;
  for (;;) {
    const problem = findPullError(world, state.lease ?? NO_NETWORK, world.release.image, null);
    if (problem === null) return;
    print(`machine-config-daemon-firstboot.service: error: ${problem}`);
    await sleep(PULL_RETRY_DELAY);
  }
}

const FETCH_RETRY_DELAY = 10 * SECOND;

type StageHandler = (machine: MachineContext) => Promise<MachineStage>;

/** Handlers by stage: each runs the stage of a machine and returns the next stage. */
export const STAGE_HANDLERS: Readonly<Record<MachineStage, StageHandler>> = {
  off: async () => 'off',
  dead: waitForPowerOff,
  stopped: waitForPowerOff,
  serving: waitForPowerOff,
  firmware: async (machine) => {
    await waitForStageEnd(machine, 50 * SECOND, 80 * SECOND);
    const { disk, startsFromNetwork } = machine.state;
    if (disk !== null && startsFromNetwork !== true) return bootDisk(machine);
    machine.state.startsFromNetwork = false;
    return 'dhcp';
  },
  dhcp: bootFromNetwork,
  ipxe: runIpxeScript,
  live: runLiveSystem,
  installing: async (machine) => {
    await waitForStageEnd(machine, 100 * SECOND, 150 * SECOND);
    return 'rebooting';
  },
  rebooting: async (machine) => {
    await waitForStageEnd(machine, 40 * SECOND, 60 * SECOND);
    return bootDisk(machine);
  },
  'release-image': async (machine) => {
    await pullReleaseImage(machine);
    await waitForStageEnd(machine, 70 * SECOND, 100 * SECOND);
    return 'bootkube';
  },
  bootkube: async (machine) => {
    machine.print('bootkube.service: Rendering manifests');
    await waitForStageEnd(machine, 120 * SECOND, 160 * SECOND);
    return runBootkube(machine);
  },
  'in-place': async (machine) => {
    machine.print('install-to-disk.service: Waiting for the bootstrap to render the configuration of this node');
    await waitForStageEnd(machine, 150 * SECOND, 210 * SECOND);
    machine.state.disk = { ignition: buildNodeIgnition(), kernelArguments: getPersistentArguments(machine) };
    machine.print('install-to-disk.service: Executing coreos-installer');
    return 'installing';
  },
  'machine-config': fetchMachineConfig,
  pivoting: async (machine) => {
    machine.print('machine-config-daemon-firstboot.service: Rebasing to the release OS image');
    await rebaseToRelease(machine);
    await waitForStageEnd(machine, 120 * SECOND, 190 * SECOND);
    return 'kubelet';
  },
  kubelet: runKubelet,
  joined: runKubelet,
};

/** Waits for the rest of a stage of `minimumMs` to `maximumMs`. Time before a restart of the site counts. */
async function waitForStageEnd(
  { world, state, sleep }: MachineContext,
  minimumMs: number,
  maximumMs: number,
): Promise<void> {
  const endsAt =
    state.since +
    deriveDuration(world.seed, minimumMs, maximumMs, state.name, state.stage, state.disk === null ? 0 : 1);
  await sleep(Math.max(0, endsAt - world.clock.now()));
}

async function waitForPowerOff({ signal, state }: MachineContext): Promise<MachineStage> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  return state.stage;
}

async function runIpxeScript(machine: MachineContext): Promise<MachineStage> {
  const { hardware, state, print, sleep } = machine;
  const outcome = await runIpxe(
    {
      mac: hardware.mac,
      platform: hardware.firmware === 'uefi' ? 'efi' : 'pcbios',
      address: state.lease?.address ?? '',
      hostname: state.lease?.hostname ?? null,
      print,
      wait: sleep,
      fetch: (url) => fetchOnce(machine, url),
    },
    state.lease?.filename ?? '',
  );
  if (outcome.kind === 'boot') {
    state.kernelArguments = outcome.kernelArguments;
    return 'live';
  }
  if (outcome.kind === 'failed') print(outcome.reason);
  if (outcome.kind === 'local' && state.disk !== null) return bootDisk(machine);
  if (outcome.kind === 'local') print('Boot from disk: No bootable device');
  await sleep(BOOT_RETRY_DELAY);
  return 'dhcp';
}

/** Runs the live system: its root file system, then coreos-installer, which retries downloads forever. */
async function runLiveSystem(machine: MachineContext): Promise<MachineStage> {
  const { world, hardware, state, print } = machine;
  const getArgument = (name: string) => getKernelArgument(state.kernelArguments, name);
  await waitForStageEnd(machine, 20 * SECOND, 40 * SECOND);
  await joinNetwork(machine, state.kernelArguments);
  const rootfsUrl = getArgument('coreos.live.rootfs_url');
  if (rootfsUrl !== null) {
    const bytes = await fetchWithRetry(machine, rootfsUrl, 'coreos-livepxe-rootfs');
    if (isMismatchedRootfs(world.release.rhcos, bytes)) {
      print(
        `coreos-livepxe-rootfs: Couldn't fetch, verify, and unpack image specified by coreos.live.rootfs_url=${rootfsUrl}`,
      );
      print('coreos-livepxe-rootfs: Check that the URL is correct and that the rootfs version matches the initramfs.');
      return 'stopped';
    }
  }
  const imageUrl = getArgument('coreos.inst.image_url');
  if (rootfsUrl === null && imageUrl === null) {
    print('coreos-livepxe-rootfs: No rootfs image found. Modify your PXE configuration to add coreos.live.rootfs_url');
    return 'stopped';
  }
  if (imageUrl !== null) await fetchWithRetry(machine, imageUrl, 'coreos-installer');
  const inPlaceUrl = getArgument('ignition.config.url');
  if (inPlaceUrl !== null) return runInPlace(machine, inPlaceUrl);
  const [device, ignitionUrl] = [getArgument('coreos.inst.install_dev'), getArgument('coreos.inst.ignition_url')];
  if (device === null || ignitionUrl === null) {
    print(
      'coreos-installer did not start: the live system waits at its prompt (no coreos.inst.install_dev or ignition_url)',
    );
    return 'stopped';
  }
  if (hardware.disk !== undefined && hardware.disk !== device) {
    print(
      `coreos-installer: Error: getting sector size of ${device}: opening "${device}": No such file or directory (os error 2)`,
    );
    return 'stopped';
  }
  const ignition = await fetchWithRetry(machine, ignitionUrl, 'coreos-installer');
  state.disk = { ignition: ignition.toString('utf8'), kernelArguments: getPersistentArguments(machine) };
  print(`coreos-installer: Read disk image, writing to ${device}`);
  return 'installing';
}

/** Runs the live system of a single node, in which the bootstrap runs from memory. */
async function runInPlace(machine: MachineContext, url: string): Promise<MachineStage> {
  const ignition = (await fetchWithRetry(machine, url, 'ignition')).toString('utf8');
  const parsedIgnition = parseIgnition(ignition);
  if (parsedIgnition.kind !== 'bootstrap' || !parsedIgnition.isInPlace) {
    machine.print(
      `ignition: ${parsedIgnition.kind === 'unusable' ? parsedIgnition.reason : 'the config does not install a single node'}`,
    );
    return 'stopped';
  }
  await joinNetwork(machine, getPersistentArguments(machine));
  machine.state.live = ignition;
  return 'release-image';
}

/** Returns the kernel arguments that the first boot from the disk keeps. */
function getPersistentArguments({ state }: MachineContext): string[] {
  return state.kernelArguments.filter((word) => /^(?:ip|nameserver|bond|vlan|rd\.neednet|rd\.route)=/.test(word));
}

async function fetchWithRetry(machine: MachineContext, url: string, program: string): Promise<Buffer> {
  const { getNetwork, print, sleep } = machine;
  for (;;) {
    const result = await getNetwork().fetch(url);
    if (result.problem === null) return result.body;
    print(`${program}: error fetching ${url}: ${result.problem}`);
    await sleep(FETCH_RETRY_DELAY);
  }
}
