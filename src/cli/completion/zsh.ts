import { catalogue } from '../../text/catalogue.ts';
import { COMMANDS, type Command, commandsOf, optionsOf, type Value } from '../commands.ts';

/**
 * The completion for zsh: as a file `_upi-wizard` of fpath, or sourced. The command is found by the words before the cursor; the
 * rest is zsh's own `_arguments`.
 */
export function zshCompletion(): string {
  return `#compdef upi-wizard
# upi-wizard: completion for zsh. To use it: source <(upi-wizard completion zsh)
_upi_wizard() {
  local curcontext=$curcontext context state line
  typeset -A opt_args
${levelOf('')}
}
${COMMANDS.filter(({ name }) => commandsOf(name).length > 0 && name !== '')
  .map(functionOf)
  .join('')}
if [[ \${funcstack[1]} == _upi_wizard || \${funcstack[1]} == _upi-wizard ]]; then
  _upi_wizard "$@"
else
  compdef _upi_wizard upi-wizard
fi
`;
}

function functionOf({ name }: Command): string {
  return `_upi_wizard_${name.replaceAll(' ', '_')}() {
  local curcontext=$curcontext context state line
  typeset -A opt_args
${levelOf(name)}
}
`;
}

/** The options of a command, the names of those below it, and what each of these takes. */
function levelOf(name: string): string {
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) return '';
  const below = commandsOf(name);
  const prefix = name === '' ? '' : `${name} `;
  return `  _arguments -C ${specsOf(command).join(' ')} '1: :->command' '*:: :->rest'
  case $state in
    command) local -a commands=(${below.map((each) => quoted(`${each}:${sentence(prefix + each)}`)).join(' ')}); _describe command commands ;;
    rest)
      case $line[1] in
${below.map((each) => `        ${each}) ${restOf(prefix + each)} ;;`).join('\n')}
      esac ;;
  esac`;
}

function restOf(name: string): string {
  if (commandsOf(name).length > 0) return `_upi_wizard_${name.replaceAll(' ', '_')}`;
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) return ':';
  const operand = command.operand === null ? [] : [quoted(`*:argument:${actionOf(command.operand)}`)];
  return `_arguments ${[...specsOf(command), ...operand].join(' ')}`;
}

function specsOf(command: Command): readonly string[] {
  return Object.entries(optionsOf(command)).map(([name, value]) =>
    quoted(value === null ? `--${name}` : `*--${name}=:${name}:${actionOf(value)}`),
  );
}

function actionOf(value: Value): string {
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

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function sentence(name: string): string {
  const said: Readonly<Record<string, string>> = catalogue().shells.commands;
  return (said[name] ?? '').replaceAll(':', '\\:');
}
