// The executable on a real terminal: a pager for long output, colours, and neither in a pipe.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOnPty } from '../support/pty-run.ts';
import { getShellPath } from '../support/shell-path.ts';

const bin = fileURLToPath(new URL('../../bin/upi-wizard.js', import.meta.url));
let dir: string;
let pager: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-pager-'));
  pager = join(dir, 'pager');
  // Records what it reads, as a pager reads it.
  writeFileSync(pager, `#!/bin/sh\ncat > "${dir}/read"\necho "paged with $LESS"\n`, { mode: 0o755 });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function runOnTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}, rows = 24) {
  writeFileSync(join(dir, 'read'), '');
  const run = runOnPty(process.execPath, [bin, ...args], {
    rows,
    cwd: dir,
    env: { HOME: dir, XDG_CONFIG_HOME: dir, PAGER: pager, ...env },
  });
  const { exitCode } = await run.exit;
  return { exitCode, output: run.output(), read: readFileSync(join(dir, 'read'), 'utf8') };
}

const runInPipe = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, [bin, ...args], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: getShellPath(), HOME: dir, TERM: 'xterm-256color', PAGER: pager, ...env },
  });

test('long output on a terminal goes to the pager, whole and in its order; the exit code stays', async () => {
  const page = runInPipe(['help', 'rules']).stdout;
  const paged = await runOnTerminal(['help', 'rules']);
  expect(paged).toMatchObject({ exitCode: 0, read: page });
  expect(paged.output).toContain('paged with FRX');
  writeFileSync(join(dir, 'bad.yaml'), runInPipe(['design', 'example']).stdout.replaceAll('00:50:56', 'zz'));
  const checked = await runOnTerminal(['design', 'check', 'bad.yaml'], {}, 10);
  expect(checked.exitCode).toBe(runInPipe(['design', 'check', 'bad.yaml']).status);
  expect(checked.read).toContain('bad.yaml:');
});

test('options that stand before a command do not hide it from the pager', async () => {
  const args = ['--lang', 'en', '--color', 'auto', 'help', 'rules'];
  expect((await runOnTerminal(args)).read).toBe(runInPipe(args).stdout);
});

test.each([
  ['output that fits', ['design', '--help'], {}, 60],
  ['an empty PAGER', ['help', 'rules'], { PAGER: '' }, 24],
  ['cat', ['help', 'rules'], { PAGER: 'cat' }, 24],
  ['a dumb terminal', ['help', 'rules'], { TERM: 'dumb' }, 24],
  ['a screen reader', ['help', 'rules'], { ACCESSIBLE: '1' }, 24],
] as const)('no pager for %s', async (_name, args, env, rows) => {
  const { exitCode, read, output } = await runOnTerminal(args, env, rows);
  expect({ exitCode, read }).toEqual({ exitCode: 0, read: '' });
  expect(output.length).toBeGreaterThan(100);
});

test('a pager that is not there loses nothing', async () => {
  const { exitCode, output } = await runOnTerminal(['help', 'rules'], { PAGER: '/nonexistent/pager' });
  expect(exitCode).toBe(0);
  expect(output).toContain('address-duplicate');
});

test('never a pager in a pipe, nor colours unless asked for', () => {
  expect(runInPipe(['help', 'rules']).stdout).not.toContain('paged with');
  for (const args of [[], ['--color', 'auto'], ['--color=never']])
    expect(runInPipe(['sessions', ...args]).stdout).not.toContain('\u001b');
  expect(runInPipe(['sessions', '--color', 'sometimes'])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('--color cannot be "sometimes". Possible: auto, always, never.'),
  });
});

test('--color stands before or after the command, and is for every command', () => {
  expect(runInPipe(['--color', 'never', 'design', 'example']).stdout).toBe(runInPipe(['design', 'example']).stdout);
  expect(runInPipe(['design', '--color=always', 'example']).status).toBe(0);
});
