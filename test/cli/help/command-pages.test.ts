// The help of commands, and README's table, against the table of commands.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseArguments, resolveCommand } from '../../../src/cli/arguments.ts';
import {
  COMMAND_NAMES,
  getCommand,
  isGroup,
  listExamples,
  listOptions,
  listSubcommands,
  type RunnableName,
} from '../../../src/cli/commands.ts';
import { english } from '../../../src/i18n/en/index.ts';
import { getDisplayWidth } from '../../../src/platform/text.ts';
import { captureCommand } from '../../support/run-command.ts';
import { readCommands } from '../../support/shell-words.ts';
import { readCommandRows, renderCommandRows } from '../../tools/readme-commands.ts';

const print = async (...argv: readonly string[]) => (await captureCommand(argv, { cwd: '/', env: {} })).stdout;
const words = (name: string) => name.split(' ').filter(Boolean);
/** Returns the options that a page lists. */
const readOptions = (page: string) =>
  [...page.matchAll(/^ {2}(?:-h, )?--([a-z-]+)/gm)].map(([, option = '']) => option);

test('--help shows every command in a line, the options of the wizard, examples and the exit codes', async () => {
  const page = await print('--help');
  expect(page).toMatch(/^upi-wizard 1\.2\.3\n\nFrom an empty bastion/);
  for (const name of listSubcommands('')) expect(page).toMatch(new RegExp(`^ {2}${name}\\b.* {2}\\S`, 'm'));
  expect(readOptions(page)).toEqual([...Object.keys(listOptions('')), 'lang', 'color', 'help']);
  expect(page).toContain('Exit codes: 0 done and verified,');
  expect(await print('-h')).toBe(page);
});

test.each(COMMAND_NAMES.filter((name) => name !== ''))(
  'the help of %s has its own subcommands, arguments and options, and no others',
  async (name) => {
    const page = await print(...words(name), '--help');
    for (const line of page.split('\n')) expect(getDisplayWidth(line), line).toBeLessThanOrEqual(80);
    expect(page).toMatch(new RegExp(`^Usage: upi-wizard ${name}[ \n]`));
    const { operand } = getCommand(name);
    if (operand !== undefined) expect(page).toContain(`\nARGUMENTS\n\n  ${operand.name}  `);
    const subcommands = [...page.matchAll(/^ {2}([a-z]+ [a-z-]+)(?: [A-Z[…\]]+)? {2}/gm)].map(([, each]) => each);
    expect(subcommands).toEqual(isGroup(name) ? listSubcommands(name) : []);
    const hidden = Object.entries(getCommand(name).options).filter(([, spec]) => spec.isHidden);
    for (const [option] of hidden) expect(page).not.toContain(`--${option} `);
    const own = isGroup(name) ? Object.keys(listOptions(name)) : Object.keys(getCommand(name).options);
    const shown = own.filter((option) => !hidden.some(([each]) => each === option));
    expect(readOptions(page)).toEqual([...shown, 'lang', 'color', 'help']);
    // Anywhere, in either spelling, and as a page of the help.
    expect(await print('--help', ...words(name))).toBe(page);
    expect(await print(...words(name), '-h')).toBe(page);
    if (!Object.hasOwn(english.help.topics, name)) expect(await print('help', ...words(name))).toBe(page);
  },
);

test('the help says which words are possible and what the default is', async () => {
  const page = (await print('design', 'example', '--help')).replace(/\s+/g, ' ');
  expect(page).toContain(
    '--topology T the topology. One of: standard, compact, arbiter, fencing, single-node, single-node-bootstrap (default: standard)',
  );
  expect(await print('completion', '--help')).toContain('  SHELL  the shell. One of: bash, zsh, fish\n');
});

test('help commands has every command with every option that is not hidden', async () => {
  const page = await print('help', 'commands');
  const sections = page.split(/^(?=upi-wizard\b)/m);
  for (const name of COMMAND_NAMES.filter((each) => !isGroup(each))) {
    const section = sections.find((each) => new RegExp(`^upi-wizard ?${name}(?: [A-Z[].*)?\n`).test(each)) ?? '';
    expect(readOptions(section.split('OPTIONS OF EVERY COMMAND')[0] ?? '')).toEqual(Object.keys(listOptions(name)));
  }
});

test('a topic with the name of a command refers to the help of the command, and a wrong command to the nearest', async () => {
  expect(await print('help', 'csr')).toContain('The options of the command: "upi-wizard csr --help".');
  expect(await captureCommand(['help', 'infra', 'aply'], { cwd: '/' })).toMatchObject({
    code: 2,
    stderr: 'There is no command "infra aply". Did you mean "infra apply"?',
  });
  expect(await print('help', 'csr', 'approve')).toBe(await print('csr', 'approve', '--help'));
});

/**
 * Returns the words of the call of upi-wizard in a command line, without pipes and redirections, as a shell reads them.
 */
function readExample(line: string): readonly string[] {
  const call = /upi-wizard[^|>)]*/.exec(line)?.[0] ?? '';
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n' ${call}`], { encoding: 'utf8' });
  return stdout.split('\n').slice(1, -1);
}

test.each(COMMAND_NAMES.filter((name) => !isGroup(name)))(
  'the help of %s has examples that it accepts, and so has its group',
  async (name) => {
    const examples = listExamples(name);
    expect(examples.length).toBeGreaterThan(0);
    expect(examples.length).toBeLessThanOrEqual(3);
    const page = await print(...words(name), '--help');
    expect(page).toContain(`\nEXAMPLES\n\n${examples.map((line) => `  ${line}\n`).join('')}`);
    for (const line of examples) {
      expect(getDisplayWidth(line), line).toBeLessThanOrEqual(78);
      expect(readCommands('bash', [line]), line).not.toContain(null);
      const resolved = resolveCommand(readExample(line));
      if (isGroup(resolved.name)) throw new Error(`${line} lacks a subcommand`);
      // The overview also shows how a rehearsal starts.
      if (name !== '') expect(resolved.name).toBe(name);
      await expect(parseArguments(resolved.name as RunnableName, resolved.args)).resolves.toBeDefined();
    }
  },
);

test('a group shows one example of each of its commands, and the manual page shows them all', async () => {
  expect(await print('csr', '--help')).toContain(
    '\nEXAMPLES\n\n  upi-wizard csr list\n  upi-wizard csr approve --expected\n  upi-wizard csr deny csr-8vnps\n',
  );
  const manual = await print('man');
  for (const line of COMMAND_NAMES.flatMap(listExamples))
    expect(manual).toContain(`\n${line.replaceAll('\\', '\\e').replaceAll('-', '\\-')}\n`);
});

test('README has the table of commands: node test/tools/readme-commands.ts writes it', () => {
  expect(readCommandRows()).toBe(renderCommandRows());
});
