import { listNodesWithRole } from '../../../design/derived-facts.ts';
import type { Design } from '../../../design/model.ts';
import { HOUR } from '../../../platform/clock.ts';
import type { FaultId } from '../../site/faults.ts';
import { formatSyslogLine } from '../../site/files.ts';
import { deriveRandom, findAffectedNode } from '../../site/seeded-random.ts';
import { createMachineNetwork, type MachineContext, NO_NETWORK } from '../network/network.ts';
import { createMachineState, type Hardware, type MachineState, type SavedWorld } from '../saved-world.ts';
import type { World } from '../world.ts';
import { STAGE_HANDLERS } from './stages.ts';

/** Stages with an installed system. Earlier, a machine runs from memory, and its lines are only on the console. */
const INSTALLED_STAGE = /^(?:rebooting|release-image|bootkube|serving|machine-config|pivoting|kubelet|joined)$/;

/** Stages after Ignition, in which sshd runs and knows the key. */
const SSH_STAGE = /^(?:release-image|bootkube|serving|pivoting|kubelet|joined|stopped)$/;

/** Program names in the journal, by the unit that the console prints, where the two differ. */
const PROGRAM_BY_UNIT: Readonly<Record<string, string>> = {
  'release-image.service': 'release-image-download.sh',
  'bootkube.service': 'bootkube.sh',
  'node-valid-hostname.service': 'node-valid-hostname',
  'machine-config-daemon-firstboot.service': 'machine-config-daemon-firstboot',
};
const CONSOLE_LINE = /^([A-Za-z][\w.-]*): (.*)$/;

/** Writes a line to the journal of a machine with an installed system, as journalctl prints it. */
export function writeJournal({ clock, journals }: World, state: MachineState, line: string): void {
  const [, unit = '', message = ''] = CONSOLE_LINE.exec(line) ?? [];
  if (unit === '' || !(INSTALLED_STAGE.test(state.stage) || state.disk !== null)) return;
  const hostname = state.hostname ?? 'localhost';
  journals.write(state.name, formatSyslogLine(clock.now(), hostname, PROGRAM_BY_UNIT[unit] ?? unit, message, '0'));
}

/** State of a machine as an SSH login shows it. */
export interface MachineReport {
  readonly name: string;
  readonly journal: string;
  readonly failedUnits: readonly string[];
  /** Lists of objects by resource, if the node's own API server answers. */
  readonly resources: Readonly<Record<string, unknown>>;
}

/** Reads the report of the machine at an address. Null: the SSH login is refused. */
export function readMachineReport(world: World, address: string): MachineReport | null {
  const state = Object.values(world.saved.machines).find(({ lease }) => lease?.address === address);
  if (state === undefined || !SSH_STAGE.test(state.stage)) return null;
  const journal = world.journals.read(state.name);
  if (journal === '') return null;
  const isWaitingForHostname = state.stage === 'kubelet' && /node-valid-hostname/.test(state.console);
  const hasBootkubeFailed = state.stage === 'stopped' && /bootkube/.test(state.console);
  return {
    name: state.name,
    journal,
    failedUnits: [
      ...(isWaitingForHostname ? ['node-valid-hostname.service'] : []),
      ...(hasBootkubeFailed ? ['bootkube.service'] : []),
    ],
    resources:
      state.stage === 'serving'
        ? {
            nodes: listObjects(world, 'nodes'),
            clusteroperators: listObjects(world, 'clusteroperators.config.openshift.io'),
          }
        : {},
  };
}

function listObjects({ store }: World, resource: string) {
  return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: store.list(resource) };
}

/** A machine that can be powered on and off and runs through its stages automatically. */
export type Machine = ReturnType<typeof createMachine>;

/** Creates a machine from its saved state. Nothing runs before `powerOn` or `resume`. */
export function createMachine(world: World, hardware: Hardware, state: MachineState) {
  let powerController: AbortController | null = null;

  function createContext(signal: AbortSignal): MachineContext {
    return {
      world,
      hardware,
      state,
      signal,
      getNetwork: () => createMachineNetwork(world, state.lease ?? NO_NETWORK, hardware.clockError),
      print: (line) => {
        if (line === state.console) return;
        state.console = line;
        world.log(`${state.name}: ${line}`);
        writeJournal(world, state, line);
      },
      sleep: (ms) => world.clock.sleep(ms, signal),
    };
  }

  async function runStages(signal: AbortSignal): Promise<void> {
    const machine = createContext(signal);
    while (!signal.aborted && state.stage !== 'off') {
      const nextStage = await STAGE_HANDLERS[state.stage](machine);
      if (signal.aborted) return;
      if (nextStage === 'installing') world.journals.clear(state.name);
      state.stage = nextStage;
      state.since = world.clock.now();
      world.log(`${state.name}: ${nextStage}`);
      world.requestSave();
    }
  }

  function startStages(): void {
    const abortController = new AbortController();
    powerController = abortController;
    const signal = AbortSignal.any([abortController.signal, world.signal]);
    runStages(signal).catch((error: unknown) => {
      if (!signal.aborted) world.log(`${state.name}: ${error instanceof Error ? error.stack : String(error)}`);
    });
  }

  return {
    hardware,
    state,
    powerOn(): void {
      if (state.stage !== 'off') return;
      // A node that was deleted from the cluster is replaced: its machine has an empty disk.
      if (state.hostname !== null && state.joinedAt !== null && !world.store.get('nodes', null, state.hostname))
        Object.assign(state, { ...createMachineState(hardware, world.clock.now()), requests: state.requests });
      state.stage = hardware.isDead ? 'dead' : 'firmware';
      state.since = world.clock.now();
      world.requestSave();
      startStages();
    },
    powerOff(): void {
      powerController?.abort();
      state.stage = 'off';
      // A machine that is not a node yet boots from the network once after it was powered off.
      state.startsFromNetwork = state.joinedAt === null;
      state.since = world.clock.now();
      state.lease = null;
      world.requestSave();
    },
    /** Continues from the saved stage after a restart of the site. */
    resume(): void {
      if (state.stage !== 'off') startStages();
    },
  };
}

/** Clock error of a machine with an empty battery: its clock starts in the year of its firmware. */
const EMPTY_BATTERY_ERROR = 7 * 365 * 24 * HOUR;

/** Enough for the system, but not for the container images of OpenShift. */
const SMALL_DISK_GIB = 30;

/** Builds the hardware of the design's machines, with the differences that faults cause. */
function buildHardware(design: Design, faults: ReadonlySet<FaultId>, seed: number): ReadonlyMap<string, Hardware> {
  const computeNodes = listNodesWithRole(design, 'compute');
  const candidates =
    computeNodes.length > 0 ? computeNodes : listNodesWithRole(design, 'infra', 'storage', 'control-plane');
  const firstIndex = Math.floor(deriveRandom(seed, 'faulty machine') * candidates.length);
  const deadName = faults.has('node-never-boots') ? candidates[firstIndex]?.name : undefined;
  const nextCandidateName = candidates[(firstIndex + 1) % Math.max(1, candidates.length)]?.name;
  const wrongMacName = faults.has('wrong-mac') ? nextCandidateName : undefined;
  const isAffected = (fault: FaultId, name: string) => findAffectedNode(fault, { design, faults, seed })?.name === name;
  return new Map(
    design.nodes.map(({ name, mac, firmware, vcpu, memoryGiB, installDisk }) => [
      name,
      {
        name,
        mac: name === wrongMacName ? getOtherMac(mac) : mac,
        firmware,
        vcpu,
        memoryGiB,
        isDead: name === deadName,
        ...(isAffected('clock-skew', name) ? { clockError: -EMPTY_BATTERY_ERROR } : {}),
        ...(isAffected('install-disk-wrong', name) ? { disk: getOtherDisk(installDisk) } : {}),
        ...(isAffected('disk-too-small', name) ? { diskGiB: SMALL_DISK_GIB } : {}),
        ...(isAffected('boots-old-disk', name) ? { hasOldSystem: true } : {}),
      },
    ]),
  );
}

/** Returns the hardware: as saved at the first power-on, and fault-free for nodes planned since then. */
export function deriveHardware(
  saved: SavedWorld,
  design: Design,
  faults: ReadonlySet<FaultId>,
  seed: number,
): ReadonlyMap<string, Hardware> {
  if (!saved.rack) return buildHardware(design, faults, seed);
  return new Map([...buildHardware(design, new Set(), seed), ...Object.entries(saved.rack)]);
}

/**
 * Repairs a machine: sets its clock, or replaces its disk or its power supply. Changes `hardware` in place.
 * @returns false if nothing is wrong
 */
export function repairHardware(hardware: Hardware, fault: FaultId): boolean {
  const key = fault === 'clock-skew' ? 'clockError' : fault === 'disk-too-small' ? 'diskGiB' : 'isDead';
  if (!hardware[key]) return false;
  Object.assign(hardware, { [key]: key === 'isDead' ? false : undefined });
  return true;
}

/** Returns a disk of another kind than the planned one, with the name that Linux gives it. */
function getOtherDisk(plannedDisk: string): string {
  return plannedDisk.includes('nvme') ? '/dev/sda' : '/dev/nvme0n1';
}

/** Returns the address with another last octet. */
function getOtherMac(mac: string): string {
  const lastOctet = (Number.parseInt(mac.slice(-2), 16) + 0x51) % 256;
  return `${mac.slice(0, -2)}${lastOctet.toString(16).padStart(2, '0')}`;
}
