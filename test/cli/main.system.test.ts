// The executable itself, as a shell starts it: what it says and its exit codes when it cannot or need not begin.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAULTS } from '../../src/rehearsal/site/faults.ts';

const bin = fileURLToPath(new URL('../../bin/upi-wizard.js', import.meta.url));
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-main-'));
  // Builds the bundle when it is not there, which takes longer than what is tested here.
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

test.each([[['--help']], [['-h']], [['rehearse', '--help']], [['design', '--help']], [['--lang', 'en', '--help']]])(
  '%j prints the usage',
  (argv) => {
    const { code, stdout, stderr } = start(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^upi-wizard ${version.replaceAll('.', '\\.')}\n`));
    for (const id of FAULTS) expect(stdout).toContain(id);
    expect(stdout).not.toContain('FAULTS');
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  },
);

test('help lists the topics, help TOPIC prints its page in 80 columns, and help commands is the usage', () => {
  const { code, stdout, stderr } = start(['help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const topic of ['commands', 'rules', 'files', 'exit-codes'])
    expect(stdout).toMatch(new RegExp(`^  ${topic} `, 'm'));
  const rules = start(['help', 'rules']);
  expect(rules).toMatchObject({ code: 0, stderr: '' });
  for (const line of rules.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(start(['help', 'commands']).stdout).toBe(start(['--help']).stdout);
});

test.each([[['--version']], [['-V']]])('%j prints the version', (argv) => {
  expect(start(argv)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  [['frobnicate'], 'There is no command "frobnicate".'],
  [['--frobnicate'], "Unknown option '--frobnicate'"],
  [['--plain', 'extra'], 'extra'],
  [['--dir'], '--dir'],
  [['rehearse', '--plain', '--answers', 'example', '--speed', 'fast'], '--speed wants a number above 0, not "fast".'],
  [['rehearse', '--plain', '--answers', 'example', '--speed', '0'], '--speed wants a number above 0, not "0".'],
  [['rehearse', '--plain', '--answers', 'example', '--seed', '-1'], '--seed'],
  [['rehearse', '--plain', '--answers', 'example', '--break', 'the-bank'], 'There is no fault "the-bank". Known: '],
  [['rehearse', '--nonsense'], "Unknown option '--nonsense'"],
  [['help', 'rulez'], 'There is no help topic "rulez". The nearest one is "rules".'],
  [['help', 'rules', 'files'], 'help takes one topic.'],
  [['rehearse', '--plain'], '"rehearse --plain" asks nothing: name the design to play with --answers FILE'],
  [['rehearse', '--plain', '--speed', 'fast'], '--speed wants a number above 0, not "fast".'],
  [['rehearse', '--break', 'the-bank'], 'There is no fault "the-bank". Known: '],
])('%j is wrong usage: exit code 2, one line that says what is wrong', (argv, said) => {
  const { code, stdout, stderr } = start(argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
  expect(stderr).toContain('See "upi-wizard --help".');
  expect(stderr).not.toMatch(/\n\s+at |Error:/);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test.each([
  [['start'], 'There is no command "start". See "upi-wizard --help".\n'],
  [['--lang', 'en', 'start'], 'There is no command "start". See "upi-wizard --help".\n'],
  [['start', '--lang=xx'], 'There is no language "xx". Known: en. See "upi-wizard --help".\n'],
  [['status', '--lang', 'xx'], 'There is no language "xx". Known: en. See "upi-wizard --help".\n'],
  [['rehearse', '--lang'], 'There is no language "". Known: en. See "upi-wizard --help".\n'],
  [['status', '--lang', 'en', '--quick'], 'Unknown option \'--quick\'. See "upi-wizard --help".\n'],
  [['status', '--dir'], 'Option \'--dir <value>\' argument missing. See "upi-wizard --help".\n'],
])('%j is told in one line, with exit code 2', (argv, stderr) => {
  expect(start(argv)).toEqual({ code: 2, stdout: '', stderr });
});

test('an answers file that is not there is exit code 2, one with errors 3, each with what is wrong', () => {
  const missing = start(['rehearse', '--plain', '--answers', 'none.yaml', '--dir', 'r1']);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain('Cannot read none.yaml');
  const example = start(['design', 'example']).stdout;
  writeFileSync(join(dir, 'wrong.yaml'), example.replace('00:50:56:96:11:c2', '00:50:56'));
  const wrong = start(['rehearse', '--plain', '--answers', 'wrong.yaml', '--dir', 'r2']);
  expect(wrong).toMatchObject({ code: 3, stdout: '' });
  expect(wrong.stderr).toContain('The design in wrong.yaml has errors:');
  expect(wrong.stderr).toContain('nodes.0.mac: "00:50:56" is not a MAC address. Write six pairs');
});

test('what cannot be an install directory is wrong usage: exit code 2, one line, and nothing is made', () => {
  const file = join(dir, 'a-file');
  writeFileSync(file, 'mine');
  const link = join(dir, 'a-link');
  symlinkSync('/nowhere', link);
  const before = readdirSync(dir);
  for (const [argv, said] of [
    [['--plain', '--dir', file], `The install directory is not a directory: ${file} is a file.`],
    [['--plain', '--dir', join(file, 'below')], `${join(file, 'below')}: a part of the path is a file.`],
    [['rehearse', '--plain', '--answers', 'example', '--dir', file], `${file} is a file.`],
    [['--plain', '--dir', join(dir, 'x'.repeat(300))], 'the name is too long.'],
    [['--plain', '--dir', link], 'is a symbolic link'],
  ] as const) {
    const { code, stdout, stderr } = start(argv);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).toContain('Choose another directory with --dir.');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  }
  expect(readdirSync(dir)).toEqual(before);
});

test.each([[[]], [['--dir', 'somewhere']], [['rehearse']]])(
  '%j without a terminal says what works there, exit code 2, and makes nothing',
  (argv) => {
    const before = readdirSync(dir);
    const { code, stdout, stderr } = start(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('npm run rehearsal');
    expect(stderr).toContain('--plain');
    expect(readdirSync(dir)).toEqual(before);
  },
);

test('--plain reads its answers from a pipe; when they end it is said and saved', () => {
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

test('a reader that goes away is no fault', () => {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `set -o pipefail; '${process.execPath}' '${bin}' design schema | head -c 10 >/dev/null`],
    { encoding: 'utf8', env: { PATH: process.env.PATH ?? '', HOME: dir } },
  );
  expect(stderr).toBe('');
  expect([0, 141]).toContain(status);
});

/** A Node on PATH that is too old for the libraries, or null. */
function oldNode(): string | null {
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

const old = oldNode();
test.skipIf(old === null)(`an old Node (${old ?? 'none on PATH'}) is told in one sentence what is needed`, () => {
  for (const argv of [[], ['--help'], ['design', 'example']]) {
    const { code, stdout, stderr } = start(argv, { node: old ?? '' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^upi-wizard needs Node\.js 22\.19 or newer and this is v\d.*npm start.*\n$/);
  }
});
