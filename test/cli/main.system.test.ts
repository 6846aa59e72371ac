// Runs the executable as a shell does: output and exit codes for help, wrong usage and runs that cannot start.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { getProgramName } from '../../src/cli/shared/program-name.ts';
import { FAULTS } from '../../src/rehearsal/site/faults.ts';

const bin = fileURLToPath(new URL('../../bin/upi-wizard.js', import.meta.url));

/** The command name that a shell with the tests' PATH would use. */
const COMMAND_NAME = getProgramName([process.execPath, bin], { PATH: process.env.PATH });
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-main-'));
  // Builds the bundle if it is missing: that takes longer than any test here.
  spawnSync(process.execPath, [bin, '--help']);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function start(argv: readonly string[], options: { env?: Record<string, string>; input?: string; node?: string } = {}) {
  const { env = {}, input = '', node = process.execPath } = options;
  const { status, stdout, stderr } = spawnSync(node, [bin, ...argv], {
    cwd: dir,
    input,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: dir,
      TERM: 'xterm-256color',
      XDG_CONFIG_HOME: join(dir, 'config'),
      ...env,
    },
  });
  return { code: status, stdout, stderr };
}

test.each([
  [['--help'], `upi-wizard ${version}\n`],
  [['-h'], `upi-wizard ${version}\n`],
  [['--lang', 'en', '--help'], `upi-wizard ${version}\n`],
  [['rehearse', '--help'], 'Usage: upi-wizard rehearse [OPTIONS]\n'],
  [['design', '-h'], 'Usage: upi-wizard design COMMAND [OPTIONS]\n'],
  [['infra', 'apply', '--help', '--lang=en'], 'Usage: upi-wizard infra apply [FILE] [OPTIONS]\n'],
])('%j prints the help of what it names', (argv, first) => {
  const { code, stdout, stderr } = start(argv);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.startsWith(first), stdout).toBe(true);
  // The command that started this run is printed whole, however long its path is.
  const own = stdout.split('\n').filter((line) => !line.includes('bin/upi-wizard.js'));
  for (const line of own) expect(line.length, line).toBeLessThanOrEqual(80);
});

test('help lists the topics, and help TOPIC prints its page in 80 columns', () => {
  const { code, stdout, stderr } = start(['help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const topic of ['commands', 'rules', 'files', 'exit-codes'])
    expect(stdout).toMatch(new RegExp(`^  ${topic} `, 'm'));
  const rules = start(['help', 'rules']);
  expect(rules).toMatchObject({ code: 0, stderr: '' });
  for (const line of rules.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  const rehearsal = start(['help', 'rehearsal']).stdout;
  for (const id of FAULTS) expect(rehearsal).toContain(id);
});

test('where a shell does not find upi-wizard by its name, what is printed names what it finds', () => {
  const env = { PATH: '/usr/bin:/bin' };
  const commandName = getProgramName([process.execPath, bin], env);
  expect(commandName).not.toBe('upi-wizard');
  expect(start(['frobnicate'], { env }).stderr).toContain(`See "${commandName} --help".`);
  for (const argv of [['--help'], ['help'], ['help', 'exit-codes']])
    expect(start(argv, { env }).stdout.replace(/\n+/g, '\n')).toContain(
      `\nIn this shell, run upi-wizard as:\n  ${commandName}\n`,
    );
  expect(start(['design', 'check', 'none.yaml', 'other'], { env }).stderr).toContain(
    `See "${commandName} design check --help".`,
  );
});

test.each([[['--version']], [['-V']], [['--lang', 'en', '--version']]])('%j prints the version', (argv) => {
  expect(start(argv)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  [['frobnicate'], 'There is no command "frobnicate".'],
  [['--frobnicate'], 'There is no option --frobnicate.'],
  [['--plain', 'extra'], 'extra'],
  [['--dir'], '--dir'],
  [['--plain', '--dir', ''], 'The value of --dir is empty: perhaps a shell variable is not set.'],
  [['infra', 'aply'], 'Did you mean "infra apply"?'],
  [['infra', 'plan', '--out='], 'The value of --out is empty'],
  [['check', ''], 'An argument is empty'],
  [['check', 'none.yaml'], 'none.yaml cannot be read: it does not exist. Check the path'],
  [['infra', 'apply', 'none.json', '--yes'], 'none.json cannot be read: it does not exist. Check the path'],
  [['csr', 'list', '--design', 'none.yaml', '--kubeconfig', 'none'], '/none cannot be read: it does not exist.'],
  [['status', '--dir', 'none'], 'none does not exist: specify the install directory with --dir'],
  [['check', '--dir', 'none'], 'none does not exist: specify the install directory with --dir'],
  [['infra', 'apply', 'ruoter', '--yes'], '/ruoter. For the move router, use "infra apply --only router". See'],
  [['rehearse', '--plain', '--answers', 'example', '--speed', 'fast'], '--speed must be a number above 0, not "fast".'],
  [['rehearse', '--plain', '--answers', 'example', '--speed', '0'], '--speed must be a number above 0, not "0".'],
  [['rehearse', '--plain', '--answers', 'example', '--seed', '-1'], '--seed'],
  [['rehearse', '--plain', '--answers', 'example', '--break', 'the-bank'], '--break cannot be "the-bank". Possible: '],
  [['rehearse', '--nonsense'], '"rehearse" has no option --nonsense.'],
  [['help', 'rulez'], 'There is no help topic "rulez". The nearest one is "rules".'],
  [['help', 'rules', 'files'], 'help takes one topic.'],
  [['rehearse', '--plain'], 'Without a terminal the wizard cannot ask: specify the design with --answers FILE'],
  [['rehearse', '--screen-reader'], 'Without a terminal the wizard cannot ask: specify the design with --answers FILE'],
  [['rehearse', '--plain', '--speed', 'fast'], '--speed must be a number above 0, not "fast".'],
  [['rehearse', '--break', 'the-bank'], '--break cannot be "the-bank". Possible: '],
])('%j is wrong usage: exit code 2, one line with the error', (argv, message) => {
  const { code, stdout, stderr } = start(argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/ See ".* --help"\.\n$/);
  expect(stderr).not.toMatch(/\n\s+at |Error:/);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test.each([
  [['start'], `There is no command "start". See "${COMMAND_NAME} --help".\n`],
  [['--lang', 'en', 'frobnicate'], `There is no command "frobnicate". See "${COMMAND_NAME} --help --lang en".\n`],
  [['start', '--lang=xx'], `There is no language "xx". Known: en. See "${COMMAND_NAME} --help".\n`],
  [['status', '--lang', 'xx'], `There is no language "xx". Known: en. See "${COMMAND_NAME} status --help".\n`],
  [['rehearse', '--lang'], `There is no language "". Known: en. See "${COMMAND_NAME} rehearse --help".\n`],
  [
    ['status', '--lang', 'en', '--quick'],
    `"status" has no option --quick. See "${COMMAND_NAME} status --help --lang en".\n`,
  ],
  [['status', '--dir'], `--dir needs a value: --dir D. See "${COMMAND_NAME} status --help".\n`],
])('%j is reported in one line, with exit code 2', (argv, stderr) => {
  expect(start(argv)).toEqual({ code: 2, stdout: '', stderr });
});

test.each([
  [['design', 'check', 'none.yaml']],
  [['design', 'diagram', 'none.yaml']],
  [['design', 'import', 'none.yaml']],
  [['generate', 'none.yaml', '--out', 'o']],
])('%j names the missing file in the same words as every other command', (argv) => {
  const stderr = 'none.yaml cannot be read: it does not exist. Check the path.\n';
  expect(start(argv)).toEqual({ code: 2, stdout: '', stderr });
});

test('an answers file that is not there is exit code 2, one with errors 3, each with what is wrong', () => {
  const missing = start(['rehearse', '--plain', '--answers', 'none.yaml', '--dir', 'r1']);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain('none.yaml cannot be read: it does not exist. Check the path');
  const example = start(['design', 'example']).stdout;
  writeFileSync(join(dir, 'wrong.yaml'), example.replace('00:50:56:96:11:c2', '00:50:56'));
  const wrong = start(['rehearse', '--plain', '--answers', 'wrong.yaml', '--dir', 'r2']);
  expect(wrong).toMatchObject({ code: 3, stdout: '' });
  expect(wrong.stderr).toContain('The design in wrong.yaml has errors:');
  expect(wrong.stderr).toContain('Nodes > bs: MAC address: "00:50:56" is not a MAC address. Write six pairs');
});

test('an impossible install directory is wrong usage: exit code 2, one line, and nothing is created', () => {
  const file = join(dir, 'a-file');
  writeFileSync(file, 'mine');
  const link = join(dir, 'a-link');
  symlinkSync('/nowhere', link);
  const before = readdirSync(dir);
  for (const [argv, message] of [
    [['--plain', '--dir', file], `The install directory is not a directory: ${file} is a file.`],
    [['--plain', '--dir', join(file, 'below')], `${join(file, 'below')}: a part of the path is a file.`],
    [['rehearse', '--plain', '--answers', 'example', '--dir', file], `${file} is a file.`],
    [['--plain', '--dir', join(dir, 'x'.repeat(300))], 'the name is too long.'],
    [['--plain', '--dir', link], 'is a symbolic link'],
  ] as const) {
    const { code, stdout, stderr } = start(argv);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain('Choose another directory with --dir.');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  }
  expect(readdirSync(dir)).toEqual(before);
});

test.each([[[]], [['--dir', 'somewhere']], [['rehearse']]])(
  '%j without a terminal names the command that works there, exits with 2, and creates nothing',
  (argv) => {
    const before = readdirSync(dir);
    const { code, stdout, stderr } = start(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`"${COMMAND_NAME} rehearse --answers example --plain"`);
    expect(stderr).toContain('--plain');
    expect(readdirSync(dir)).toEqual(before);
  },
);

test('--plain reads its answers from a pipe; at the end it saves them and reports that', () => {
  const { code, stdout } = start(['--plain', '--dir', 'piped'], { input: '4.19\n\n\nprod\n' });
  expect(code).toBe(3);
  expect(stdout).toContain('OpenShift version [4.18]: ');
  expect(stdout).toContain('Your answers so far are saved.');
  expect(start(['--plain', '--dir', 'piped']).stdout).toContain('OpenShift version [4.19]: ');
});

test.each(['0', '1', ''])('NODE_TLS_REJECT_UNAUTHORIZED=%s is refused before anything else', (value) => {
  const { code, stdout, stderr } = start(['--help'], { env: { NODE_TLS_REJECT_UNAUTHORIZED: value } });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^upi-wizard does not run with NODE_TLS_REJECT_UNAUTHORIZED set.*unset it.*\n$/);
});

test('a removed working directory is reported in one line, before anything is done', () => {
  const script = `cd "$(mktemp -d)" && rmdir "$PWD" && exec '${process.execPath}' '${bin}' design example`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', env: { HOME: dir } });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^The directory that you are in was removed: .*\n$/);
});

test('a reader that closes the pipe early is no error', () => {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `set -o pipefail; '${process.execPath}' '${bin}' design schema | head -c 10 >/dev/null`],
    { encoding: 'utf8', env: { PATH: process.env.PATH ?? '', HOME: dir } },
  );
  expect(stderr).toBe('');
  expect([0, 141]).toContain(status);
});

test.each([
  [['rehearse', '--plain', '--answers', 'example', '--dir', '/proc/none']],
  [['--plain', '--dir', '/proc/none/below']],
  [['generate', 'example.yaml', '--stage', 'infra-only', '--out', '/proc/none']],
])('%j, where no directory can be created, reports that and ends', (argv) => {
  writeFileSync(join(dir, 'example.yaml'), start(['design', 'example']).stdout);
  const { code, stdout, stderr } = start(argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('/proc/none');
  expect(stderr).toContain('nothing can be created there');
});

test('a home directory that is not writable loses only the files that would be stored there', () => {
  const nowhere = { HOME: '/proc/none', XDG_CONFIG_HOME: '/proc/none/config' };
  const { code, stdout } = start(['--plain', '--dir', 'homeless'], { env: nowhere, input: '4.19\n' });
  expect(code).toBe(3);
  expect(stdout).toContain('Your answers so far are saved.');
  expect(start(['--plain'], { env: nowhere }).code).toBe(3);
});

test('hostile characters in arguments, names and files are printed visibly; JSON and YAML keep them', () => {
  const name = 'a\u202eb\u009b31m\u200bc\u2028d';
  const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
  const example = start(['design', 'example']).stdout;
  writeFileSync(join(dir, `${name}.yaml`), `${example}\n${JSON.stringify(name)}: {}\n`);
  writeFileSync(join(dir, `${name}.csv`), `name,role,ip\n"${name}",master,172.16.0.21\n`);
  const runs = [
    [name],
    ['design', name],
    ['design', 'check', `${name}.yaml`],
    ['design', 'check', `${name}.yaml`, '--json'],
    ['design', 'import', `${name}.csv`],
    ['design', 'import', name],
    ['generate', `${name}.yaml`, '--out', name],
    ['generate', name, '--out', name],
    ['rehearse', '--plain', '--answers', `${name}.yaml`, '--dir', name],
    ['rehearse', '--plain', '--answers', name, '--dir', name],
    ['rehearse', '--stop', '--dir', name],
    ['--plain', '--dir', `${name}.yaml`],
    ['status', '--dir', name],
    ['help', name],
  ].map((argv) => start(argv));
  for (const { stdout, stderr } of runs) {
    expect(stdout).not.toMatch(invisible);
    expect(stderr).not.toMatch(invisible);
  }
  const { problems } = JSON.parse(runs[3]?.stdout ?? '') as { problems: { path: string }[] };
  expect(problems.map(({ path }) => path)).toContain(name);
  expect(parse(runs[4]?.stdout ?? '')).toMatchObject({ nodes: [{ name }] });
});

test.each([
  ['design schema', 'design', 'schema'],
  ['design example', 'design', 'example'],
  ['--help', '--help'],
])('%s to a full disk reports it, exit code 4', (_name, ...argv) => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [bin, ...argv], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: dir },
  });
  closeSync(full);
  expect({ status, stderr }).toEqual({
    status: 4,
    stderr: expect.stringMatching(/^Standard output could not be written: the disk is full\. .*\n$/),
  });
});

test('a rehearsal without a directory for temporary files reports that with a remedy', () => {
  const nowhere = { TMPDIR: join(dir, 'no-such-directory') };
  const { code, stdout, stderr } = start(['rehearse', '--plain', '--answers', 'example'], { env: nowhere });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/no-such-directory: .*--dir/);
});

/** Finds a Node on PATH that is too old for the libraries, or null. */
function findOldNode(): string | null {
  for (const path of new Set((process.env.PATH ?? '').split(delimiter))) {
    const node = join(path, 'node');
    const [major = 0, minor = 0] = (spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout ?? '')
      .trim()
      .split('.')
      .map(Number);
    if (major > 0 && (major < 22 || (major === 22 && minor < 19))) return node;
  }
  return null;
}

const old = findOldNode();
test.skipIf(old === null)(
  `an old Node (${old ?? 'none on PATH'}) is rejected in one sentence that names the required version`,
  () => {
    for (const argv of [[], ['--help'], ['design', 'example']]) {
      const { code, stdout, stderr } = start(argv, { node: old ?? '' });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^upi-wizard needs Node\.js 22\.19 or newer and this is v\d.*npm start.*\n$/);
    }
  },
);

test('design check - and generate - read the standard input, from a pipe and from a file', () => {
  const design = start(['design', 'example']).stdout;
  const piped = start(['design', 'check', '-'], { input: design });
  expect(piped).toMatchObject({ code: 0, stderr: '' });
  expect(piped.stdout).toMatch(/^stdin:\d+:\d+: warning pull-secret-missing/m);
  const wrong = start(['design', 'check', '-', '--json'], { input: design.replace('name: ocp45', 'name: OCP45') });
  expect(wrong.code).toBe(3);
  expect(JSON.parse(wrong.stdout)).toMatchObject({ problems: [{ path: 'cluster.name' }] });
  expect(start(['design', 'check', '-'], { input: '' })).toMatchObject({ code: 3 });
  const generated = start(['generate', '-', '--out', 'from-stdin'], { input: design });
  expect(generated.code).toBe(4);
  expect(existsSync(join(dir, 'from-stdin', 'files.json'))).toBe(true);
});
