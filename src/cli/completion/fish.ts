import { catalogue } from '../../i18n/catalogue.ts';
import { COMMANDS, COMMON_OPTIONS, type Command, type OptionValue } from '../commands.ts';

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
