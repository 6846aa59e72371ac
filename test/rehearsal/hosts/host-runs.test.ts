import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyFiles } from '../../../src/rehearsal/hosts/host-files.ts';
import { createHostRuns } from '../../../src/rehearsal/hosts/host-runs.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';

const SCRIPT = `packages=(bind bind-utils)
units=(named chronyd)
files=(
    "0644 /etc/named.conf"
    "0600 /etc/secret"
)
`;

let dir = '';
let clock: ManualClock;
let stopping: AbortController;
let reloads = 0;

/** Whether named runs with the new files. */
let isServing = true;
const writeInput = (path: string, text: string) => {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), text);
};
const readRootFile = (path: string) =>
  existsSync(join(dir, 'root', path)) ? readFileSync(join(dir, 'root', path), 'utf8') : null;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-runs-'));
  clock = manualClock(1_000_000);
  stopping = new AbortController();
  [reloads, isServing] = [0, true];
  writeInput('files/root/upi-wizard/install.sh', SCRIPT);
  writeInput('files/etc/named.conf', 'zone\nnew\n');
  writeInput('files/etc/secret', 'hidden\n');
  writeInput('root/etc/named.conf', 'zone\nold\n');
});
afterEach(() => {
  stopping.abort();
  rmSync(dir, { recursive: true, force: true });
});

/** Creates the host as a newly started site finds it. */
function createHost() {
  const root = join(dir, 'root');
  return createHostRuns({
    dir: join(dir, 'runs'),
    clock,
    signal: stopping.signal,
    getSpeed: () => 1,
    host: {
      root,
      placeFiles: (from) => copyFiles(from, root, (_file, text) => text),
      async reload() {
        reloads += 1;
      },
      isRunning: (unit) =>
        unit === 'named' ? isServing && readRootFile('etc/named.conf') !== null && reloads > 0 : null,
    },
  });
}

const FILES = () => join(dir, 'files');
type Runs = ReturnType<typeof createHost>;
const runCommand = (runs: Runs, ...argv: string[]) => runs.execute(FILES(), argv).lines;
const status = (runs: Runs) => runCommand(runs, 'status')[0]?.split('\t').slice(2);

/** Advances the clock until the run has ended. */
async function waitForEnd(runs: Runs) {
  while (!runs.execute(FILES(), ['follow', '1']).isOver) await clock.advance(1000);
}

test('files that are put in place without a run start the services of install.sh', async () => {
  const runs = createHost();
  runs.installAtOnce(FILES());
  reloads += 1;
  expect(runCommand(runs, 'plan')).toEqual(['unit\tnamed\tactive', 'unit\tchronyd\tactive', 'installed']);
});

test('a run reports its plan, applies it, and reverts it unless it is confirmed', async () => {
  const runs = createHost();
  const planned = runCommand(runs, 'plan');
  expect(planned).toEqual([
    'install\tbind bind-utils',
    'place\t/etc/named.conf\tchanged\t0644',
    ...['diff\t zone', 'diff\t-old', 'diff\t+new'],
    'place\t/etc/secret\tnew\t0600',
    'place\t/root/upi-wizard/install.sh\tnew\t0644',
    ...['run\tsystemctl start named', 'run\tsystemctl start chronyd'],
    ...['unit\tnamed\tinactive', 'unit\tchronyd\tinactive'],
  ]);
  expect(readRootFile('etc/named.conf')).toBe('zone\nold\n');
  expect(runCommand(runs, 'start', 'install', '120')).toEqual([expect.stringMatching(/^job\t/)]);
  expect(status(runs)).toEqual(['install', 'yes', '', '', '']);
  expect(() => runCommand(runs, 'start', 'install', '120')).toThrow(/Another run/);
  await waitForEnd(runs);
  expect(runCommand(runs, 'follow', '1').filter((line) => line.startsWith('@'))).toEqual([
    ...['packages', 'files', 'checks', 'firewall', 'services'].map((stage) => `@stage\t${stage}`),
    '@end\t0',
  ]);
  expect(readRootFile('etc/named.conf')).toBe('zone\nnew\n');
  expect(status(runs)).toEqual(['install', 'no', '0', 'open', '120']);
  await clock.advance(119_000);
  expect(status(runs)).toEqual(['install', 'no', '0', 'open', '1']);
  await clock.advance(2000);
  expect(status(runs)?.[3]).toBe('reverted');
  expect([readRootFile('etc/named.conf'), readRootFile('etc/secret')]).toEqual(['zone\nold\n', null]);
  // The packages stay.
  expect(runCommand(runs, 'plan').filter((line) => !line.startsWith('unit'))).toEqual(
    planned.slice(1).filter((line) => !line.startsWith('unit') && !line.endsWith('start named')),
  );
});

test('a confirmed run stays; undo restores the first files, and leaves files that were edited since', async () => {
  const runs = createHost();
  runCommand(runs, 'start', 'install', '120');
  await waitForEnd(runs);
  expect(runCommand(runs, 'confirm')).toEqual(['outcome\tconfirmed']);
  await clock.advance(500_000);
  expect(readRootFile('etc/named.conf')).toBe('zone\nnew\n');
  expect(runCommand(runs, 'plan')).toEqual(['unit\tnamed\tactive', 'unit\tchronyd\tactive', 'installed']);
  writeInput('root/etc/secret', 'by hand\n');
  expect(runCommand(runs, 'plan')).toContain('place\t/etc/secret\tedited\t0600');
  expect(runCommand(runs, 'undo-plan')).toEqual(
    expect.arrayContaining([
      'back\t/etc/named.conf\trestore',
      'back\t/etc/secret\tedited',
      'run\tsystemctl stop chronyd',
      'stays\tbind',
    ]),
  );
  runCommand(runs, 'start', 'undo');
  await waitForEnd(runs);
  expect([readRootFile('etc/named.conf'), readRootFile('etc/secret')]).toEqual(['zone\nold\n', 'by hand\n']);
  runCommand(runs, 'start', 'undo', '--all');
  await waitForEnd(runs);
  expect(readRootFile('etc/secret')).toBeNull();
  expect(runCommand(runs, 'undo-plan').filter((line) => !line.startsWith('stays'))).toEqual([]);
});

test('a run that the end of the site interrupts continues when the site starts again', async () => {
  const first = createHost();
  runCommand(first, 'start', 'install', '120');
  await clock.advance(5000);
  stopping.abort();
  stopping = new AbortController();
  const second = createHost();
  expect(status(second)?.[1]).toBe('yes');
  await waitForEnd(second);
  expect(status(second)?.[3]).toBe('open');
  stopping.abort();
  stopping = new AbortController();
  const third = createHost();
  await clock.advance(121_000);
  expect(status(third)?.[3]).toBe('reverted');
  expect(readRootFile('etc/named.conf')).toBe('zone\nold\n');
});

test('a service that does not run reverts the run at once', async () => {
  isServing = false;
  const runs = createHost();
  runCommand(runs, 'start', 'install', '0');
  await waitForEnd(runs);
  expect(runCommand(runs, 'follow', '1')).toEqual(
    expect.arrayContaining(['named does not run.', '@stage\trevert', '@end\t1']),
  );
  expect(readRootFile('etc/named.conf')).toBe('zone\nold\n');
});
