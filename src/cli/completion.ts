import { parseArgs } from 'node:util';
import { catalogue } from '../i18n/catalogue.ts';
import { quoteShellArg } from '../platform/shell-quoting.ts';
import { COMMANDS, COMMON_OPTIONS, type Command, getOptions, listSubcommands, type OptionValue } from './commands.ts';
import { type CommandIo, UsageError } from './shared/io.ts';

/**
 * The completion for bash (3.2 and later), which does not need bash-completion: commands, options, values from our
 * tables, and files. The words before the cursor determine the command; a word after an option that takes a value is
 * that value.
 */
export function renderBashCompletion(): string {
  return `# upi-wizard: completion for bash. To use it: source <(upi-wizard completion bash)
_upi_wizard() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command='' value='' word i
  local IFS=$'\\n'
  COMPREPLY=()
  # bash takes --dir=D apart at the sign.
  [[ $cur == = ]] && cur=''
  [[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD - 2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == = ]] && continue
    if [[ -n $value ]]; then
      value=''
    elif [[ $word == -* ]]; then
      case "$command $word" in
${renderCases((name, options) => [...listValueOptions(options)].map((option) => `'${name} --${option}'`)).join('|\\\n')}) value=1 ;;
      esac
    else
      case "$command/$word" in
${COMMANDS.filter(({ name }) => name !== '')
  .map(
    ({ name }) =>
      `        ${quoteShellArg(getParentName(name))}/${getLastWord(name)}) command=${quoteShellArg(name)} ;;`,
  )
  .join('\n')}
      esac
    fi
  done
  case "$command $prev" in
${renderCases((name, options) => [...listValueOptions(options)].map((option) => `    '${name} --${option}') ${renderReply(options[option] ?? null)}; return ;;`)).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case $command in
${COMMANDS.map((each) => `      ${quote(each.name)}) ${renderWordsReply(Object.keys(getOptions(each)).map((option) => `--${option}`))} ;;`).join('\n')}
    esac
    return
  fi
  case $command in
${COMMANDS.map((each) => `    ${quote(each.name)}) ${renderOperandReply(each)} ;;`).join('\n')}
  esac
}
# The last of several words between commas.
_upi_wizard_list() {
  local before=''
  [[ $cur == *,* ]] && before=\${cur%,*},
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "\${cur##*,}"))
  compopt -o nospace 2>/dev/null
}
complete -F _upi_wizard upi-wizard
`;
}

/** Renders lines for each command and its options. */
function renderCases(renderLines: (name: string, options: Command['options']) => readonly string[]): readonly string[] {
  return COMMANDS.flatMap((each) => renderLines(each.name, getOptions(each)));
}

function listValueOptions(options: Command['options']): readonly string[] {
  return Object.keys(options).filter((name) => options[name] !== null);
}

function renderReply(value: OptionValue | null): string {
  switch (value?.kind) {
    case 'file':
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))';
    case 'directory':
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur"))';
    case 'word':
      return renderWordsReply(value.words);
    case 'list':
      return `_upi_wizard_list ${joinWords(value.words)}`;
    case 'file-or-word':
      return `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -W ${joinWords(value.words)} -- "$cur"))`;
    default:
      return ':';
  }
}

function renderOperandReply(command: Command): string {
  const commands = listSubcommands(command.name);
  return commands.length > 0 ? renderWordsReply(commands) : renderReply(command.operand);
}

const renderWordsReply = (words: readonly string[]) => `COMPREPLY=($(compgen -W ${joinWords(words)} -- "$cur"))`;
const quote = (text: string) => `'${text}'`;
/** Words separated by newlines, because file names may contain spaces. */
const joinWords = (words: readonly string[]) => `$'${words.join('\\n')}'`;

/** `csr approve` -> `csr`. */
const getParentName = (name: string) => name.split(' ').slice(0, -1).join(' ');
const getLastWord = (name: string) => name.split(' ').at(-1) ?? name;

/** Returns the completion for fish: one line for each command, option and argument. */
export function renderFishCompletion(): string {
  const lines = [
    '# upi-wizard: completion for fish. To use it: upi-wizard completion fish | source',
    'complete -c upi-wizard -f',
    ...Object.entries(COMMON_OPTIONS).map(([name, value]) => optionLine('', name, value)),
    ...COMMANDS.flatMap(renderCommand),
  ];
  return `${lines.join('\n')}\n`;
}

function renderCommand(command: Command): readonly string[] {
  const { name, options, operand } = command;
  const [parent, last] = splitName(name);
  const own =
    name === '' ? [] : [`complete -c upi-wizard -n '${renderCondition(parent)}' -a ${last} -d '${getSummary(name)}'`];
  const words =
    operand === null || operand.kind === 'text'
      ? []
      : [`complete -c upi-wizard -n '${renderCondition(name)}' ${renderValue(operand)}`];
  return [
    ...own,
    ...Object.entries(options).map(([option, value]) => optionLine(renderCondition(name), option, value)),
    ...words,
  ];
}

function optionLine(where: string, name: string, value: OptionValue | null): string {
  const condition = where === '' ? '' : ` -n '${where}'`;
  return `complete -c upi-wizard${condition} -l ${name}${value === null ? '' : ` -x ${renderValue(value)}`}`.trimEnd();
}

function renderValue(value: OptionValue): string {
  switch (value.kind) {
    case 'text':
      return '';
    case 'file':
      return "-a '(__fish_complete_path (commandline -ct))'";
    case 'directory':
      return "-a '(__fish_complete_directories (commandline -ct))'";
    case 'word':
      return `-a '${value.words.join(' ')}'`;
    case 'file-or-word':
      return `-a '${value.words.join(' ')} (__fish_complete_path (commandline -ct))'`;
    case 'list':
      return `-a '(__fish_append , ${value.words.join(' ')})'`;
  }
}

/** Returns the condition that the line holds the words of a command, and those of none of its subcommands. */
function renderCondition(name: string): string {
  if (name === '') return '__fish_use_subcommand';
  const subcommands = COMMANDS.filter((each) => each.name.startsWith(`${name} `)).map(
    (each) => splitName(each.name)[1],
  );
  const [first = '', ...rest] = name.split(' ');
  const parents = [first, ...rest].map((word) => `__fish_seen_subcommand_from ${word}`);
  const notBelow = subcommands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${subcommands.join(' ')}`];
  return [...parents, ...notBelow].join('; and ');
}

/** `csr approve` -> `csr`, `approve`. */
function splitName(name: string): readonly [parent: string, last: string] {
  const words = name.split(' ');
  return [words.slice(0, -1).join(' '), words.at(-1) ?? ''];
}

function getSummary(name: string): string {
  const summaries: Readonly<Record<string, string>> = catalogue().shells.commands;
  return (summaries[name] ?? '').replaceAll("'", "\\'");
}

/**
 * The completion for zsh: a file `_upi-wizard` in fpath, or sourced. The words before the cursor determine the command;
 * zsh's `_arguments` does the rest.
 */
export function renderZshCompletion(): string {
  return `#compdef upi-wizard
# upi-wizard: completion for zsh. To use it: source <(upi-wizard completion zsh)
_upi_wizard() {
  local curcontext=$curcontext context state line
  typeset -A opt_args
${renderLevel('')}
}
${COMMANDS.filter(({ name }) => listSubcommands(name).length > 0 && name !== '')
  .map(renderFunction)
  .join('')}
if [[ \${funcstack[1]} == _upi_wizard || \${funcstack[1]} == _upi-wizard ]]; then
  _upi_wizard "$@"
else
  compdef _upi_wizard upi-wizard
fi
`;
}

function renderFunction({ name }: Command): string {
  return `_upi_wizard_${name.replaceAll(' ', '_')}() {
  local curcontext=$curcontext context state line
  typeset -A opt_args
${renderLevel(name)}
}
`;
}

/** Returns the options of a command, the names of its subcommands, and the arguments of each of these. */
function renderLevel(name: string): string {
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) return '';
  const subcommands = listSubcommands(name);
  const prefix = name === '' ? '' : `${name} `;
  return `  _arguments -C ${renderSpecs(command).join(' ')} '1: :->command' '*:: :->rest'
  case $state in
    command) local -a commands=(${subcommands.map((each) => quoteForZsh(`${each}:${getZshSummary(prefix + each)}`)).join(' ')}); _describe command commands ;;
    rest)
      case $line[1] in
${subcommands.map((each) => `        ${each}) ${renderRest(prefix + each)} ;;`).join('\n')}
      esac ;;
  esac`;
}

function renderRest(name: string): string {
  if (listSubcommands(name).length > 0) return `_upi_wizard_${name.replaceAll(' ', '_')}`;
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) return ':';
  const operand = command.operand === null ? [] : [quoteForZsh(`*:argument:${renderAction(command.operand)}`)];
  return `_arguments ${[...renderSpecs(command), ...operand].join(' ')}`;
}

function renderSpecs(command: Command): readonly string[] {
  return Object.entries(getOptions(command)).map(([name, value]) =>
    quoteForZsh(value === null ? `--${name}` : `*--${name}=:${name}:${renderAction(value)}`),
  );
}

function renderAction(value: OptionValue): string {
  switch (value.kind) {
    case 'text':
      return ' ';
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'word':
      return `(${value.words.join(' ')})`;
    case 'file-or-word':
      return `{_files; compadd -- ${value.words.join(' ')}}`;
    case 'list':
      return `_sequence compadd - ${value.words.join(' ')}`;
  }
}

const quoteForZsh = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function getZshSummary(name: string): string {
  const summaries: Readonly<Record<string, string>> = catalogue().shells.commands;
  return (summaries[name] ?? '').replaceAll(':', '\\:');
}

const SHELLS: Readonly<Record<string, () => string>> = {
  bash: renderBashCompletion,
  zsh: renderZshCompletion,
  fish: renderFishCompletion,
};

/**
 * `upi-wizard completion bash|zsh|fish`: prints a completion script, generated from the table of commands.
 * @throws UsageError for another shell
 */
export function completionCommand(argv: readonly string[], io: CommandIo): number {
  const [shell = '', ...others] = parseArgs({ args: [...argv], options: {}, allowPositionals: true }).positionals;
  const script = Object.hasOwn(SHELLS, shell) && others.length === 0 ? SHELLS[shell] : undefined;
  if (script === undefined)
    throw new UsageError(catalogue().shells.completion.unknownShell(Object.keys(SHELLS).join(', ')));
  io.stdout(script());
  return 0;
}
