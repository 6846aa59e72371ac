import { catalogue } from '../../i18n/catalogue.ts';
import { splitProse } from '../../i18n/prose.ts';
import {
  COMMAND_NAMES,
  COMMON_OPTIONS,
  type CommandName,
  type CommandSpec,
  getCommand,
  getLastWord,
  isGroup,
  listExamples,
  listOptions,
  listSubcommands,
  type OperandSpec,
  type OptionSpec,
} from '../commands.ts';
import { WORD_LISTS } from '../word-lists.ts';
import { type Block, heading, type Term, terms, text, verbatim } from './page.ts';

const words = () => catalogue().commands.help;
/** The maximum number of possible words to list here: longer lists have a help page of their own. */
const MAX_WORDS = 10;

/** Returns the output of `upi-wizard --help`: all commands, one per line, and the options of the wizard. */
export async function buildOverview(version: string): Promise<readonly Block[]> {
  return [
    lines(`upi-wizard ${version}`),
    text(words().tagline),
    lines(...formatUsage('')),
    text(words().wizard),
    heading(words().commandsTitle),
    terms(listSubcommands('').map((name) => ({ name: formatOverviewName(name), lines: [getSummary(name)] }))),
    heading(words().wizardTitle),
    await buildOptions(listOptions('')),
    heading(words().commonTitle),
    await buildOptions(COMMON_OPTIONS),
    heading(words().examplesTitle),
    buildExamples(''),
    text(words().exitCodes),
    text(words().more),
  ];
}

/** Returns the output of `upi-wizard COMMAND --help`. */
export async function buildCommandPage(name: CommandName): Promise<readonly Block[]> {
  const options = { ...listOptions(name), ...COMMON_OPTIONS };
  return [
    lines(...formatUsage(name)),
    ...describeCommand(name),
    ...(isGroup(name)
      ? [
          heading(words().commandsTitle),
          terms(
            listSubcommands(name).map((subcommand) => ({
              name: formatSynopsis(subcommand),
              lines: [getSummary(subcommand)],
            })),
          ),
        ]
      : []),
    ...(await buildOperand(name)),
    heading(isGroup(name) ? words().sharedTitle : words().optionsTitle),
    await buildOptions(options),
    heading(words().examplesTitle),
    buildExamples(name),
    ...(isGroup(name) ? [text(words().moreOf(name))] : []),
  ];
}

/** Returns every command with its arguments and options. */
export async function buildAllCommandsPage(): Promise<readonly Block[]> {
  const parts = await Promise.all(
    COMMAND_NAMES.filter((name) => !isGroup(name)).map(async (name) => {
      const options = listOptions(name);
      return [
        { kind: 'heading', text: `upi-wizard ${formatSynopsis(name)}`.trim(), isCommand: true } as const,
        ...describeCommand(name),
        ...(await buildOperand(name, false)),
        ...(Object.keys(options).length === 0 ? [] : [await buildOptions(options)]),
        text(`${words().examplesTitle}:`),
        buildExamples(name),
      ];
    }),
  );
  return [...parts.flat(), heading(words().commonTitle), await buildOptions(COMMON_OPTIONS), text(words().exitCodes)];
}

/** Formats the words of a command, its arguments, and the options that it needs: `generate FILE --out DIR`. */
function formatSynopsis(name: CommandName): string {
  return joinSynopsis(name, (spec) => 'isRequired' in spec);
}

/** Formats the synopsis with the most important options, too: `status [--watch]`. */
export function formatLongSynopsis(name: CommandName): string {
  return joinSynopsis(name, (spec) => spec.isInSynopsis === true || 'isRequired' in spec);
}

function joinSynopsis(name: CommandName, isShown: (spec: OptionSpec) => boolean): string {
  const { operand, options } = getCommand(name);
  const shownOptions = Object.entries(options)
    .filter(([, spec]) => isShown(spec))
    .map(([option, spec]) => ('isRequired' in spec ? formatOption(option, spec) : `[${formatOption(option, spec)}]`));
  return [name, ...(operand === undefined ? [] : [formatOperand(operand)]), ...shownOptions]
    .filter((part) => part !== '')
    .join(' ');
}

function formatOperand({ name, count }: OperandSpec): string {
  return { one: name, optional: `[${name}]`, any: `[${name}…]`, some: `${name}…` }[count];
}

/** Returns the line about a command. */
export const getSummary = (name: CommandName): string => catalogue().commands.summaries[name];

const lines = (...texts: readonly string[]): Block => ({ kind: 'verbatim', text: texts.join('\n'), indent: 0 });

function formatUsage(name: CommandName): readonly string[] {
  const [firstForm, ...otherForms] =
    name === ''
      ? ['[OPTIONS]', 'COMMAND [OPTIONS]']
      : [isGroup(name) ? `${name} COMMAND [OPTIONS]` : `${formatSynopsis(name)} [OPTIONS]`];
  const usage = words().usage(`upi-wizard ${firstForm}`);
  const indent = ' '.repeat(usage.indexOf('upi-wizard'));
  return [usage, ...otherForms.map((form) => `${indent}upi-wizard ${form}`)];
}

/** Formats the name of a command with its subcommands: `infra plan|apply|verify|undo`. */
function formatOverviewName(name: CommandName): string {
  return isGroup(name) ? `${name} ${listSubcommands(name).map(getLastWord).join('|')}` : formatSynopsis(name);
}

/** Returns the summary as a sentence, and the details; a command to type is on its own line. */
function describeCommand(name: CommandName): readonly Block[] {
  const summary = getSummary(name);
  const details: Readonly<Partial<Record<CommandName, string>>> = catalogue().commands.details;
  const sentence = `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`;
  const parts = splitProse([sentence, details[name] ?? ''].join(' ').trim());
  return parts.map((part) => (part.isCommand ? verbatim(part.text) : text(part.text)));
}

const buildExamples = (name: CommandName): Block => verbatim(listExamples(name).join('\n'));

async function buildOperand(name: CommandName, hasHeading = true): Promise<readonly Block[]> {
  const { operand } = getCommand(name);
  if (operand === undefined) return [];
  const term = await buildTerm(operand.name, operand);
  return [...(hasHeading ? [heading(words().argumentsTitle)] : []), terms([term])];
}

async function buildOptions(options: CommandSpec['options']): Promise<Block> {
  return terms(
    await Promise.all(Object.entries(options).map(([option, spec]) => buildTerm(formatOption(option, spec), spec))),
  );
}

function formatOption(option: string, spec: OptionSpec): string {
  if (option === 'help') return '-h, --help';
  return spec.kind === 'flag' ? `--${option}` : `--${option} ${spec.name}`;
}

async function buildTerm(name: string, spec: OptionSpec): Promise<Term> {
  const sentence = catalogue().commands.options[spec.sentenceKey];
  if (spec.kind === 'flag') return { name, lines: [sentence] };
  const isChoice = spec.kind === 'word' || spec.kind === 'words';
  const possibleWords = isChoice && spec.words !== undefined ? await WORD_LISTS[spec.words]() : [];
  const choice =
    possibleWords.length === 0 || possibleWords.length > MAX_WORDS
      ? sentence
      : words().oneOf(sentence, possibleWords.join(', '));
  return { name, lines: [spec.default === undefined ? choice : words().fallback(choice, spec.default)] };
}
