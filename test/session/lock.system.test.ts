import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type InputOptions } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findLiveProcess } from '../../src/platform/process.ts';
import { getHoldersDirectory } from '../../src/session/holder-files.ts';
import { eventually } from '../support/eventually.ts';
import { testWith } from '../support/programs.ts';

// Bundled like the product: a start, of which there are a hundred, takes a third of the time that it takes from
// sources.
const bundle = mkdtempSync(join(tmpdir(), 'lock-program-'));
const PROGRAM = join(bundle, 'lock-program.mjs');
beforeAll(async () => {
  const { bundlerOptions } = (await import(new URL('../../bin/build.js', import.meta.url).href)) as {
    bundlerOptions: InputOptions;
  };
  const input = join(import.meta.dirname, 'fixtures/lock-program.ts');
  await build({ ...bundlerOptions, input, output: { file: PROGRAM, codeSplitting: false } });
});
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

let dir: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

interface HolderProcess {
  readonly process: ChildProcess;
  /** The first line of output: `held`, or the error. */
  readonly firstLine: Promise<string>;
  /** All output so far. */
  readonly output: () => string;
  readonly ended: Promise<void>;
}

/** Starts a separate process on the directory; `wrapper` is the command that starts it in other namespaces. */
function startHolder(wrapper: readonly string[] = [], args: readonly string[] = ['hold'], path = dir): HolderProcess {
  const [file = '', ...rest] = [...wrapper, process.execPath, PROGRAM, path, ...args];
  const child = spawn(file, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const line = new Promise<string>((resolve) => {
    const check = () => output.includes('\n') && resolve(output.trim());
    child.stdout.on('data', check);
    void ended.then(() => resolve(output.trim()));
  });
  return { process: child, firstLine: line, output: () => output.trim(), ended };
}

async function kill(holder: HolderProcess): Promise<void> {
  holder.process.kill('SIGKILL');
  await holder.ended;
}

test.each([2, 8, 30])(
  'of %i processes that start at once exactly one holds the directory, and after its end another',
  async (count) => {
    const holders = Array.from({ length: count }, () => startHolder());
    const firstLines = await Promise.all(holders.map((one) => one.firstLine));
    expect(firstLines.filter((each) => each === 'held')).toHaveLength(1);
    expect(firstLines.filter((each) => each.startsWith('session-locked'))).toHaveLength(count - 1);
    const holder = holders[firstLines.indexOf('held')];
    for (const [index, each] of firstLines.entries())
      if (holders[index] !== holder) expect(each).toContain(`process ${holder?.process.pid})`);
    if (holder) await kill(holder);
    expect(await startHolder().firstLine).toBe('held');
  },
);

test('processes that take turns, in the same and in other network namespaces, never hold it at once', async () => {
  const TURNS = 25;
  const holders = Array.from({ length: 6 }, (_, index) =>
    startHolder(index % 2 ? NO_NETWORK : [], ['turns', String(TURNS)]),
  );
  for (const { firstLine } of holders) expect(await firstLine).toBe(`held ${TURNS} overlaps 0`);
});

test('holders that are killed while others try leave the directory unlocked, and two never hold it at once', async () => {
  for (let round = 0; round < 4; round += 1) {
    const holders = Array.from({ length: 4 }, () => startHolder());
    const firstLines = await Promise.all(holders.map((one) => one.firstLine));
    expect(
      firstLines.filter((each) => each === 'held'),
      `round ${round}`,
    ).toHaveLength(1);
    await Promise.all(holders.map(kill));
  }
  expect(await startHolder().firstLine).toBe('held');
  expect(readdirSync(getHoldersDirectory(dir)).filter((name) => name.endsWith('.json'))).toHaveLength(1);
});

test('a stopped holder keeps the lock', async () => {
  const holder = startHolder();
  expect(await holder.firstLine).toBe('held');
  holder.process.kill('SIGSTOP');
  await eventually(() => expect(findLiveProcess(holder.process.pid ?? 0)?.state).toBe('T'));
  expect(await startHolder().firstLine).toContain('session-locked');
  holder.process.kill('SIGCONT');
});

test('a holder in another network or pid namespace is detected, and so is its end', async () => {
  for (const wrapper of [NO_NETWORK, OTHER_PIDS]) {
    const holder = startHolder(wrapper);
    expect(await holder.firstLine).toBe('held');
    // Its socket listens: the holder is alive, in whichever namespace.
    expect(await startHolder().firstLine).toMatch(/^session-locked .*\(upi-wizard, process \d+\)\. /);
    expect(await startHolder(OTHER_PIDS).firstLine).toMatch(/^session-locked /);
    await kill(holder);
    // The socket no longer listens. That proves its end, also where its pid means nothing.
    const next = startHolder();
    expect(await next.firstLine).toBe('held');
    await kill(next);
  }
});

testWith('bindfs')(
  'on two machines that share a directory and cache its content: the lock is detected, and a holder notices a take-over',
  async () => {
    const shared = join(dir, 'shared');
    mkdirSync(shared);
    const [one, two] = [createMachine('one'), createMachine('two')];
    const first = startHolder(one, ['hold'], shared);
    expect(await first.firstLine).toBe('held');
    first.process.stdin?.write('\n');
    await eventually(() => expect(first.output()).toBe('held\nstill ours'));
    expect(await startHolder(two, ['hold'], shared).firstLine).toMatch(
      /^session-locked .* this machine cannot check whether it still runs/,
    );
    // The second machine cannot see whether the first process ended: the user has to confirm it.
    const next = startHolder(two, ['take-over'], shared);
    expect(await next.firstLine).toBe('held');
    first.process.stdin?.write('\n');
    await eventually(() => expect(first.output()).toMatch(/^held\nstill ours\nsession-taken /));
    expect(await startHolder(one, ['hold'], shared).firstLine).toMatch(/^session-locked /);
  },
);

/**
 * Simulates another machine on one kernel: its own host name, boot id, processes and network. The directory is on a
 * file system that caches names and attributes for an hour, as NFS does for a while (nfs(5), acdirmax).
 */
function createMachine(name: string): readonly string[] {
  const boot = join(dir, `${name}.boot`);
  writeFileSync(boot, `${name}\n`);
  const script = [
    'bindfs -o attr_timeout=3600,entry_timeout=3600 "$4" "$4"',
    'hostname "$0"',
    'mount --bind "$1" /proc/sys/kernel/random/boot_id',
    'shift',
    'exec "$@"',
  ];
  return [
    'unshare',
    isRoot ? '-mnupf' : '-rmnupf',
    '--mount-proc',
    '--kill-child',
    'sh',
    '-ec',
    script.join('\n'),
    name,
    boot,
  ];
}

test('a place that cannot hold a lock gives a clear error', async () => {
  const full = join(dir, 'full');
  mkdirSync(full);
  const script = 'mount -t tmpfs -o size=16k,nr_inodes=2 full "$0"; mkdir "$0/.upi-wizard"; exec "$@" </dev/null';
  const onFull = startHolder(['unshare', '-rm', 'bash', '-c', script, full], ['hold'], full);
  expect(await onFull.firstLine).toMatch(/^session-unwritable The session cannot be saved: the disk is full/);
  const readOnly = 'mount -t tmpfs -o ro none "$0"; exec "$@" </dev/null';
  const refused = startHolder(['unshare', '-rm', 'bash', '-c', readOnly, full], ['hold'], full);
  expect(await refused.firstLine).toMatch(
    /^session-unwritable The session cannot be saved: the file system is read-only/,
  );
});

test('another user who took the name of the lock does not block it permanently', async () => {
  const squatter = spawn(process.execPath, ['-e', SQUAT, dir, String(process.geteuid?.())], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(squatter);
  await new Promise((resolve) => squatter.stdout.once('data', resolve));
  expect(await startHolder().firstLine).toBe('held');
});

const isRoot = process.getuid?.() === 0;
const NO_NETWORK = ['unshare', isRoot ? '-n' : '-rn'];
const OTHER_PIDS = ['unshare', isRoot ? '-pf' : '-rpf', '--mount-proc', '--kill-child'];
const SQUAT = `
const { statSync } = require('node:fs');
const { dev, ino } = statSync(process.argv[1]);
const name = require('node:crypto').createHash('sha256').update(dev + ':' + ino).digest('hex');
require('node:net').createServer().listen('\\0upi-wizard-' + process.argv[2] + '-' + name, () => console.log('there'));
`;
