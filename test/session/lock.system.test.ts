import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type InputOptions } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { livingProcess } from '../../src/ports/process-identity.ts';
import { ownersDirectory } from '../../src/session/owner-files.ts';
import { eventually } from '../support/eventually.ts';
import { testWith } from '../support/programs.ts';

// Bundled as the product is: it is started a hundred times, each time quicker by two thirds than from its sources.
const bundle = mkdtempSync(join(tmpdir(), 'lock-program-'));
const PROGRAM = join(bundle, 'lock-program.mjs');
beforeAll(async () => {
  const { bundling } = (await import(new URL('../../bin/build.js', import.meta.url).href)) as {
    bundling: InputOptions;
  };
  const input = join(import.meta.dirname, 'fixtures/lock-program.ts');
  await build({ ...bundling, input, output: { file: PROGRAM, codeSplitting: false } });
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

interface Holder {
  readonly process: ChildProcess;
  /** The first line: held, or why not. */
  readonly said: Promise<string>;
  /** All that it has said. */
  readonly output: () => string;
  readonly ended: Promise<void>;
}

/** A process of its own on the directory; `around` starts it in other namespaces. */
function start(around: readonly string[] = [], args: readonly string[] = ['hold'], on = dir): Holder {
  const [file = '', ...rest] = [...around, process.execPath, PROGRAM, on, ...args];
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
  return { process: child, said: line, output: () => output.trim(), ended };
}

async function kill(holder: Holder): Promise<void> {
  holder.process.kill('SIGKILL');
  await holder.ended;
}

test.each([2, 8, 30])(
  'of %i processes that start at once exactly one holds the directory, and after its end another',
  async (count) => {
    const all = Array.from({ length: count }, () => start());
    const said = await Promise.all(all.map((one) => one.said));
    expect(said.filter((each) => each === 'held')).toHaveLength(1);
    expect(said.filter((each) => each.startsWith('session-locked'))).toHaveLength(count - 1);
    const holder = all[said.indexOf('held')];
    for (const [index, each] of said.entries())
      if (all[index] !== holder) expect(each).toContain(`process ${holder?.process.pid})`);
    if (holder) await kill(holder);
    expect(await start().said).toBe('held');
  },
);

test('processes that take turns, in the same and in other network namespaces, never hold it at once', async () => {
  const TURNS = 25;
  const all = Array.from({ length: 6 }, (_, index) => start(index % 2 ? NO_NETWORK : [], ['turns', String(TURNS)]));
  for (const { said } of all) expect(await said).toBe(`held ${TURNS} overlaps 0`);
});

test('holders that are killed while others try leave the directory free, and never two on it', async () => {
  for (let round = 0; round < 4; round += 1) {
    const all = Array.from({ length: 4 }, () => start());
    const said = await Promise.all(all.map((one) => one.said));
    expect(
      said.filter((each) => each === 'held'),
      `round ${round}`,
    ).toHaveLength(1);
    await Promise.all(all.map(kill));
  }
  expect(await start().said).toBe('held');
  expect(readdirSync(ownersDirectory(dir)).filter((name) => name.endsWith('.json'))).toHaveLength(1);
});

test('a stopped holder holds', async () => {
  const holder = start();
  expect(await holder.said).toBe('held');
  holder.process.kill('SIGSTOP');
  await eventually(() => expect(livingProcess(holder.process.pid ?? 0)?.state).toBe('T'));
  expect(await start().said).toContain('session-locked');
  holder.process.kill('SIGCONT');
});

test('a holder in another network or pid namespace is met, talked to or asked about, and its end is noticed', async () => {
  for (const around of [NO_NETWORK, OTHER_PIDS]) {
    const holder = start(around);
    expect(await holder.said).toBe('held');
    // Its socket listens: it lives, wherever it is.
    expect(await start().said).toMatch(/^session-locked .*\(upi-wizard, process \d+\)\. /);
    expect(await start(OTHER_PIDS).said).toMatch(/^session-locked /);
    await kill(holder);
    // Nobody listens any more: that proves its end, also where its number means nothing.
    const next = start();
    expect(await next.said).toBe('held');
    await kill(next);
  }
});

testWith('bindfs')(
  'on two machines that share a directory and remember what they saw in it: asked about, and whoever was taken over knows',
  async () => {
    const shared = join(dir, 'shared');
    mkdirSync(shared);
    const [one, two] = [machine('one'), machine('two')];
    const first = start(one, ['hold'], shared);
    expect(await first.said).toBe('held');
    first.process.stdin?.write('\n');
    await eventually(() => expect(first.output()).toBe('held\nstill ours'));
    expect(await start(two, ['hold'], shared).said).toMatch(/^session-locked .* cannot be seen from this machine/);
    // Its end cannot be seen there either: a person has to say so.
    const next = start(two, ['take-over'], shared);
    expect(await next.said).toBe('held');
    first.process.stdin?.write('\n');
    await eventually(() => expect(first.output()).toMatch(/^held\nstill ours\nsession-taken /));
    expect(await start(one, ['hold'], shared).said).toMatch(/^session-locked /);
  },
);

/**
 * Another machine, as far as one kernel can play it: its own host name, boot, processes and network, and the directory on a file
 * system that keeps names and attributes for an hour, as NFS does for a while (nfs(5), acdirmax).
 */
function machine(name: string): readonly string[] {
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

test('places that cannot hold a lock are said in a sentence', async () => {
  const full = join(dir, 'full');
  mkdirSync(full);
  const script = 'mount -t tmpfs -o size=16k,nr_inodes=2 full "$0"; mkdir "$0/.upi-wizard"; exec "$@" </dev/null';
  const onFull = start(['unshare', '-rm', 'bash', '-c', script, full], ['hold'], full);
  expect(await onFull.said).toMatch(/^session-unwritable The session cannot be saved: the disk is full/);
  const readOnly = 'mount -t tmpfs -o ro none "$0"; exec "$@" </dev/null';
  const refused = start(['unshare', '-rm', 'bash', '-c', readOnly, full], ['hold'], full);
  expect(await refused.said).toMatch(/^session-unwritable The session cannot be saved: the file system is read-only/);
});

test('another user who took the name of the lock holds up nobody for good', async () => {
  const squatter = spawn(process.execPath, ['-e', SQUAT, dir, String(process.geteuid?.())], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(squatter);
  await new Promise((resolve) => squatter.stdout.once('data', resolve));
  expect(await start().said).toBe('held');
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
