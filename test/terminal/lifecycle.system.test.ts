import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hangUp, type PtyRun, runOnPty } from '../support/pty-run.ts';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache', `terminal-test-${process.pid}`);
const app = join(cache, 'app.mjs');
const saves = mkdtempSync(join(tmpdir(), 'lifecycle-'));
const runs: PtyRun[] = [];
let runCount = 0;

beforeAll(async () => {
  await build({
    input: join(import.meta.dirname, 'fixture-app.tsx'),
    platform: 'node',
    external: /^[^./]/,
    output: { file: app, codeSplitting: false },
  });
});

afterAll(() => {
  for (const { pty } of runs) pty.kill('SIGKILL');
  rmSync(cache, { recursive: true, force: true });
  rmSync(saves, { recursive: true, force: true });
});

async function startApp() {
  runCount += 1;
  const save = join(saves, `${runCount}.json`);
  const run = runOnPty(process.execPath, [app, save], { env: { NODE_ENV: 'production' } });
  runs.push(run);
  await run.waitUntil(() => run.screen().includes('ready'), 'the first screen');
  expect(run.isAlternate()).toBe(true);
  return { ...run, readSaved: (): string => (JSON.parse(readFileSync(save, 'utf8')) as string[]).join('') };
}

type AppRun = Awaited<ReturnType<typeof startApp>>;

const endings: readonly (readonly [string, (run: AppRun) => void, number, string])[] = [
  ['a throw while drawing', ({ pty }) => pty.write('t'), 1, 'an internal error: broken while drawing'],
  ['an unhandled rejection', ({ pty }) => pty.write('r'), 1, 'an internal error: broken promise'],
  ['an uncaught exception', ({ pty }) => pty.write('u'), 1, 'an internal error: thrown from nowhere'],
  ['Ctrl-C', ({ pty }) => pty.write('\u0003'), 130, 'goodbye'],
  ['SIGTERM', ({ pty }) => process.kill(pty.pid, 'SIGTERM'), 143, 'terminated by SIGTERM.'],
  ['SIGINT', ({ pty }) => process.kill(pty.pid, 'SIGINT'), 130, 'terminated by SIGINT.'],
  ['SIGHUP', ({ pty }) => process.kill(pty.pid, 'SIGHUP'), 129, 'terminated by SIGHUP.'],
];

test.each(endings)(
  '%s saves, restores the terminal and exits with the right code',
  async (_name, end, code, message) => {
    const run = await startApp();
    run.pty.write('abc');
    await run.waitUntil(() => run.screen().includes('abc'), 'what was typed');
    end(run);
    expect((await run.exit).exitCode).toBe(code);
    expect(run.isAlternate()).toBe(false);
    const output = run.output();
    expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'));
    expect(output.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(output.lastIndexOf('\u001b[?2004h'));
    expect(output.lastIndexOf('\u001b[?1000l')).toBeGreaterThan(output.lastIndexOf('\u001b[?1000h'));
    expect(output).toContain('\u001b[?1000h\u001b[?1006h');
    expect(run.screen()).toContain(message);
    expect(run.screen()).not.toContain('    at ');
    expect(run.readSaved()).toMatch(/^abc/);
    if (message === 'goodbye') return;
    // Six lines: the reason, the saved answers, the jobs that keep running, the resume command, the log, and `reset`.
    const lines = run.screen().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines.slice(1)).toEqual([
      'Your answers are saved.',
      'Background jobs (boot server, openshift-install), if any, keep running.',
      'To continue: upi-wizard --dir example',
      'Details: example/log',
      'If the shell looks odd, type: reset',
    ]);
  },
);

test('the process ends with its code, and the terminal restored, when its last lines cannot be composed', async () => {
  const run = await startApp();
  run.pty.write('x');
  await run.waitUntil(() => run.screen().includes('keys 1: x'), 'what was typed');
  run.pty.write('\u0003');
  expect((await run.exit).exitCode).toBe(130);
  expect(run.isAlternate()).toBe(false);
  expect(run.readSaved()).toMatch(/^x/);
});

test('an operation that the program itself aborted is no crash', async () => {
  const run = await startApp();
  run.pty.write('n');
  await run.waitUntil(() => run.screen().includes('keys 1: n'), 'the abort');
  run.pty.write('o');
  await run.waitUntil(() => run.screen().includes('keys 2: no'), 'a key after the abort');
  run.pty.write('\u0003');
  expect((await run.exit).exitCode).toBe(130);
});

test('a crash after the terminal was released overwrites no line', async () => {
  const run = await startApp();
  run.pty.write('l');
  expect((await run.exit).exitCode).toBe(1);
  expect(run.screen().split('\n').slice(0, 3)).toEqual([
    'Everything is saved.',
    'Continue with: upi-wizard --dir a-long-directory-name',
    'upi-wizard stopped because of an internal error: thrown from nowhere',
  ]);
});

test('a closed terminal is detected, and everything is saved', async () => {
  const run = await startApp();
  run.pty.write('xyz');
  await run.waitUntil(() => run.screen().includes('xyz'), 'what was typed');
  const { pid } = run.pty;
  hangUp(run.pty);
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(run.readSaved()).toBe('xyz');
});

test('an escape sequence that arrives in pieces is one key', async () => {
  const run = await startApp();
  run.pty.write('\u001b[');
  // Longer than the time that Ink alone waits for the rest of a sequence. This test needs the delay.
  await pause(100);
  run.pty.write('Bq');
  await run.waitUntil(() => run.screen().includes('keys 2: <down>q'), 'one key and a letter');
  run.pty.write('\u001b');
  await run.waitUntil(() => run.screen().includes('<down>q<escape>'), 'a lone Esc');
});

test('a burst of input is handled key by key', async () => {
  const run = await startApp();
  run.pty.write('ab\r\u001b[A\u007f\u001b[200~x\ry\u001b[201~z\u0001');
  await run.waitUntil(() => run.screen().includes('keys 8: ab<enter><up><backspace>x'), 'every key');
  run.pty.write('\u0003');
  await run.exit;
  expect(run.readSaved()).toBe('ab<enter><up><backspace>x\nyz<ctrl-a><ctrl-c>');
});

test('Ctrl-Z restores the terminal and stops the job, and fg resumes it', async () => {
  const save = join(saves, 'stopped.json');
  const run = runOnPty('bash', ['--norc', '--noprofile', '-i'], { env: { PS1: 'prompt> ', NODE_ENV: 'production' } });
  runs.push(run);
  await run.waitUntil(() => run.screen().includes('prompt>'), 'the shell');
  run.pty.write(`'${process.execPath}' '${app}' '${save}'\r`);
  await run.waitUntil(() => run.isAlternate() && run.screen().includes('ready'), 'the first screen');
  run.pty.write('a\u001a');
  await run.waitUntil(() => !run.isAlternate() && /Stopped/.test(run.screen()), 'the shell’s word that it is stopped');
  const stoppedOutput = run.output();
  expect(stoppedOutput.lastIndexOf('\u001b[?1000l')).toBeGreaterThan(stoppedOutput.lastIndexOf('\u001b[?1000h'));
  run.pty.write('echo $((40+2))\r');
  await run.waitUntil(() => /^42$/m.test(run.screen()), 'a shell that answers');
  run.pty.write('fg\r');
  await run.waitUntil(() => run.isAlternate() && run.screen().includes('a<ctrl-z>'), 'the screen again');
  expect(run.output().lastIndexOf('\u001b[?1000h')).toBeGreaterThan(stoppedOutput.length - 1);
  run.pty.write('b\u001b[<65;1;1M\u0003');
  await run.waitUntil(() => !run.isAlternate() && run.screen().includes('goodbye'), 'the end');
  expect(JSON.parse(readFileSync(save, 'utf8'))).toEqual(['a', '<ctrl-z>', 'b', '<wheel-down>', '<ctrl-c>']);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
