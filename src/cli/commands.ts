import { SERVICE_LAYOUTS } from '../design/example.ts';
import { CLOUDS } from '../design/example-cloud.ts';
import { STAGES, TOPOLOGIES } from '../design/model.ts';
import { knownVersions } from '../design/versions.ts';
import { PHASES } from '../diagnosis/finding.ts';
import { MOVES } from '../moves/table.ts';
import { FAULTS, REPAIRED } from '../rehearsal/site/faults.ts';
import { STEP_IDS } from '../steps/contract.ts';
import { EVENTS } from '../steps/events/index.ts';
import { languageCodes } from '../text/languages.ts';
import { TOPIC_NAMES } from './help/topics.ts';

/** What an option or an argument takes: a path, one of these words, several of them between commas, or any text. */
export type Value =
  | { readonly kind: 'file' | 'directory' | 'text' }
  | { readonly kind: 'word' | 'list'; readonly words: readonly string[] }
  /** A file, or one of these words. */
  | { readonly kind: 'file-or-word'; readonly words: readonly string[] };

/** A command of the command line, for shells and the manual. Its words are in the catalogue. */
export interface Command {
  /** `csr approve`; empty: the wizard itself. */
  readonly name: string;
  /** By name, without the dashes; null: takes no value. */
  readonly options: Readonly<Record<string, Value | null>>;
  /** What stands after it besides options and the names of its own commands. */
  readonly operand: Value | null;
}

const FILE: Value = { kind: 'file' };
const DIRECTORY: Value = { kind: 'directory' };
const TEXT: Value = { kind: 'text' };
const word = (...words: readonly string[]): Value => ({ kind: 'word', words });
const list = (...words: readonly string[]): Value => ({ kind: 'list', words });

const WIZARD = {
  dir: DIRECTORY,
  plain: null,
  'screen-reader': null,
  'no-bell': null,
  'no-mouse': null,
  'on-event': word('wall', 'write', 'off'),
};
const TARGET = { dir: DIRECTORY, design: FILE, kubeconfig: FILE, json: null };
const moves = list(...MOVES.map(({ name }) => name));
const INFRA = {
  ...TARGET,
  only: moves,
  'infra-nodes': TEXT,
  'infra-machines': TEXT,
  'machine-size': TEXT,
  'health-check': null,
  'worker-machines': TEXT,
  'router-replicas': TEXT,
};

const HOSTS = { dir: DIRECTORY, host: TEXT, json: null };
const HOST_ACT = { yes: null, overwrite: null };

const command = (name: string, options: Command['options'] = {}, operand: Value | null = null): Command => ({
  name,
  options,
  operand,
});

/** Every command, as `--help` has them. A test compares their options with those that the commands parse. */
export const COMMANDS: readonly Command[] = [
  command('', { ...WIZARD, override: TEXT, version: null }),
  command('rehearse', {
    ...WIZARD,
    answers: { kind: 'file-or-word', words: ['example'] },
    speed: word('1', '5', '15', '30', '60', '120', '240'),
    seed: TEXT,
    break: list(...FAULTS),
    cloud: word(...CLOUDS),
    repair: word(...REPAIRED),
    stop: null,
  }),
  command('design'),
  command('design example', {
    topology: word(...TOPOLOGIES),
    version: word(...knownVersions()),
    services: word(...SERVICE_LAYOUTS),
  }),
  command('design schema'),
  command('design check', { json: null }, FILE),
  command('design import', {}, FILE),
  command('generate', { out: DIRECTORY, stage: word(...STAGES), force: null, json: null }, FILE),
  command('status', { ...TARGET, watch: null }),
  command('csr', TARGET),
  command('csr list', TARGET),
  command(
    'csr approve',
    { ...TARGET, expected: null, follow: null, forever: null, background: null, stop: null, yes: TEXT },
    TEXT,
  ),
  command('infra', TARGET),
  command('infra plan', { ...INFRA, yes: null, out: FILE }),
  command('infra apply', { ...INFRA, yes: null, 'override-gitops': null, journal: FILE }, FILE),
  command('infra verify', { ...INFRA, yes: null, stable: TEXT }),
  command('infra undo', { ...INFRA, yes: null, overwrite: moves, 'to-defaults': null, journal: FILE }),
  command('attach', { dir: DIRECTORY, view: null, 'take-over': null }),
  command('detach', { dir: DIRECTORY, yes: TEXT }),
  command('answer', { dir: DIRECTORY, json: null }, word('yes', 'no')),
  command('event', { dir: DIRECTORY, step: word(...STEP_IDS), text: TEXT }, word(...EVENTS)),
  command('sessions', { json: null }),
  command('doctor', { dir: DIRECTORY, online: null, json: null }),
  command('check', { dir: DIRECTORY, phase: word(...PHASES), only: TEXT, online: null, json: null }, FILE),
  command('hosts', HOSTS),
  command('hosts plan', HOSTS),
  command('hosts apply', { ...HOSTS, ...HOST_ACT, 'side-by-side': null, 'revert-after': TEXT }),
  command('hosts verify', HOSTS),
  command('hosts undo', { ...HOSTS, ...HOST_ACT, 'side-by-side': null }),
  command('export'),
  command('export ansible', { dir: DIRECTORY, force: null, json: null }, DIRECTORY),
  command('diagnose', { dir: DIRECTORY, bundle: FILE, online: null, json: null }),
  command('bundle', { dir: DIRECTORY, out: FILE, yes: null, json: null }),
  command('completion', {}, word('bash', 'zsh', 'fish')),
  command('man'),
  command('help', {}, word(...TOPIC_NAMES)),
];

/** The options that every command takes. */
export const COMMON: Command['options'] = { lang: word(...languageCodes()), help: null };

/** The commands right below one: `list` and `approve` of `csr`. */
export function commandsOf(name: string): readonly string[] {
  const before = name === '' ? '' : `${name} `;
  const rests = COMMANDS.filter((each) => each.name !== name && each.name.startsWith(before)).map((each) =>
    each.name.slice(before.length),
  );
  return rests.filter((rest) => rest !== '' && !rest.includes(' '));
}

/** What a command may be given: its options and the common ones. */
export function optionsOf({ options }: Command): Command['options'] {
  return { ...options, ...COMMON };
}
