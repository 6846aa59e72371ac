import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { hangUp, type PtyRun, runOnPty } from '../support/pty-run.ts';
import { createSandbox, startProgram, wizardExecutable } from '../support/rehearsal-run.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

const sandbox = createSandbox();
const clusters: SimulatedCluster[] = [];
afterAll(async () => {
  for (const cluster of clusters) await cluster.close();
  await sandbox.remove();
});

const SIGNALS = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

let count = 0;
function nextDir(): string {
  count += 1;
  return sandbox.dir(`endings-${count}`);
}
const readSessionText = (dir: string) => readFileSync(join(dir, '.upi-wizard/session.json'), 'utf8');

/** Asserts what `startWithAnswers` leaves: the accepted answer, the question after it, and when the wizard was left. */
const expectSavedAnswer = (dir: string) =>
  expect(JSON.parse(readSessionText(dir))).toMatchObject({
    design: { cluster: { name: 'kept' } },
    place: { screen: 'cluster', field: 'cluster.baseDomain' },
    memory: { 'left-at': expect.any(Number) },
  });

/** Starts the wizard with one accepted answer and one that is half typed. */
async function startWithAnswers(dir: string) {
  const run = startOnTerminal(['--dir', dir], { sandbox });
  await run.waitFor('New installation');
  run.type(key.enter);
  await run.waitFor(/[│┤] ▸ OpenShift version/);
  run.type(`${key.tab.repeat(3)}${key.ctrl('u')}kept`);
  await run.waitFor(/▸ Cluster name +kept/);
  run.type(key.tab);
  await run.waitFor(/[│┤] ▸ Base domain/);
  return run;
}

async function startCluster() {
  const liveCluster = await startSimulatedCluster();
  clusters.push(liveCluster);
  return liveCluster;
}

test.each(SIGNALS)(
  '%s ends the wizard on full screens: saved, terminal restored, six lines, %i',
  async (signal, code) => {
    const dir = nextDir();
    const run = await startWithAnswers(dir);
    process.kill(run.pty.pid, signal);
    expect((await run.exit).exitCode).toBe(code);
    expectRestored(run);
    // A frame may have been cut: its sequence, its update and its link end as well.
    expect(run.output()).toMatch(/\u001b\\\u001b\[\?2026l.*\u001b\[\?1049l.*\u001b\]8;;\u0007/su);
    expectSixLines(run, signal, `node ${wizardExecutable} --dir ${dir}`);
    expectSavedAnswer(dir);
  },
);

test.each(SIGNALS)('%s ends the wizard in lines the same way', async (signal, code) => {
  const dir = nextDir();
  const run = startOnTerminal(['--dir', dir], { sandbox, env: { TERM: 'dumb' } });
  await run.waitFor('Your choice [1]');
  run.type('\r');
  await run.waitFor('OpenShift version');
  run.type('4.19\r');
  await run.waitFor('Architecture');
  process.kill(run.pty.pid, signal);
  expect((await run.exit).exitCode).toBe(code);
  expect(run.output()).not.toContain('\u001b');
  expectSixLines(run, signal, `node ${wizardExecutable} --dir ${dir} --plain`);
  expect(readSessionText(dir)).toContain('"4.19"');
});

test.each(SIGNALS)('%s ends status --watch, and the terminal is restored', async (signal, code) => {
  const { fileOptions: files, cwd } = await startCluster();
  const run = runOnPty(process.execPath, [wizardExecutable, 'status', '--watch', ...files], { cwd });
  await run.waitUntil(() => /q quits/.test(run.screen()), 'the first look');
  process.kill(run.pty.pid, signal);
  expect((await run.exit).exitCode).toBe(code);
  expectRestored(run);
});

test.each(SIGNALS)('%s ends csr approve --follow', async (signal, code) => {
  const { fileOptions: files, cwd } = await startCluster();
  const run = runOnPty(process.execPath, [wizardExecutable, 'csr', 'approve', '--follow', ...files], { cwd });
  await run.waitUntil(() => /nodes have joined|joined/.test(run.output()), 'the first look');
  process.kill(run.pty.pid, signal);
  expect((await run.exit).exitCode).toBe(code);
});

test('a terminal that is closed ends each of them, with the answers saved and the session unlocked', async () => {
  const dir = nextDir();
  const run = await startWithAnswers(dir);
  const { pid } = run.pty;
  hangUp(run.pty);
  await eventually(() => expect(isRunning(pid)).toBe(false));
  expectSavedAnswer(dir);
  const nextRun = startOnTerminal(['--dir', dir], { sandbox });
  await nextRun.waitFor(/[│┤] ▸ Base domain/);
  await nextRun.kill9();
  const { fileOptions: files, cwd } = await startCluster();
  for (const args of [
    ['status', '--watch'],
    ['csr', 'approve', '--follow'],
  ]) {
    const watch = runOnPty(process.execPath, [wizardExecutable, ...args, ...files], { cwd });
    await watch.waitUntil(() => watch.output().length > 0, 'something');
    const watchPid = watch.pty.pid;
    hangUp(watch.pty);
    await eventually(() => expect(isRunning(watchPid)).toBe(false));
  }
});

test('kill -TSTP from outside stops the wizard with the terminal restored, and fg continues it', async () => {
  const run = runOnPty('bash', ['--norc', '--noprofile', '-i'], {
    cwd: sandbox.path,
    env: { ...sandbox.env, TERM: 'xterm-256color', PS1: 'prompt> ' },
  });
  await run.waitUntil(() => run.screen().includes('prompt>'), 'the shell');
  run.pty.write(`'${process.execPath}' '${wizardExecutable}' --dir '${nextDir()}'\r`);
  await run.waitUntil(() => run.isAlternate() && run.screen().includes('New installation'), 'the wizard');
  const pid = findChildPid(run.pty.pid);
  process.kill(pid, 'SIGTSTP');
  await run.waitUntil(() => !run.isAlternate() && /Stopped/.test(run.screen()), 'the shell again');
  run.pty.write('echo $((40+2))\r');
  await run.waitUntil(() => /^42$/m.test(run.screen()), 'a shell that answers');
  run.pty.write('fg\r');
  await run.waitUntil(() => run.isAlternate() && run.screen().includes('New installation'), 'the wizard again');
  run.pty.write(key.ctrl('z'));
  await run.waitUntil(() => !run.isAlternate(), 'the shell once more');
  run.pty.write('fg\r');
  await run.waitUntil(() => run.isAlternate() && run.screen().includes('New installation'), 'the wizard once more');
  run.pty.write(key.ctrl('s'));
  await run.waitUntil(() => !run.isAlternate() && run.screen().includes('saved'), 'the end');
});

test('Ctrl-Z at a question of the line-by-line front end stops the job, and fg asks the question again', async () => {
  const run = runOnPty('bash', ['--norc', '--noprofile', '-i'], {
    cwd: sandbox.path,
    env: { ...sandbox.env, TERM: 'xterm-256color', PS1: 'prompt> ' },
  });
  await run.waitUntil(() => run.screen().includes('prompt>'), 'the shell');
  run.pty.write(`'${process.execPath}' '${wizardExecutable}' --screen-reader --dir '${nextDir()}'\r`);
  await run.waitUntil(() => run.screen().includes('Your choice [1]:'), 'the menu');
  run.pty.write('1\r');
  await run.waitUntil(() => run.screen().includes('OpenShift version [4.18]:'), 'the question');
  for (const answer of ['4.1', '']) {
    run.pty.write(`${answer}${key.ctrl('z')}`);
    await run.waitUntil(() => /Stopped/.test(run.screen()), 'the shell again');
    run.pty.write('clear; echo $((40+2))\r');
    await run.waitUntil(() => /^42$/m.test(run.screen()), 'a shell that answers');
    run.pty.write('fg\r');
    await run.waitUntil(() => run.screen().includes('OpenShift version [4.18]:'), 'the question again');
  }
  run.pty.write('quit\r');
  await run.waitUntil(() => /prompt> $/.test(run.screen().trimEnd().concat(' ')), 'the end');
});

test('Ctrl-Z and kill -TSTP stop status --watch with the terminal restored, and fg draws it again', async () => {
  const { fileOptions: files, cwd } = await startCluster();
  const run = runOnPty('bash', ['--norc', '--noprofile', '-i'], {
    cwd,
    env: { TERM: 'xterm-256color', PS1: 'prompt> ' },
  });
  await run.waitUntil(() => run.screen().includes('prompt>'), 'the shell');
  run.pty.write(`'${process.execPath}' '${wizardExecutable}' status --watch ${files.join(' ')}\r`);
  for (const stop of ['key', 'signal'] as const) {
    await run.waitUntil(() => run.isAlternate() && /q quits/.test(run.screen()), 'the watch');
    if (stop === 'key') run.pty.write(key.ctrl('z'));
    else process.kill(findChildPid(run.pty.pid), 'SIGTSTP');
    await run.waitUntil(() => !run.isAlternate() && /Stopped/.test(run.screen()), 'the shell again');
    run.pty.write('clear; echo $((40+2))\r');
    await run.waitUntil(() => /^42$/m.test(run.screen()), 'a shell that answers');
    run.pty.write('fg\r');
  }
  await run.waitUntil(() => run.isAlternate() && /q quits/.test(run.screen()), 'the watch');
  run.pty.write('q');
  await run.waitUntil(() => !run.isAlternate(), 'the end');
});

test('in an orphaned process group, Ctrl-Z does no harm', async () => {
  const run = startOnTerminal(['--dir', nextDir()], { sandbox });
  await run.waitFor('New installation');
  run.type(key.ctrl('z'));
  run.type(key.enter);
  await run.waitFor(/[│┤] ▸ OpenShift version/);
  expect(run.isAlternate()).toBe(true);
  process.kill(run.pty.pid, 'SIGTSTP');
  run.type(key.tab);
  await run.waitFor(/[│┤] ▸ Architecture/);
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
});

test('after a kill -9 the next start reports it once, with the command that repairs the terminal', async () => {
  const dir = nextDir();
  const run = await startWithAnswers(dir);
  await run.kill9();
  const next = startOnTerminal(['--dir', dir], { sandbox });
  await next.waitFor(/The last run ended abruptly\.[\s\S]*run:[\s│`]+reset/);
  next.type(key.ctrl('s'));
  expect((await next.exit).exitCode).toBe(0);
  const third = startOnTerminal(['--dir', dir], { sandbox });
  await third.waitFor(/[│┤] ▸ Base domain/);
  expect(third.screen()).not.toContain('ended abruptly');
  third.type(key.ctrl('s'));
  await third.exit;
});

test('after many resizes the screen is drawn correctly', async () => {
  const run = startOnTerminal(['--dir', nextDir()], { sandbox });
  await run.waitFor('New installation');
  for (let turn = 0; turn < 200; turn += 1) run.resize(20 + ((turn * 37) % 150), 4 + ((turn * 13) % 60));
  run.resize(80, 24);
  await run.waitUntil(() => /New installation[\s\S]*Enter choose/.test(run.screen()), 'the welcome');
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
});

test('a terminal that accepts no output (Ctrl-S, a frozen line) does not block the wizard: it saves and ends', async () => {
  const dir = nextDir();
  const run = await startWithAnswers(dir);
  run.pty.pause();
  // Much more output than the terminal line buffers.
  for (let turn = 0; turn < 300; turn += 1) run.type(key.ctrl('l'));
  process.kill(run.pty.pid, 'SIGTERM');
  await eventually(() => expect(isRunning(run.pty.pid)).toBe(false));
  expect(readSessionText(dir)).toContain('"kept"');
});

test('a closed pipe ends a read-only command quietly, and a rehearsal like a hang-up, with the command to continue', async () => {
  const pipeline = `set -o pipefail; '${process.execPath}' '${wizardExecutable}' "$@" | true; echo "\${PIPESTATUS[0]}" >&2`;
  const schemaRun = await startProgram('bash', ['-c', pipeline, 'bash', 'design', 'schema'], { sandbox }).exit;
  expect(schemaRun.stderr).toBe('0\n');
  const dir = nextDir();
  const rehearsalRun = await startProgram(
    'bash',
    ['-c', pipeline, 'bash', 'rehearse', '--plain', '--answers', 'example', '--dir', dir],
    { sandbox },
  ).exit;
  expect(rehearsalRun.stderr).toContain(`rehearse --stop --dir ${dir}`);
  expect(rehearsalRun.stderr).toMatch(/129\n$/);
  await startProgram(process.execPath, [wizardExecutable, 'rehearse', '--stop', '--dir', dir], { sandbox }).exit;
});

test('without any input the wizard ends with exit code 2', async () => {
  const child = spawn('bash', ['-c', `'${process.execPath}' '${wizardExecutable}' <&-`], {
    env: sandbox.env,
    cwd: sandbox.path,
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(2);
});

function expectRestored(run: PtyRun): void {
  expect(run.isAlternate()).toBe(false);
  const output = run.output();
  const last = (sequence: string) => output.lastIndexOf(sequence);
  expect(last('\u001b[?25h')).toBeGreaterThan(last('\u001b[?25l'));
  if (last('\u001b[?2004h') >= 0) expect(last('\u001b[?2004l')).toBeGreaterThan(last('\u001b[?2004h'));
}

/** Asserts the last six lines on the terminal. */
function expectSixLines(run: PtyRun, signal: string, command: string): void {
  // The command is longer than a line of the terminal.
  const text = run.output().replaceAll(/\u001b\[[?0-9;<]*[a-zA-Z]/g, '');
  const lines = text.trimEnd().split('\r\n').slice(-6);
  expect(lines[0]?.endsWith(`upi-wizard was terminated by ${signal}.`)).toBe(true);
  expect(lines[1]).toBe('Your answers are saved.');
  // The command begins with `node` or with the path of Node.js, whichever the shell finds.
  expect(lines[3]).toMatch(/^To continue: /);
  expect(lines[3]?.endsWith(command)).toBe(true);
  expect(lines[5]).toBe('If the shell looks odd, type: reset');
}

function findChildPid(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

function isRunning(pid: number): boolean {
  try {
    // A zombie has ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
