import { shellWord } from '../../text/shell-word.ts';
import { COMMANDS, type Command, commandsOf, optionsOf, type Value } from '../commands.ts';

/**
 * The completion for bash (3.2 and later), which needs no bash-completion: commands, options, values from our tables, files. The
 * command is found by the words before the cursor; a word after an option that takes a value is that value.
 */
export function bashCompletion(): string {
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
${casesOf((name, options) => [...valued(options)].map((option) => `'${name} --${option}'`)).join('|\\\n')}) value=1 ;;
      esac
    else
      case "$command/$word" in
${COMMANDS.filter(({ name }) => name !== '')
  .map(({ name }) => `        ${shellWord(parentOf(name))}/${lastOf(name)}) command=${shellWord(name)} ;;`)
  .join('\n')}
      esac
    fi
  done
  case "$command $prev" in
${casesOf((name, options) => [...valued(options)].map((option) => `    '${name} --${option}') ${replyOf(options[option] ?? null)}; return ;;`)).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case $command in
${COMMANDS.map((each) => `      ${quoted(each.name)}) ${wordsReply(Object.keys(optionsOf(each)).map((option) => `--${option}`))} ;;`).join('\n')}
    esac
    return
  fi
  case $command in
${COMMANDS.map((each) => `    ${quoted(each.name)}) ${operandReply(each)} ;;`).join('\n')}
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

/** Lines for each command and its options. */
function casesOf(makeLines: (name: string, options: Command['options']) => readonly string[]): readonly string[] {
  return COMMANDS.flatMap((each) => makeLines(each.name, optionsOf(each)));
}

/** The options that take a value. */
function valued(options: Command['options']): readonly string[] {
  return Object.keys(options).filter((name) => options[name] !== null);
}

function replyOf(value: Value | null): string {
  switch (value?.kind) {
    case 'file':
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))';
    case 'directory':
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur"))';
    case 'word':
      return wordsReply(value.words);
    case 'list':
      return `_upi_wizard_list ${linesOf(value.words)}`;
    case 'file-or-word':
      return `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -W ${linesOf(value.words)} -- "$cur"))`;
    default:
      return ':';
  }
}

function operandReply(command: Command): string {
  const commands = commandsOf(command.name);
  return commands.length > 0 ? wordsReply(commands) : replyOf(command.operand);
}

const wordsReply = (words: readonly string[]) => `COMPREPLY=($(compgen -W ${linesOf(words)} -- "$cur"))`;
const quoted = (text: string) => `'${text}'`;
/** Words between line ends: blanks belong to names of files. */
const linesOf = (words: readonly string[]) => `$'${words.join('\\n')}'`;

/** `csr approve` -> `csr`. */
const parentOf = (name: string) => name.split(' ').slice(0, -1).join(' ');
const lastOf = (name: string) => name.split(' ').at(-1) ?? name;
