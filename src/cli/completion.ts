import { catalogue } from '../i18n/catalogue.ts';
import { quoteShellArg } from '../platform/shell-quoting.ts';
import {
  type Arguments,
  COMMAND_NAMES,
  COMMON_OPTIONS,
  type CommandName,
  getCommand,
  getLastWord,
  listOptions,
  listSubcommands,
  type OptionSpec,
  type ValueSpec,
} from './commands.ts';
import type { CommandContext } from './shared/context.ts';
import { loadWords } from './word-lists.ts';

/** Returns the completion candidates of a value, from its word list. */
type WordLookup = (value: ValueSpec) => readonly string[];

const SHELLS: Readonly<Record<Arguments<'completion'>['operand'], (words: WordLookup) => string>> = {
  bash: renderBashCompletion,
  zsh: renderZshCompletion,
  fish: renderFishCompletion,
};

/** `upi-wizard completion bash|zsh|fish`: prints a completion script, generated from the table of commands. */
export async function completionCommand(
  { operand: shell }: Arguments<'completion'>,
  { io }: CommandContext,
): Promise<number> {
  const specs = COMMAND_NAMES.flatMap((name) => [...Object.values(getOptions(name)), getCommand(name).operand ?? []]);
  const wordsByList = await loadWords(specs.flat().flatMap((spec) => (spec.kind === 'flag' ? [] : (spec.words ?? []))));
  io.stdout(SHELLS[shell](({ words }) => (words === undefined ? [] : (wordsByList.get(words) ?? []))));
  return 0;
}

const getOptions = (name: CommandName) => ({ ...listOptions(name), ...COMMON_OPTIONS });

/** Returns the name of the parent command: `csr approve` -> `csr`. */
const getParentName = (name: string) => name.split(' ').slice(0, -1).join(' ');

const isList = ({ kind }: ValueSpec) => kind === 'words' || kind === 'texts';

/** Lists the options of a command that take a value. */
const listValueOptions = (name: CommandName) =>
  Object.entries(getOptions(name)).flatMap(([option, spec]) =>
    spec.kind === 'flag' ? [] : [{ option, spec, pattern: quoteShellArg(`${name} --${option}`) }],
  );

/**
 * Renders the completion for bash (3.2 and later), without the package bash-completion. It completes commands, options,
 * values from the word lists, and files. The words before the cursor determine the command. A word after an option that
 * takes a value is that value.
 */
function renderBashCompletion(getWords: WordLookup): string {
  const renderReply = (spec: ValueSpec | undefined) => renderBashReply(spec, getWords);
  return `# upi-wizard: completion for bash. To use it: source <(upi-wizard completion bash)
_upi_wizard() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command='' value='' word i
  local IFS=$'\\n'
  COMPREPLY=()
  # bash splits --dir=D at the equals sign.
  [[ $cur == = ]] && cur=''
  [[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD - 2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == = ]] && continue
    if [[ -n $value ]]; then
      value=''
    elif [[ $word == -* ]]; then
      case "$command $word" in
${COMMAND_NAMES.flatMap((name) => listValueOptions(name).map(({ pattern }) => pattern)).join('|\\\n')}) value=1 ;;
      esac
    else
      case "$command/$word" in
${COMMAND_NAMES.filter((name) => name !== '')
  .map(
    (name) => `        ${quoteShellArg(getParentName(name))}/${getLastWord(name)}) command=${quoteShellArg(name)} ;;`,
  )
  .join('\n')}
      esac
    fi
  done
  case "$command $prev" in
${COMMAND_NAMES.flatMap((name) => listValueOptions(name).map(({ spec, pattern }) => `    ${pattern}) ${renderReply(spec)}; return ;;`)).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case $command in
${COMMAND_NAMES.map((name) => `      ${quoteForBash(name)}) ${renderBashWords(Object.keys(getOptions(name)).map((option) => `--${option}`))} ;;`).join('\n')}
    esac
    return
  fi
  case $command in
${COMMAND_NAMES.map((name) => `    ${quoteForBash(name)}) ${listSubcommands(name).length > 0 ? renderBashWords(listSubcommands(name).map(getLastWord)) : renderReply(getCommand(name).operand)} ;;`).join('\n')}
  esac
}
# Completes the last word of a comma-separated list.
_upi_wizard_list() {
  local before=''
  [[ $cur == *,* ]] && before=\${cur%,*},
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "\${cur##*,}"))
  compopt -o nospace 2>/dev/null
}
complete -F _upi_wizard upi-wizard
`;
}

function renderBashReply(spec: ValueSpec | undefined, getWords: WordLookup): string {
  if (spec === undefined) return ':';
  const words = getWords(spec);
  if (isList(spec)) return words.length === 0 ? ':' : `_upi_wizard_list ${joinForBash(words)}`;
  const wordArguments = words.length === 0 ? '' : `-W ${joinForBash(words)} `;
  const files = spec.kind === 'file' ? '-f ' : spec.kind === 'directory' ? '-d ' : '';
  if (wordArguments === '' && files === '') return ':';
  return `${files === '' ? '' : 'compopt -o filenames 2>/dev/null; '}COMPREPLY=($(compgen ${files}${wordArguments}-- "$cur"))`;
}

const renderBashWords = (words: readonly string[]) => `COMPREPLY=($(compgen -W ${joinForBash(words)} -- "$cur"))`;
const quoteForBash = (text: string) => `'${text}'`;
/** Joins words with newlines, because file names may contain spaces. */
const joinForBash = (words: readonly string[]) => `$'${words.join('\\n')}'`;

/** Returns the completion for fish: one line for each command, option and argument. */
function renderFishCompletion(getWords: WordLookup): string {
  const lines = COMMAND_NAMES.flatMap((name) => {
    const condition = `-n '${renderFishCondition(name)}'`;
    const { operand } = getCommand(name);
    const operandWords = operand === undefined ? '' : renderFishValue(operand, getWords);
    return [
      ...(name === ''
        ? []
        : [
            `-n '${renderFishCondition(getParentName(name))}' -a ${getLastWord(name)} -d ${quoteForFish(catalogue().commands.summaries[name])}`,
          ]),
      ...Object.entries(getOptions(name)).map(([option, spec]) =>
        `${condition} -l ${option} -d ${quoteForFish(getSentence(spec))}${spec.kind === 'flag' ? '' : ` -x ${renderFishValue(spec, getWords)}`}`.trimEnd(),
      ),
      ...(operandWords === '' ? [] : [`${condition} ${operandWords}`]),
    ];
  });
  return [
    '# upi-wizard: completion for fish. To use it: upi-wizard completion fish | source',
    'complete -c upi-wizard -f',
    ...lines.map((line) => `complete -c upi-wizard ${line}`),
    '',
  ].join('\n');
}

function renderFishValue(spec: ValueSpec, getWords: WordLookup): string {
  const words = getWords(spec);
  if (isList(spec)) return words.length === 0 ? '' : `-a '(__fish_append , ${words.join(' ')})'`;
  const candidates = [
    ...words,
    ...(spec.kind === 'file' ? ['(__fish_complete_path (commandline -ct))'] : []),
    ...(spec.kind === 'directory' ? ['(__fish_complete_directories (commandline -ct))'] : []),
  ];
  return candidates.length === 0 ? '' : `-a '${candidates.join(' ')}'`;
}

/** Returns the fish condition that the line has the words of this command, and of none of its subcommands. */
function renderFishCondition(name: string): string {
  if (name === '') return '__fish_use_subcommand';
  const subcommandNames = COMMAND_NAMES.filter((commandName) => commandName.startsWith(`${name} `)).map(getLastWord);
  const conditions = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  return [
    ...conditions,
    ...(subcommandNames.length === 0 ? [] : [`not __fish_seen_subcommand_from ${subcommandNames.join(' ')}`]),
  ].join('; and ');
}

const quoteForFish = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const getSentence = ({ sentenceKey }: OptionSpec) => catalogue().commands.options[sentenceKey];

/**
 * Renders the completion for zsh: a file `_upi-wizard` in fpath, or sourced. The words before the cursor determine the
 * command; zsh's `_arguments` does the rest.
 */
function renderZshCompletion(getWords: WordLookup): string {
  const groups = COMMAND_NAMES.filter((name) => listSubcommands(name).length > 0);
  return `#compdef upi-wizard
# upi-wizard: completion for zsh. To use it: source <(upi-wizard completion zsh)
${groups.map((name) => renderZshFunction(name, getWords)).join('')}
if [[ \${funcstack[1]} == _upi_wizard || \${funcstack[1]} == _upi-wizard ]]; then
  _upi_wizard "$@"
else
  compdef _upi_wizard upi-wizard
fi
`;
}

const getZshFunctionName = (name: CommandName) => ['_upi_wizard', ...name.split(' ').filter(Boolean)].join('_');

/** Renders the zsh function of a group: its options, the names of its subcommands, and the arguments of each. */
function renderZshFunction(name: CommandName, getWords: WordLookup): string {
  const subcommands = listSubcommands(name);
  const descriptions = subcommands.map((subcommand) =>
    quoteForZsh(`${getLastWord(subcommand)}:${catalogue().commands.summaries[subcommand].replaceAll(':', '\\:')}`),
  );
  return `${getZshFunctionName(name)}() {
  local curcontext=$curcontext context state line
  typeset -A opt_args
  _arguments -C ${renderZshOptions(name, getWords).join(' ')} '1: :->command' '*:: :->rest'
  case $state in
    command) local -a commands=(${descriptions.join(' ')}); _describe command commands ;;
    rest)
      case $line[1] in
${subcommands.map((subcommand) => `        ${getLastWord(subcommand)}) ${renderZshArguments(subcommand, getWords)} ;;`).join('\n')}
      esac ;;
  esac
}
`;
}

function renderZshArguments(name: CommandName, getWords: WordLookup): string {
  if (listSubcommands(name).length > 0) return getZshFunctionName(name);
  const { operand } = getCommand(name);
  const operandArguments =
    operand === undefined ? [] : [quoteForZsh(`*:argument:${renderZshAction(operand, getWords)}`)];
  return `_arguments ${[...renderZshOptions(name, getWords), ...operandArguments].join(' ')}`;
}

function renderZshOptions(name: CommandName, getWords: WordLookup): readonly string[] {
  return Object.entries(getOptions(name)).map(([option, spec]) => {
    const sentence = `[${getSentence(spec).replaceAll(/[[\]\\]/g, (character) => `\\${character}`)}]`;
    return quoteForZsh(
      spec.kind === 'flag'
        ? `--${option}${sentence}`
        : `*--${option}=${sentence}:${option}:${renderZshAction(spec, getWords)}`,
    );
  });
}

function renderZshAction(spec: ValueSpec, getWords: WordLookup): string {
  const words = getWords(spec).join(' ');
  if (isList(spec)) return words === '' ? ' ' : `_sequence compadd - ${words}`;
  const files = spec.kind === 'file' ? '_files' : spec.kind === 'directory' ? '_files -/' : '';
  if (files === '') return words === '' ? ' ' : `(${words})`;
  return words === '' ? files : `{${files}; compadd -- ${words}}`;
}

const quoteForZsh = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
