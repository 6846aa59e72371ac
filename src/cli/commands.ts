import { CHECK_PHASES } from '../checks/check.ts';
import { STAGES, TOPOLOGIES } from '../design/choices.ts';
import { CLOUDS, SERVICE_LAYOUTS } from '../design/example.ts';
import { knownVersions } from '../design/versions.ts';
import { languageCodes } from '../i18n/catalogue.ts';
import { MOVES } from '../infra/moves.ts';
import { FAULTS, REPAIRABLE_FAULTS } from '../rehearsal/site/faults.ts';
import { STEP_IDS } from '../steps/contract.ts';
import { EVENTS } from '../steps/events.ts';
import { TOPIC_NAMES } from './help/index.ts';

/** The value of an option or an argument: a path, one of these words, a comma-separated list of them, or any text. */
export type OptionValue =
  | { readonly kind: 'file' | 'directory' | 'text' }
  | { readonly kind: 'word' | 'list'; readonly words: readonly string[] }
  /** A file, or one of these words. */
  | { readonly kind: 'file-or-word'; readonly words: readonly string[] };

/** A command of the command line, for shell completion and the manual. Its texts are in the catalogue. */
export interface Command {
  /** `csr approve`; empty: the wizard itself. */
  readonly name: string;
  /** Options by name, without the dashes; null: takes no value. */
  readonly options: Readonly<Record<string, OptionValue | null>>;
  /** The operand besides options and subcommand names; null: there is none. */
  readonly operand: OptionValue | null;
}

const FILE: OptionValue = { kind: 'file' };
const DIRECTORY: OptionValue = { kind: 'directory' };
const TEXT: OptionValue = { kind: 'text' };
const word = (...words: readonly string[]): OptionValue => ({ kind: 'word', words });
const list = (...words: readonly string[]): OptionValue => ({ kind: 'list', words });

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
const HOST_CHANGE = { yes: null, overwrite: null };

const createCommand = (
  name: string,
  options: Command['options'] = {},
  operand: OptionValue | null = null,
): Command => ({
  name,
  options,
  operand,
});

/** Every command that `--help` lists. A test compares their options with those that the commands parse. */
export const COMMANDS: readonly Command[] = [
  createCommand('', { ...WIZARD, override: TEXT, version: null }),
  createCommand('rehearse', {
    ...WIZARD,
    answers: { kind: 'file-or-word', words: ['example'] },
    speed: word('1', '5', '15', '30', '60', '120', '240'),
    seed: TEXT,
    break: list(...FAULTS),
    cloud: word(...CLOUDS),
    repair: word(...REPAIRABLE_FAULTS),
    stop: null,
  }),
  createCommand('design'),
  createCommand('design example', {
    topology: word(...TOPOLOGIES),
    version: word(...knownVersions()),
    services: word(...SERVICE_LAYOUTS),
  }),
  createCommand('design schema'),
  createCommand('design check', { json: null }, FILE),
  createCommand('design import', {}, FILE),
  createCommand('generate', { out: DIRECTORY, stage: word(...STAGES), force: null, json: null }, FILE),
  createCommand('status', { ...TARGET, watch: null }),
  createCommand('csr', TARGET),
  createCommand('csr list', TARGET),
  createCommand(
    'csr approve',
    { ...TARGET, expected: null, follow: null, forever: null, background: null, stop: null, yes: TEXT },
    TEXT,
  ),
  createCommand('infra', TARGET),
  createCommand('infra plan', { ...INFRA, yes: null, out: FILE }),
  createCommand('infra apply', { ...INFRA, yes: null, 'override-gitops': null, journal: FILE }, FILE),
  createCommand('infra verify', { ...INFRA, yes: null, stable: TEXT }),
  createCommand('infra undo', { ...INFRA, yes: null, overwrite: moves, 'to-defaults': null, journal: FILE }),
  createCommand('attach', { dir: DIRECTORY, view: null, 'take-over': null }),
  createCommand('detach', { dir: DIRECTORY, yes: TEXT }),
  createCommand('answer', { dir: DIRECTORY, json: null }, word('yes', 'no')),
  createCommand('event', { dir: DIRECTORY, step: word(...STEP_IDS), text: TEXT }, word(...EVENTS)),
  createCommand('sessions', { json: null }),
  createCommand('doctor', { dir: DIRECTORY, online: null, json: null }),
  createCommand('check', { dir: DIRECTORY, phase: word(...CHECK_PHASES), only: TEXT, online: null, json: null }, FILE),
  createCommand('hosts', HOSTS),
  createCommand('hosts plan', HOSTS),
  createCommand('hosts apply', { ...HOSTS, ...HOST_CHANGE, 'side-by-side': null, 'revert-after': TEXT }),
  createCommand('hosts verify', HOSTS),
  createCommand('hosts undo', { ...HOSTS, ...HOST_CHANGE, 'side-by-side': null }),
  createCommand('export'),
  createCommand('export ansible', { dir: DIRECTORY, force: null, json: null }, DIRECTORY),
  createCommand('diagnose', { dir: DIRECTORY, bundle: FILE, online: null, json: null }),
  createCommand('bundle', { dir: DIRECTORY, out: FILE, yes: null, json: null }),
  createCommand('completion', {}, word('bash', 'zsh', 'fish')),
  createCommand('man'),
  createCommand('help', {}, word(...TOPIC_NAMES)),
];

/** The options that every command takes. */
export const COMMON_OPTIONS: Command['options'] = { lang: word(...languageCodes()), help: null };

/** Lists the names of the direct subcommands: `list` and `approve` of `csr`. */
export function listSubcommands(name: string): readonly string[] {
  const prefix = name === '' ? '' : `${name} `;
  const rests = COMMANDS.filter((each) => each.name !== name && each.name.startsWith(prefix)).map((each) =>
    each.name.slice(prefix.length),
  );
  return rests.filter((rest) => rest !== '' && !rest.includes(' '));
}

/** Returns all options of a command, including the common ones. */
export function getOptions({ options }: Command): Command['options'] {
  return { ...options, ...COMMON_OPTIONS };
}
