// Command lines against the table of commands: which command they name, the typed arguments that it gets, and what is
// said about wrong ones.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import { parseArguments, resolveCommand } from '../../src/cli/arguments.ts';
import {
  type Arguments,
  COMMAND_NAMES,
  getCommand,
  isGroup,
  listSubcommands,
  type RunnableName,
} from '../../src/cli/commands.ts';
import { UsageError } from '../../src/cli/shared/io.ts';
import type { Stage, Topology } from '../../src/design/choices.ts';
import { english } from '../../src/i18n/en/index.ts';
import { MOVE_NAMES, type MoveName } from '../../src/infra/moves.ts';
import { FAULTS } from '../../src/rehearsal/site/faults.ts';
import { listCheckIds } from '../../src/steps/check/index.ts';
import { captureCommand } from '../support/run-command.ts';

const { errors } = english.commands;
const words = (line: string) => line.split(' ').filter(Boolean);
const parse = <Name extends RunnableName>(name: Name, line: string) => parseArguments(name, words(line));

/** Returns the message about a wrong command line. */
async function getError(line: string): Promise<string> {
  const { code, stdout, stderr } = await captureCommand(words(line), { cwd: '/nowhere', env: {} });
  expect([line, code, stdout]).toEqual([line, 2, '']);
  return stderr;
}

test.each([
  ['', '', []],
  ['status --json', 'status', ['--json']],
  ['infra apply plan.json --yes', 'infra apply', ['plan.json', '--yes']],
  ['infra --json plan --only router', 'infra plan', ['--json', '--only', 'router']],
  ['infra --dir apply plan', 'infra plan', ['--dir', 'apply']],
  ['hosts --host ns1 verify', 'hosts verify', ['--host', 'ns1']],
  ['export --force ansible roles', 'export ansible', ['--force', 'roles']],
  ['--dir=D status', 'status', ['--dir=D']],
  ['--dir D infra plan', 'infra plan', ['--dir', 'D']],
  ['--plain --dir D', '', ['--plain', '--dir', 'D']],
  ['csr approve -- list', 'csr approve', ['--', 'list']],
  ['csr approve approve', 'csr approve', ['approve']],
  ['-- status', '', ['--', 'status']],
])('"%s" names "%s"', (line, name, args) => {
  expect(resolveCommand(words(line))).toMatchObject({ name, args });
});

test('a command gets its options by their types, each with its value, its default or none', async () => {
  expect(await parse('generate', 'site.yaml --out=o --force')).toEqual({
    operand: 'site.yaml',
    options: { out: 'o', stage: 'install', force: true, json: false },
  });
  const rehearse = await parse(
    'rehearse',
    '--break wrong-mac,clock-skew --speed 0.5 --break=disk-too-small --dir a --dir b',
  );
  expect(rehearse.options).toMatchObject({
    break: ['wrong-mac', 'clock-skew', 'disk-too-small'],
    speed: 0.5,
    seed: undefined,
    dir: 'b',
  });
  expect((await parse('infra verify', '--stable 5 --only router,pool --yes')).options).toMatchObject({
    stable: 5,
    only: ['router', 'pool'],
  });
  expect((await parse('csr approve', 'csr-1 --yes w1 csr-2 --yes w2')).operand).toEqual(['csr-1', 'csr-2']);
  expect((await parse('csr approve', '-- --odd')).operand).toEqual(['--odd']);
  expect((await parse('hosts undo', '--host ns1,lb1 --host=bastion')).options.host).toEqual(['ns1', 'lb1', 'bastion']);
  expect((await parse('event', 'question')).options).toEqual({
    ...{ dir: undefined, step: 'report', text: undefined, job: undefined, code: undefined },
  });
  expect((await parse('detach', '--yes=-x')).options.yes).toBe('-x');
});

test('the types of the arguments follow from the table', () => {
  expectTypeOf<Arguments<'generate'>['operand']>().toEqualTypeOf<string>();
  expectTypeOf<Arguments<'generate'>['options']['out']>().toEqualTypeOf<string>();
  expectTypeOf<Arguments<'generate'>['options']['stage']>().toEqualTypeOf<Stage>();
  expectTypeOf<Arguments<'design example'>['options']['topology']>().toEqualTypeOf<Topology>();
  expectTypeOf<Arguments<'infra plan'>['options']['only']>().toEqualTypeOf<readonly MoveName[] | undefined>();
  expectTypeOf<Arguments<'infra plan'>['options']['json']>().toEqualTypeOf<boolean>();
  expectTypeOf<Arguments<'infra verify'>['options']['stable']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Arguments<'infra apply'>['operand']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Arguments<'csr approve'>['operand']>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Arguments<'status'>['operand']>().toEqualTypeOf<undefined>();
});

test('an unknown command, subcommand or option names the nearest one', async () => {
  expect(await getError('staus')).toBe('There is no command "staus". Did you mean "status"?');
  expect(await getError('frobnicate')).toBe('There is no command "frobnicate".');
  expect(await getError('infra aply')).toBe('There is no command "infra aply". Did you mean "infra apply"?');
  expect(await getError('infra --dir D aply')).toContain('Did you mean "infra apply"?');
  expect(await getError('csr revoke x')).toBe('There is no command "csr revoke". Specify list, approve or deny.');
  expect(await getError('infra')).toBe('"infra" needs a subcommand: plan, apply, verify, undo or job.');
  expect(await getError('--dri x')).toBe('There is no option --dri. Did you mean "--dir"?');
  expect(await getError('status --jsno')).toBe('"status" has no option --jsno. Did you mean "--json"?');
  expect(await getError('csr approve --bogus')).toBe('"csr approve" has no option --bogus.');
  expect(await getError('status -x')).toBe('"status" has no option -x.');
  // Hidden options are accepted, and not suggested.
  expect(await getError('event question --jobs x')).toBe('"event" has no option --jobs.');
  for (const name of ['toString', 'constructor']) {
    expect(await getError(name)).toContain(`There is no command "${name}".`);
    expect(await getError(`status --${name}`)).toContain(`"status" has no option --${name}.`);
  }
});

test.each([
  ['status --dir', errors.valueMissing('--dir', 'D')],
  ['status --dir --json', errors.valueIsOption('--dir', '--json')],
  ['status --json=yes', errors.noValue('--json')],
  ['status --dir=', errors.empty('--dir')],
  ['infra plan --only router,', errors.listGap('--only')],
  ['infra plan --only routr', errors.notAChoice('--only', 'routr', 'router', [], null)],
  ['completion ksh', 'SHELL cannot be "ksh". Did you mean "zsh"? Possible: bash, zsh, fish.'],
  ['check --phase weather', /^--phase cannot be "weather". Possible: start, hosts, /],
  ['check --only x', /^--only cannot be "x". Possible: /],
  ['rehearse --speed fast', errors.notPositive('--speed', 'fast')],
  ['rehearse --seed 0', errors.notPositive('--seed', '0')],
  ['rehearse --break the-bank', errors.notAChoice('--break', 'the-bank', null, FAULTS, 'upi-wizard help rehearsal')],
  ['infra plan --only weather', new RegExp(`Possible: ${MOVE_NAMES.join(', ')}\\.`)],
  ['infra verify --stable 1441', errors.notInteger('--stable', 1, 1440, '1441')],
  ['infra verify --stable 1.5', errors.notInteger('--stable', 1, 1440, '1.5')],
  ['hosts apply --revert-after 9', errors.notInteger('--revert-after', 10, 600, '9')],
  ['infra plan --infra-machines 101', errors.notInteger('--infra-machines', 1, 100, '101')],
  ['status extra', errors.unexpected('extra')],
  ['infra undo router', errors.valueOfOption('router', 'infra undo --only router')],
  ['infra verify bogus', errors.unexpected('bogus')],
  ['generate a b --out o', errors.unexpected('b')],
  ['generate a', errors.missing('generate', '--out DIR')],
  ['generate --out o', errors.missing('generate', 'FILE')],
  ['design', errors.noSubcommand('design', ['example', 'schema', 'check', 'diagram', 'import'])],
  ['design check', errors.missing('design check', 'FILE')],
  ['design check a b', errors.unexpected('b')],
  ['design schema x', errors.unexpected('x')],
  ['design check --yes a', errors.unknownOption('--yes', 'design check', null)],
  ['design import', errors.missing('design import', 'FILE')],
  ['completion tcsh', /^SHELL cannot be "tcsh". Possible: bash, zsh, fish\./],
  ['event weather', /^EVENT cannot be "weather". Possible: question, /],
])('"%s" is wrong usage', async (line, message) => {
  const error = await getError(line);
  if (message instanceof RegExp) expect(error).toMatch(message);
  else expect(error).toBe(message);
});

test('an empty argument is wrong usage: it comes from a variable that is not set', async () => {
  for (const [argv, message] of [
    [['check', ''], errors.empty('')],
    [['status', '--dir', ''], errors.empty('--dir')],
    [['--plain', '--dir', ''], errors.empty('--dir')],
  ] as const)
    expect(await captureCommand(argv, { cwd: '/nowhere' })).toEqual({ code: 2, stdout: '', stderr: message });
});

test.each(COMMAND_NAMES.filter(isGroup))(
  '%s refuses each option that a subcommand does not take, and names the subcommands that do',
  async (group) => {
    const subcommands = listSubcommands(group);
    const options = new Map(subcommands.flatMap((each) => Object.entries(getCommand(each).options)));
    for (const name of subcommands) {
      for (const [option, { kind }] of options) {
        const takers = subcommands.filter((each) => Object.hasOwn(getCommand(each).options, option));
        if (takers.includes(name)) continue;
        const line = `${name} --${option}${kind === 'flag' ? '' : ' x'}`;
        expect(await getError(line)).toBe(errors.optionOfOther(`--${option}`, takers, name));
      }
    }
  },
);

test('every command, argument and option has a sentence, and every sentence belongs to one', () => {
  const specs = COMMAND_NAMES.flatMap((name) => {
    const { options, operand } = getCommand(name);
    return [...Object.values(options), ...(operand === undefined ? [] : [operand])];
  });
  const used = new Set<string>([...specs.map(({ sentenceKey }) => sentenceKey), 'lang', 'color', 'help']);
  expect([...used].toSorted()).toEqual(Object.keys(english.commands.options).toSorted());
  expect(Object.keys(english.commands.summaries).toSorted()).toEqual([...COMMAND_NAMES].toSorted());
  for (const name of Object.keys(english.commands.details)) expect(COMMAND_NAMES).toContain(name);
});

test('no command parses options itself', () => {
  const folder = join(import.meta.dirname, '../../src/cli');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const parsers = files.filter((name) => readFileSync(join(folder, name), 'utf8').includes('parseArgs('));
  expect(parsers).toEqual(['arguments.ts']);
});

test('wrong usage is a UsageError, before the code of a command is loaded', async () => {
  await expect(parseArguments('man', ['x'])).rejects.toBeInstanceOf(UsageError);
});

test.each([
  ['check --only x', 'help checks', listCheckIds()],
  ['rehearse --break x', 'help rehearsal', FAULTS],
])(
  'a long list of words is cut at whole words, and "%s" names the command that lists all of them',
  async (line, help, ids) => {
    const error = await getError(line);
    const [, listed = '', count = '', command = ''] =
      /Possible: (.*), … and (\d+) more; `?"?(.*?)"? lists all/.exec(error) ?? [];
    const listedIds = listed.split(', ');
    expect(listedIds).toEqual(ids.slice(0, listedIds.length));
    expect(listedIds.length + Number(count)).toBe(ids.length);
    expect(command).toContain(help);
    const { stdout } = await captureCommand(words(help), { cwd: '/nowhere', env: {} });
    expect(ids.filter((id) => !stdout.includes(id))).toEqual([]);
  },
);
