import type { Catalogue } from '../i18n/en/index.ts';
import type { WordList, WordOf } from './word-lists.ts';

/** The value of an option or an argument. */
export interface ValueSpec {
  /**
   * `texts` and `words`: separated by commas, repeatable. `number`: a whole number from `from` to `to`, else any
   * above 0.
   */
  readonly kind: 'text' | 'file' | 'directory' | 'number' | 'word' | 'texts' | 'words';
  /** Its name in the help: `FILE`. */
  readonly name: string;
  readonly sentenceKey: SentenceKey;
  /** The possible words of the kinds `word` and `words`; of others, words for completion. */
  readonly words?: WordList;
  /** The limits of a whole number. */
  readonly from?: number;
  readonly to?: number;
  /** A command without it is a usage error. */
  readonly isRequired?: true;
  /** The value if none is given. */
  readonly default?: string;
  /** Accepted, but not listed in help and completion. */
  readonly isHidden?: true;
  /** Shown wherever the command is shown with its arguments. */
  readonly isInSynopsis?: true;
}

interface FlagSpec {
  readonly kind: 'flag';
  readonly sentenceKey: SentenceKey;
  readonly isHidden?: true;
  readonly isInSynopsis?: true;
}

export type OptionSpec = FlagSpec | ValueSpec;

/** Arguments that are not options: one, one at most, any number, or at least one. */
export type OperandSpec = ValueSpec & { readonly count: 'one' | 'optional' | 'any' | 'some' };

export interface CommandSpec {
  /** Its output is to be read from its beginning: on a terminal a pager shows it if it is longer than the screen. */
  readonly isPaged?: true;
  /** By name, without the dashes, in the order of the help. */
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly operand?: OperandSpec;
  /** One to three command lines as a user types them; a group of commands has those of its subcommands. */
  readonly examples?: readonly string[];
}

type SentenceKey = keyof Catalogue['commands']['options'];

const flag = (sentenceKey: SentenceKey) => ({ kind: 'flag', sentenceKey }) as const;
const text = (name: string, sentenceKey: SentenceKey) => ({ kind: 'text', name, sentenceKey }) as const;
const texts = (name: string, sentenceKey: SentenceKey) => ({ kind: 'texts', name, sentenceKey }) as const;
const file = (name: string, sentenceKey: SentenceKey) => ({ kind: 'file', name, sentenceKey }) as const;
const directory = (name: string, sentenceKey: SentenceKey) => ({ kind: 'directory', name, sentenceKey }) as const;
const positiveNumber = (name: string, sentenceKey: SentenceKey) => ({ kind: 'number', name, sentenceKey }) as const;
const integer = (name: string, from: number, to: number, sentenceKey: SentenceKey) =>
  ({ kind: 'number', name, from, to, sentenceKey }) as const;
const word = <List extends WordList>(name: string, words: List, sentenceKey: SentenceKey) =>
  ({ kind: 'word', name, words, sentenceKey }) as const;
const wordList = <List extends WordList>(name: string, list: List, sentenceKey: SentenceKey) =>
  ({ kind: 'words', name, words: list, sentenceKey }) as const;
const hide = <Spec extends OptionSpec>(spec: Spec) => ({ ...spec, isHidden: true }) as const;
const showInSynopsis = <Spec extends OptionSpec>(spec: Spec) => ({ ...spec, isInSynopsis: true }) as const;

const DIR_OPTION = directory('D', 'dir');
const JSON_OPTION = flag('json');
const YES_OPTION = flag('yes');

const FRONT_END_OPTIONS = {
  plain: flag('plain'),
  'screen-reader': flag('screen-reader'),
  'no-bell': flag('no-bell'),
  notify: flag('notify'),
  'no-mouse': flag('no-mouse'),
} as const;
const ON_EVENT_OPTION = { 'on-event': { ...text('CMD', 'on-event'), words: 'built-in-event-commands' } } as const;
const TARGET_OPTIONS = {
  dir: DIR_OPTION,
  design: file('FILE', 'design'),
  kubeconfig: file('K', 'kubeconfig'),
  json: JSON_OPTION,
} as const;
const ONLY_OPTION = wordList('MOVE,MOVE', 'moves', 'only-moves');
const INFRA_OPTIONS = {
  ...TARGET_OPTIONS,
  kubeconfig: file('K', 'kubeconfig-alone'),
  'infra-nodes': texts('NODE,NODE', 'infra-nodes'),
  'infra-machines': integer('N', 1, 100, 'infra-machines'),
  'machine-size': text('S', 'machine-size'),
  'health-check': flag('health-check'),
  'worker-machines': text('MIN-MAX', 'worker-machines'),
  'router-replicas': integer('N', 1, 100, 'router-replicas'),
} as const;
const HOSTS_OPTIONS = { dir: DIR_OPTION, host: texts('HOST,HOST', 'host'), json: JSON_OPTION } as const;
const HOSTS_CHANGE_OPTIONS = {
  yes: YES_OPTION,
  overwrite: flag('overwrite-files'),
  'side-by-side': flag('side-by-side'),
} as const;

/** Every command, in the order of the help. A subcommand follows its command; the empty name is the wizard. */
export const COMMANDS = {
  '': {
    examples: ['upi-wizard', 'upi-wizard --dir prod7 --answers site.yaml', 'upi-wizard rehearse'],
    options: {
      dir: showInSynopsis(directory('D', 'wizard-dir')),
      answers: file('FILE', 'wizard-answers'),
      mirror: directory('DIR', 'mirror'),
      ...FRONT_END_OPTIONS,
      override: text("'ID,ID: REASON'", 'override'),
      ...ON_EVENT_OPTION,
      version: flag('print-version'),
    },
  },
  rehearse: {
    examples: [
      'upi-wizard rehearse',
      'upi-wizard rehearse --answers example --plain --speed 240',
      'upi-wizard rehearse --answers site.yaml --plain --break wrong-mac',
    ],
    options: {
      answers: showInSynopsis({ ...file('FILE', 'answers'), words: 'examples' }),
      speed: { ...positiveNumber('N', 'speed'), words: 'speeds' },
      seed: positiveNumber('N', 'seed'),
      break: showInSynopsis(wordList('ID,ID', 'faults', 'break')),
      cloud: showInSynopsis(word('C', 'clouds', 'cloud')),
      repair: word('ID', 'repairs', 'repair'),
      stop: flag('stop-site'),
      mirror: directory('DIR', 'rehearsal-mirror'),
      dir: directory('D', 'rehearsal-dir'),
      ...FRONT_END_OPTIONS,
      ...ON_EVENT_OPTION,
    },
  },
  design: { options: {} },
  'design example': {
    examples: [
      'upi-wizard design example > site.yaml',
      'upi-wizard design example --topology compact --services bastion > site.yaml',
    ],
    isPaged: true,
    options: {
      topology: { ...word('T', 'topologies', 'topology'), default: 'standard' },
      version: { ...text('X.Y', 'openshift-version'), words: 'versions', default: '4.18' },
      services: { ...word('L', 'layouts', 'services'), default: 'hosts' },
    },
  },
  'design schema': { examples: ['upi-wizard design schema > design-schema.json'], isPaged: true, options: {} },
  'design check': {
    examples: [
      'upi-wizard design check site.yaml',
      "upi-wizard design check site.yaml --json | jq '.problems[] | {path, message}'",
    ],
    isPaged: true,
    operand: { ...file('FILE', 'design-file'), count: 'one' },
    options: { json: JSON_OPTION },
  },
  'design diagram': {
    examples: ['upi-wizard design diagram site.yaml', 'upi-wizard design diagram site.yaml --svg > networks.svg'],
    isPaged: true,
    operand: { ...file('FILE', 'design-file'), count: 'one' },
    options: { svg: flag('svg') },
  },
  'design import': {
    examples: ['upi-wizard design import install-config.yaml nodes.csv > site.yaml'],
    operand: { ...file('FILE', 'import-file'), count: 'some' },
    options: {},
  },
  generate: {
    examples: [
      'upi-wizard generate site.yaml --out files',
      'upi-wizard generate site.yaml --out files --stage infra-added',
    ],
    operand: { ...file('FILE', 'design-file'), count: 'one' },
    options: {
      out: { ...directory('DIR', 'out-directory'), isRequired: true },
      stage: { ...word('S', 'stages', 'stage'), default: 'install' },
      force: flag('force'),
      json: JSON_OPTION,
    },
  },
  export: { options: {} },
  'export ansible': {
    examples: ['upi-wizard export ansible playbooks'],
    operand: { ...directory('DIR', 'export-directory'), count: 'one' },
    options: { force: flag('force'), dir: DIR_OPTION, json: JSON_OPTION },
  },
  'export downloads': {
    examples: [
      'upi-wizard export downloads site.yaml > fetch.sh',
      'upi-wizard export downloads site.yaml --imageset > imageset.yaml',
    ],
    isPaged: true,
    operand: { ...file('FILE', 'exported-design'), count: 'optional' },
    options: { imageset: showInSynopsis(flag('imageset')), dir: DIR_OPTION, json: JSON_OPTION },
  },
  'export node-image': {
    examples: ['upi-wizard export node-image > node-image.sh'],
    isPaged: true,
    operand: { ...file('FILE', 'exported-design'), count: 'optional' },
    options: { dir: DIR_OPTION, json: JSON_OPTION },
  },
  hosts: { options: {} },
  'hosts plan': {
    examples: ['upi-wizard hosts plan', 'upi-wizard hosts plan --host lb1'],
    isPaged: true,
    options: HOSTS_OPTIONS,
  },
  'hosts apply': {
    examples: ['upi-wizard hosts apply', 'upi-wizard hosts apply --host ns1,lb1 --yes'],
    options: { ...HOSTS_CHANGE_OPTIONS, 'revert-after': integer('S', 10, 600, 'revert-after'), ...HOSTS_OPTIONS },
  },
  'hosts verify': {
    examples: ['upi-wizard hosts verify', 'upi-wizard hosts verify --host lb1 --json'],
    isPaged: true,
    options: HOSTS_OPTIONS,
  },
  'hosts undo': {
    examples: ['upi-wizard hosts undo --host lb1'],
    options: { ...HOSTS_CHANGE_OPTIONS, ...HOSTS_OPTIONS },
  },
  doctor: {
    examples: ['upi-wizard doctor', 'upi-wizard doctor --online'],
    isPaged: true,
    options: { online: flag('online-names'), dir: DIR_OPTION, json: JSON_OPTION },
  },
  check: {
    examples: [
      'upi-wizard check',
      'upi-wizard check site.yaml --phase dns',
      'upi-wizard check --only disk-space,memory',
    ],
    isPaged: true,
    operand: { ...file('FILE', 'checked-design'), count: 'optional' },
    options: {
      phase: showInSynopsis(word('P', 'phases', 'phase')),
      only: wordList('ID,ID', 'checks', 'only-checks'),
      all: flag('all-checks'),
      online: flag('online-registries'),
      dir: DIR_OPTION,
      json: JSON_OPTION,
    },
  },
  diagnose: {
    examples: ['upi-wizard diagnose', 'upi-wizard diagnose --bundle log-bundle.tar.gz'],
    isPaged: true,
    options: {
      bundle: showInSynopsis(file('FILE', 'log-bundle')),
      online: flag('online-time'),
      dir: DIR_OPTION,
      json: JSON_OPTION,
    },
  },
  status: {
    examples: [
      'upi-wizard status',
      'upi-wizard status --watch',
      'upi-wizard status --design site.yaml --kubeconfig auth/kubeconfig',
    ],
    options: { watch: showInSynopsis(flag('watch')), ...TARGET_OPTIONS },
  },
  csr: { options: {} },
  'csr list': {
    examples: ['upi-wizard csr list', "upi-wizard csr list --json | jq '.requests[] | {name, verdict, reasons}'"],
    isPaged: true,
    options: TARGET_OPTIONS,
  },
  'csr approve': {
    examples: [
      'upi-wizard csr approve --expected',
      'upi-wizard csr approve csr-8vnps',
      'upi-wizard csr approve --follow',
    ],
    operand: { ...text('NAME', 'request'), count: 'any' },
    options: {
      expected: showInSynopsis(flag('expected')),
      follow: flag('follow'),
      forever: flag('forever'),
      background: flag('background'),
      stop: flag('stop-job'),
      yes: texts('NODE', 'yes-node'),
      ...TARGET_OPTIONS,
    },
  },
  'csr deny': {
    examples: ['upi-wizard csr deny csr-8vnps', 'upi-wizard csr deny csr-8vnps csr-x2k7f --yes'],
    operand: { ...text('NAME', 'denied-request'), count: 'some' },
    options: { yes: YES_OPTION, ...TARGET_OPTIONS },
  },
  infra: { options: {} },
  'infra plan': {
    examples: [
      'upi-wizard infra plan',
      'upi-wizard infra plan --only router,monitoring --out moves.json',
      'upi-wizard infra plan --kubeconfig auth/kubeconfig --infra-nodes i1,i2,i3',
    ],
    isPaged: true,
    options: {
      only: ONLY_OPTION,
      out: showInSynopsis(file('FILE', 'out-plan')),
      ...INFRA_OPTIONS,
      yes: hide(YES_OPTION),
    },
  },
  'infra apply': {
    examples: [
      'upi-wizard infra apply',
      'upi-wizard infra apply moves.json',
      'upi-wizard infra apply --only router --yes',
    ],
    operand: { ...file('FILE', 'plan-file'), count: 'optional' },
    options: {
      only: ONLY_OPTION,
      yes: YES_OPTION,
      'override-gitops': flag('override-gitops'),
      ...INFRA_OPTIONS,
      journal: file('FILE', 'journal'),
    },
  },
  'infra verify': {
    examples: ['upi-wizard infra verify', 'upi-wizard infra verify --stable 5'],
    isPaged: true,
    options: {
      only: ONLY_OPTION,
      stable: integer('MINUTES', 1, 1440, 'stable'),
      ...INFRA_OPTIONS,
      yes: hide(YES_OPTION),
    },
  },
  'infra undo': {
    examples: ['upi-wizard infra undo', 'upi-wizard infra undo --only monitoring'],
    options: {
      only: ONLY_OPTION,
      yes: YES_OPTION,
      overwrite: wordList('MOVE,MOVE', 'moves', 'overwrite-moves'),
      'to-defaults': flag('to-defaults'),
      ...INFRA_OPTIONS,
      journal: file('FILE', 'journal'),
    },
  },
  'infra job': {
    examples: ['upi-wizard infra job', 'upi-wizard infra job --follow'],
    options: {
      follow: flag('follow-moves'),
      stop: flag('stop-moves'),
      'carry-out': hide(flag('carry-out')),
      dir: DIR_OPTION,
      json: JSON_OPTION,
    },
  },
  answer: {
    examples: ['upi-wizard answer', 'upi-wizard answer yes'],
    operand: { ...text('yes|no|TEXT', 'answer'), words: 'answers', count: 'optional' },
    options: { dir: DIR_OPTION, json: JSON_OPTION },
  },
  attach: {
    examples: ['upi-wizard attach --view', 'upi-wizard attach --take-over'],
    options: {
      view: showInSynopsis(flag('view')),
      'take-over': showInSynopsis(flag('take-over')),
      dir: DIR_OPTION,
      ...FRONT_END_OPTIONS,
    },
  },
  detach: { examples: ['upi-wizard detach --dir prod7'], options: { dir: DIR_OPTION, yes: text('WORD', 'yes-word') } },
  sessions: {
    examples: ['upi-wizard sessions', "upi-wizard sessions --json | jq '.sessions'"],
    isPaged: true,
    options: { json: JSON_OPTION },
  },
  event: {
    examples: ["upi-wizard event question --text 'only a test'"],
    operand: { ...word('EVENT', 'events', 'event'), count: 'one' },
    options: {
      dir: DIR_OPTION,
      step: { ...word('S', 'steps', 'step'), default: 'report' },
      text: text('T', 'event-text'),
      // Jobs that outlive the wizard raise their events with these.
      job: hide(text('NAME', 'event-text')),
      code: hide(text('N', 'event-text')),
    },
  },
  report: {
    examples: [
      'upi-wizard report > report.md',
      'upi-wizard report --html report.html',
      'upi-wizard report --kubeconfig auth/kubeconfig --md report.md',
    ],
    isPaged: true,
    options: {
      html: showInSynopsis(file('FILE', 'html-report')),
      md: showInSynopsis(file('FILE', 'markdown-report')),
      ...TARGET_OPTIONS,
      kubeconfig: file('K', 'kubeconfig-alone'),
    },
  },
  bundle: {
    examples: ['upi-wizard bundle', 'upi-wizard bundle --out bundle.tar.gz --yes'],
    options: { out: showInSynopsis(file('FILE', 'out-bundle')), yes: YES_OPTION, dir: DIR_OPTION, json: JSON_OPTION },
  },
  completion: {
    examples: [
      'source <(upi-wizard completion bash)',
      'source <(upi-wizard completion zsh)',
      'upi-wizard completion fish | source',
    ],
    operand: { ...word('SHELL', 'shells', 'shell'), count: 'one' },
    options: {},
  },
  man: { examples: ['upi-wizard man | man -l -'], isPaged: true, options: {} },
  help: {
    examples: ['upi-wizard help csr', 'upi-wizard help infra apply', 'upi-wizard help config-server-closed'],
    isPaged: true,
    operand: { ...text('TOPIC|COMMAND', 'topic'), words: 'topics', count: 'any' },
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

/** The options that every command takes. They are handled before the command is known. */
export const COMMON_OPTIONS: CommandSpec['options'] = {
  lang: { ...text('L', 'lang'), words: 'languages' },
  color: { ...word('WHEN', 'color-choices', 'color'), default: 'auto' },
  help: flag('help'),
};

export type CommandName = keyof typeof COMMANDS;
/** The name of a command that only groups subcommands: `csr` of `csr list`. */
type GroupName = { [Name in CommandName]: Name extends `${infer Group} ${string}` ? Group : never }[CommandName];
/** A command that does something itself. */
export type RunnableName = Exclude<CommandName, GroupName>;

type PresentValue<Spec> = Spec extends { readonly kind: 'number' }
  ? number
  : Spec extends { readonly kind: 'word'; readonly words: infer List extends WordList }
    ? WordOf<List>
    : Spec extends { readonly kind: 'words'; readonly words: infer List extends WordList }
      ? readonly WordOf<List>[]
      : Spec extends { readonly kind: 'texts' }
        ? readonly string[]
        : string;

type OptionValue<Spec> = Spec extends { readonly kind: 'flag' }
  ? boolean
  : Spec extends { readonly isRequired: true } | { readonly default: string }
    ? PresentValue<Spec>
    : PresentValue<Spec> | undefined;

type OperandValue<Spec> = Spec extends { readonly count: 'one' }
  ? PresentValue<Spec>
  : Spec extends { readonly count: 'optional' }
    ? PresentValue<Spec> | undefined
    : Spec extends { readonly count: 'any' | 'some' }
      ? readonly PresentValue<Spec>[]
      : undefined;

/** The parsed options of a command. */
type OptionsOf<Name extends CommandName> = {
  readonly [Option in keyof (typeof COMMANDS)[Name]['options']]: OptionValue<
    (typeof COMMANDS)[Name]['options'][Option]
  >;
};

/** The parsed arguments of a command, with which its code is called. */
export interface Arguments<Name extends CommandName> {
  readonly options: OptionsOf<Name>;
  readonly operand: (typeof COMMANDS)[Name] extends { readonly operand: infer Spec } ? OperandValue<Spec> : undefined;
}

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** Returns the entry of a command in the table. */
export const getCommand = (name: CommandName): CommandSpec => COMMANDS[name];

/** Returns the command with this name; undefined if there is none. */
export const findCommand = (name: string): CommandName | undefined =>
  COMMAND_NAMES.find((commandName) => commandName === name);

/** Returns the full name of a subcommand: `csr`, `list` -> `csr list`. */
export const joinName = (name: CommandName, lastWord: string): string =>
  name === '' ? lastWord : `${name} ${lastWord}`;

/** Lists the direct subcommands: `csr list`, `csr approve` and `csr deny` of `csr`. */
export function listSubcommands(name: CommandName): readonly CommandName[] {
  const depth = name === '' ? 1 : name.split(' ').length + 1;
  return COMMAND_NAMES.filter(
    (commandName) =>
      commandName !== '' &&
      commandName.split(' ').length === depth &&
      (name === '' || commandName.startsWith(`${name} `)),
  );
}

/**
 * Lists the options that help and completion show for a command: its own, or those that all of its subcommands take,
 * without those of every command.
 */
export function listOptions(name: CommandName): CommandSpec['options'] {
  const [firstOptions = getCommand(name).options, ...otherOptions] = isGroup(name)
    ? listSubcommands(name).map((subcommand) => getCommand(subcommand).options)
    : [];
  const isShared = ([option, spec]: readonly [string, OptionSpec]) =>
    !spec.isHidden && otherOptions.every((options) => options[option]?.sentenceKey === spec.sentenceKey);
  return Object.fromEntries(Object.entries(firstOptions).filter(isShared));
}

/** Lists the examples of a command; of a group, the first one of each subcommand. */
export const listExamples = (name: CommandName): readonly string[] =>
  isGroup(name)
    ? listSubcommands(name).flatMap((subcommand) => getCommand(subcommand).examples?.slice(0, 1) ?? [])
    : (getCommand(name).examples ?? []);

/** Returns the last word of a command: `list` of `csr list`. */
export const getLastWord = (name: CommandName): string => name.split(' ').at(-1) ?? '';

/** Whether a name only groups subcommands. The empty name does not: it is the wizard. */
export const isGroup = (name: CommandName): name is GroupName => name !== '' && listSubcommands(name).length > 0;
