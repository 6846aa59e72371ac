import { catalogue } from '../../text/catalogue.ts';
import { COMMANDS, COMMON, type Command, type Value } from '../commands.ts';

/** The completion for fish: one line for each command, option and argument. */
export function fishCompletion(): string {
  const lines = [
    '# upi-wizard: completion for fish. To use it: upi-wizard completion fish | source',
    'complete -c upi-wizard -f',
    ...Object.entries(COMMON).map(([name, value]) => optionLine('', name, value)),
    ...COMMANDS.flatMap(linesOf),
  ];
  return `${lines.join('\n')}\n`;
}

function linesOf(command: Command): readonly string[] {
  const { name, options, operand } = command;
  const [parent, last] = apart(name);
  const own = name === '' ? [] : [`complete -c upi-wizard -n '${whereOf(parent)}' -a ${last} -d '${sentence(name)}'`];
  const words =
    operand === null || operand.kind === 'text'
      ? []
      : [`complete -c upi-wizard -n '${whereOf(name)}' ${takes(operand)}`];
  return [
    ...own,
    ...Object.entries(options).map(([option, value]) => optionLine(whereOf(name), option, value)),
    ...words,
  ];
}

function optionLine(where: string, name: string, value: Value | null): string {
  const condition = where === '' ? '' : ` -n '${where}'`;
  return `complete -c upi-wizard${condition} -l ${name}${value === null ? '' : ` -x ${takes(value)}`}`.trimEnd();
}

function takes(value: Value): string {
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

/** Where the words so far are those of a command, and of none below it. */
function whereOf(name: string): string {
  if (name === '') return '__fish_use_subcommand';
  const below = COMMANDS.filter((each) => each.name.startsWith(`${name} `)).map((each) => apart(each.name)[1]);
  const [first = '', ...rest] = name.split(' ');
  const seen = [first, ...rest].map((word) => `__fish_seen_subcommand_from ${word}`);
  const notBelow = below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(' ')}`];
  return [...seen, ...notBelow].join('; and ');
}

/** `csr approve` -> `csr`, `approve`. */
function apart(name: string): readonly [parent: string, last: string] {
  const words = name.split(' ');
  return [words.slice(0, -1).join(' '), words.at(-1) ?? ''];
}

function sentence(name: string): string {
  const said: Readonly<Record<string, string>> = catalogue().shells.commands;
  return (said[name] ?? '').replaceAll("'", "\\'");
}
