import { textAt } from '../../api/objects.ts';
import type { MachineStage, MachineState } from '../saved.ts';
import type { World } from '../world.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Before that a machine runs from memory, and its lines are on the console alone. */
const INSTALLED: readonly MachineStage[] = [
  'rebooting',
  'release-image',
  'bootkube',
  'serving',
  'machine-config',
  'pivoting',
  'kubelet',
  'joined',
];
/** Ignition is done, so that sshd runs and knows the key. */
const LETS_IN: readonly MachineStage[] = [
  'release-image',
  'bootkube',
  'serving',
  'pivoting',
  'kubelet',
  'joined',
  'stopped',
];
/** The programs behind a unit, where they are called otherwise than on the console. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'release-image.service': 'release-image-download.sh',
  'bootkube.service': 'bootkube.sh',
  'node-valid-hostname.service': 'node-valid-hostname',
  'machine-config-daemon-firstboot.service': 'machine-config-daemon-firstboot',
};
const UNIT = /^([A-Za-z][\w.-]*): (.*)$/;

/** Notes a line in the journal of a machine whose system is installed, as journalctl prints it. */
export function noteInJournal({ clock, journals }: World, state: MachineState, line: string): void {
  const [, unit = '', message = ''] = UNIT.exec(line) ?? [];
  if (unit === '' || !(INSTALLED.includes(state.stage) || state.disk !== null)) return;
  const now = new Date(clock.now());
  const day = String(now.getUTCDate()).padStart(2, '0');
  const stamp = `${MONTHS[now.getUTCMonth()]} ${day} ${now.toISOString().slice(11, 19)}`;
  const program = PROGRAMS[unit] ?? unit;
  journals.write(
    state.name,
    `${stamp} ${state.hostname ?? 'localhost'} ${program}[${1000 + program.length}]: ${message}`,
  );
}

/** What somebody sees who logs in to a machine. */
export interface Inside {
  readonly name: string;
  readonly journal: string;
  /** Units that did not come up. */
  readonly failed: readonly string[];
  /** Of the node whose own API server answers: lists of objects, by resource. */
  readonly resources: Readonly<Record<string, unknown>>;
}

/** The machine at an address as it is seen over SSH; null: nobody is let in there. */
export function insideOf(world: World, address: string): Inside | null {
  const state = Object.values(world.saved.machines).find(({ lease }) => lease?.address === address);
  if (state === undefined || !LETS_IN.includes(state.stage)) return null;
  const journal = world.journals.read(state.name);
  if (journal === '') return null;
  const isWaiting = state.stage === 'kubelet' && /node-valid-hostname/.test(state.console);
  const isOver = state.stage === 'stopped' && /bootkube/.test(state.console);
  return {
    name: state.name,
    journal,
    failed: [...(isWaiting ? ['node-valid-hostname.service'] : []), ...(isOver ? ['bootkube.service'] : [])],
    resources: state.stage === 'serving' ? { nodes: list(world, 'nodes'), clusteroperators: operators(world) } : {},
  };
}

function operators(world: World) {
  return list(world, 'clusteroperators.config.openshift.io');
}

function list({ store }: World, resource: string) {
  const items = store.list(resource).map((each) => structuredClone(each));
  return {
    apiVersion: 'v1',
    kind: 'List',
    metadata: { resourceVersion: '' },
    items: items.filter((each) => textAt(each, 'metadata', 'name') !== ''),
  };
}
