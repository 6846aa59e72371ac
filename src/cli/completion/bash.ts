import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { COMMANDS, type Command, getOptions, listSubcommands, type OptionValue } from '../commands.ts';

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
