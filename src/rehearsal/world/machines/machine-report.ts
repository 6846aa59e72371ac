import { getString } from '../../api/objects.ts';
import type { MachineStage, MachineState } from '../saved.ts';
import type { World } from '../world.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Stages with an installed system. Before them a machine runs from memory, and its lines are only on the console. */
const INSTALLED_STAGES: readonly MachineStage[] = [
  'rebooting',
  'release-image',
  'bootkube',
  'serving',
  'machine-config',
  'pivoting',
  'kubelet',
  'joined',
];
/** Stages after Ignition, in which sshd runs and knows the key. */
const SSH_STAGES: readonly MachineStage[] = [
  'release-image',
  'bootkube',
  'serving',
  'pivoting',
  'kubelet',
  'joined',
  'stopped',
];
/** Programs of units whose names differ from those on the console. */
const UNIT_PROGRAMS: Readonly<Record<string, string>> = {
  'release-image.service': 'release-image-download.sh',
  'bootkube.service': 'bootkube.sh',
  'node-valid-hostname.service': 'node-valid-hostname',
  'machine-config-daemon-firstboot.service': 'machine-config-daemon-firstboot',
};
const CONSOLE_LINE = /^([A-Za-z][\w.-]*): (.*)$/;

/** Writes a line to the journal of a machine with an installed system, as journalctl prints it. */
export function writeJournal({ clock, journals }: World, state: MachineState, line: string): void {
  const [, unit = '', message = ''] = CONSOLE_LINE.exec(line) ?? [];
  if (unit === '' || !(INSTALLED_STAGES.includes(state.stage) || state.disk !== null)) return;
  const now = new Date(clock.now());
  const day = String(now.getUTCDate()).padStart(2, '0');
  const stamp = `${MONTHS[now.getUTCMonth()]} ${day} ${now.toISOString().slice(11, 19)}`;
  const program = UNIT_PROGRAMS[unit] ?? unit;
  journals.write(
    state.name,
    `${stamp} ${state.hostname ?? 'localhost'} ${program}[${1000 + program.length}]: ${message}`,
  );
}

/** State of a machine as an SSH login shows it. */
export interface MachineReport {
  readonly name: string;
  readonly journal: string;
  /** Units that failed to start. */
  readonly failed: readonly string[];
  /** Lists of objects by resource, if the node's own API server answers. */
  readonly resources: Readonly<Record<string, unknown>>;
}

/** Reads the report of the machine at an address. Null: the SSH login is refused. */
export function readMachineReport(world: World, address: string): MachineReport | null {
  const state = Object.values(world.saved.machines).find(({ lease }) => lease?.address === address);
  if (state === undefined || !SSH_STAGES.includes(state.stage)) return null;
  const journal = world.journals.read(state.name);
  if (journal === '') return null;
  const isWaitingForHostname = state.stage === 'kubelet' && /node-valid-hostname/.test(state.console);
  const hasBootkubeFailed = state.stage === 'stopped' && /bootkube/.test(state.console);
  return {
    name: state.name,
    journal,
    failed: [
      ...(isWaitingForHostname ? ['node-valid-hostname.service'] : []),
      ...(hasBootkubeFailed ? ['bootkube.service'] : []),
    ],
    resources:
      state.stage === 'serving'
        ? { nodes: listObjects(world, 'nodes'), clusteroperators: listClusterOperators(world) }
        : {},
  };
}

function listClusterOperators(world: World) {
  return listObjects(world, 'clusteroperators.config.openshift.io');
}

function listObjects({ store }: World, resource: string) {
  const items = store.list(resource).map((each) => structuredClone(each));
  return {
    apiVersion: 'v1',
    kind: 'List',
    metadata: { resourceVersion: '' },
    items: items.filter((each) => getString(each, 'metadata', 'name') !== ''),
  };
}
