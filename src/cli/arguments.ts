import { parseArgs } from 'node:util';
import { catalogue, formatShortCommandLine } from '../i18n/catalogue.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { findEntry } from '../platform/table-lookup.ts';
import {
  type Arguments,
  COMMAND_NAMES,
  COMMANDS,
  COMMON_OPTIONS,
  type CommandName,
  findCommand,
  getCommand,
  getLastWord,
  joinName,
  listOptions,
  listSubcommands,
  type OperandSpec,
  type OptionSpec,
  type RunnableName,
  type ValueSpec,
} from './commands.ts';
import { UsageError } from './shared/io.ts';
import { type Topic, WORD_LISTS, type WordList } from './word-lists.ts';

const words = () => catalogue().commands.errors;
const sanitizeWord = (text: string) => sanitizeLine(text, 80);

/**
 * Finds the command that arguments name: follows the words that are neither options nor option values, while they
 * extend the name of a command. Options may stand before, between and after these words.
 * @returns the command, its arguments without these words, and the first word that does not belong to its name
 */
export function resolveCommand(argv: readonly string[]): {
  readonly name: CommandName;
  readonly args: readonly string[];
  readonly extraWord: string | undefined;
} {
  let name: CommandName = '';
  const args: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const nextName: CommandName | undefined = word.startsWith('-') ? undefined : findCommand(joinName(name, word));
    if (nextName !== undefined) name = nextName;
    else if (word.startsWith('--') && word !== '--') {
      const value = takesValue(name, word.slice(2)) ? argv.slice(index + 1, index + 2) : [];
      args.push(word, ...value);
      index += value.length;
    } else {
      args.push(...argv.slice(index));
      return { name, args, extraWord: word };
    }
  }
  return { name, args, extraWord: undefined };
}

/** Whether an option of a command, or of its subcommands, takes a value. */
function takesValue(name: CommandName, option: string): boolean {
  const commands = COMMAND_NAMES.filter((commandName) => commandName === name || commandName.startsWith(`${name} `));
  const specs = commands.flatMap((commandName) => findEntry(getCommand(commandName).options, option) ?? []);
  return specs[0] !== undefined && specs[0].kind !== 'flag';
}

/**
 * Parses the arguments of a command by the table.
 * @param args without the words of the command
 * @throws UsageError
 */
export async function parseArguments<Name extends RunnableName>(
  name: Name,
  args: readonly string[],
): Promise<Arguments<Name>> {
  const { options, operand } = getCommand(name);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([option, { kind }]) => [option, { type: kind === 'flag' ? 'boolean' : 'string' }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const optionValues = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const spec = findEntry(options, token.name);
    if (spec === undefined || !token.rawName.startsWith('--'))
      throw await createUnknownOptionError(name, token.rawName);
    const values = optionValues.get(token.name) ?? [];
    optionValues.set(token.name, values);
    if (spec.kind !== 'flag') values.push(checkValue(token.rawName, spec, token));
    else if (token.value !== undefined) throw new UsageError(words().noValue(token.rawName));
  }
  if (positionals.includes('')) throw new UsageError(words().empty(''));
  const parsedOperand = await parseOperand(name, operand, positionals);
  const parsedOptions: Record<string, unknown> = {};
  for (const [option, spec] of Object.entries(options))
    parsedOptions[option] = await parseOption(`--${option}`, spec, optionValues.get(option));
  for (const [option, spec] of Object.entries(options))
    if (spec.kind !== 'flag' && spec.isRequired && !optionValues.has(option))
      throw new UsageError(words().missing(name, `--${option} ${spec.name}`));
  const parsedArguments: object = { options: parsedOptions, operand: parsedOperand };
  return parsedArguments as Arguments<Name>;
}

/** Returns the value of an option. Refuses a value that looks like an option: the real one is probably missing. */
function checkValue(
  option: string,
  spec: ValueSpec,
  { value, inlineValue }: { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
): string {
  if (value === '') throw new UsageError(words().empty(option));
  if (value === undefined) throw new UsageError(words().valueMissing(option, spec.name));
  if (!inlineValue && value.length > 1 && value.startsWith('-'))
    throw new UsageError(words().valueIsOption(option, sanitizeWord(value)));
  return value;
}

async function parseOption(
  option: string,
  spec: OptionSpec,
  rawValues: readonly string[] | undefined,
): Promise<unknown> {
  if (spec.kind === 'flag') return rawValues !== undefined;
  if (rawValues === undefined) return spec.default;
  if (spec.kind !== 'texts' && spec.kind !== 'words') return await parseValue(option, spec, rawValues.at(-1) ?? '');
  const texts = rawValues.flatMap((list) => list.split(',')).map((text) => text.trim());
  if (texts.includes('')) throw new UsageError(words().listGap(option));
  return await Promise.all(texts.map(async (text) => await parseValue(option, spec, text)));
}

async function parseOperand(name: CommandName, spec: OperandSpec | undefined, positionals: readonly string[]) {
  const isList = spec?.count === 'any' || spec?.count === 'some';
  const extraPositional = isList ? undefined : positionals[spec === undefined ? 0 : 1];
  if (extraPositional !== undefined)
    throw name === ''
      ? await createUnknownCommandError(name, extraPositional)
      : await createUnexpectedArgumentError(name, extraPositional);
  if (spec === undefined) return undefined;
  const isMissing = positionals.length === 0 && (spec.count === 'one' || spec.count === 'some');
  if (isMissing) throw new UsageError(words().missing(name, spec.name));
  const values = await Promise.all(positionals.map(async (text) => await parseValue(spec.name, spec, text)));
  return isList ? values : values[0];
}

/** The help topics that list all words of long lists. */
const TOPIC_BY_LIST: Readonly<Partial<Record<WordList, Topic>>> = { checks: 'checks', faults: 'rehearsal' };

async function parseValue(label: string, spec: ValueSpec, value: string): Promise<string | number> {
  switch (spec.kind) {
    case 'number':
      return parseNumber(label, spec, value);
    case 'word':
    case 'words': {
      const knownWords: readonly string[] = spec.words === undefined ? [] : await WORD_LISTS[spec.words]();
      if (knownWords.includes(value)) return value;
      const nearest = await findNearest(value, knownWords);
      const topic = spec.words === undefined ? undefined : TOPIC_BY_LIST[spec.words];
      const listCommand = topic === undefined ? null : formatShortCommandLine('help', topic);
      throw new UsageError(words().notAChoice(label, sanitizeWord(value), nearest, knownWords, listCommand));
    }
    default:
      return value;
  }
}

function parseNumber(label: string, { from, to }: ValueSpec, value: string): number {
  const number = Number(value);
  if (from === undefined || to === undefined) {
    if (Number.isFinite(number) && number > 0) return number;
    throw new UsageError(words().notPositive(label, sanitizeWord(value)));
  }
  if (/^\d{1,4}$/.test(value) && number >= from && number <= to) return number;
  throw new UsageError(words().notInteger(label, from, to, sanitizeWord(value)));
}

/**
 * Creates the error about a word that names no command.
 * @param word undefined if there is none, and the command needs a subcommand
 */
export async function createUnknownCommandError(name: CommandName, word: string | undefined): Promise<UsageError> {
  const subcommands = listSubcommands(name).map(getLastWord);
  if (word === undefined) return new UsageError(words().noSubcommand(name, subcommands));
  const nearest = await findNearest(word, subcommands);
  return new UsageError(
    words().unknownCommand(
      sanitizeWord(joinName(name, word)),
      nearest === null ? null : joinName(name, nearest),
      name === '' ? [] : subcommands,
    ),
  );
}

/** Creates the error about an argument that a command does not take, unless as the value of an option. */
async function createUnexpectedArgumentError(name: CommandName, argument: string): Promise<UsageError> {
  for (const [option, spec] of Object.entries(getCommand(name).options)) {
    if (spec.kind !== 'words' || spec.words === undefined) continue;
    const knownWords: readonly string[] = await WORD_LISTS[spec.words]();
    if (knownWords.includes(argument))
      return new UsageError(words().valueOfOption(argument, `${name} --${option} ${argument}`));
  }
  return new UsageError(words().unexpected(sanitizeWord(argument)));
}

/** Creates the error about an option that a command does not take: a sibling takes it, it is misspelled, or unknown. */
async function createUnknownOptionError(name: CommandName, rawName: string): Promise<UsageError> {
  const option = rawName.replace(/^-+/, '');
  const group = name.split(' ').slice(0, -1).join(' ');
  const commandsWithOption = COMMAND_NAMES.filter(
    (commandName) =>
      group !== '' && commandName.startsWith(`${group} `) && Object.hasOwn(COMMANDS[commandName].options, option),
  );
  if (commandsWithOption.length > 0 && rawName.startsWith('--'))
    return new UsageError(words().optionOfOther(rawName, commandsWithOption, name));
  const nearest = rawName.startsWith('--')
    ? await findNearest(option, Object.keys({ ...listOptions(name), ...COMMON_OPTIONS }))
    : null;
  return new UsageError(words().unknownOption(sanitizeWord(rawName), name, nearest === null ? null : `--${nearest}`));
}

/** Finds the known word that is most similar. The module is loaded only for an error. */
async function findNearest(word: string, knownWords: readonly string[]): Promise<string | null> {
  const { findClosestWord } = await import('../platform/closest-word.ts');
  return findClosestWord(word, knownWords);
}
