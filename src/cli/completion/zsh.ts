import { catalogue } from '../../i18n/catalogue.ts';
import { COMMANDS, type Command, getOptions, listSubcommands, type OptionValue } from '../commands.ts';

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
    command) local -a commands=(${subcommands.map((each) => quote(`${each}:${getSummary(prefix + each)}`)).join(' ')}); _describe command commands ;;
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
  const operand = command.operand === null ? [] : [quote(`*:argument:${renderAction(command.operand)}`)];
  return `_arguments ${[...renderSpecs(command), ...operand].join(' ')}`;
}

function renderSpecs(command: Command): readonly string[] {
  return Object.entries(getOptions(command)).map(([name, value]) =>
    quote(value === null ? `--${name}` : `*--${name}=:${name}:${renderAction(value)}`),
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

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function getSummary(name: string): string {
  const summaries: Readonly<Record<string, string>> = catalogue().shells.commands;
  return (summaries[name] ?? '').replaceAll(':', '\\:');
}
