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
/** Whether named takes what was put in place. */
let isServing = true;
const put = (path: string, text: string) => {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), text);
};
const there = (path: string) =>
  existsSync(join(dir, 'root', path)) ? readFileSync(join(dir, 'root', path), 'utf8') : null;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-runs-'));
  clock = manualClock(1_000_000);
  stopping = new AbortController();
  [reloads, isServing] = [0, true];
  put('files/root/upi-wizard/install.sh', SCRIPT);
  put('files/etc/named.conf', 'zone\nnew\n');
  put('files/etc/secret', 'hidden\n');
  put('root/etc/named.conf', 'zone\nold\n');
});
afterEach(() => {
  stopping.abort();
  rmSync(dir, { recursive: true, force: true });
});

/** The host, as a site finds it that begins now. */
function host() {
  const root = join(dir, 'root');
  return createHostRuns({
    dir: join(dir, 'runs'),
    clock,
    signal: stopping.signal,
    speed: () => 1,
    host: {
      root,
      place: (from) => copyFiles(from, root, (_file, text) => text),
      async reload() {
        reloads += 1;
      },
      isRunning: (unit) => (unit === 'named' ? isServing && there('etc/named.conf') !== null && reloads > 0 : null),
    },
  });
}

const FILES = () => join(dir, 'files');
type Runs = ReturnType<typeof host>;
const ask = (runs: Runs, ...argv: string[]) => runs.answer(FILES(), argv).lines;
const status = (runs: Runs) => ask(runs, 'status')[0]?.split('\t').slice(2);
/** Lets the time of the site run until a run has come to its end. */
async function ended(runs: Runs) {
  while (!runs.answer(FILES(), ['follow', '1']).isOver) await clock.advance(1000);
}

test('a run says what it would change, puts it in place, and takes it back unless it is confirmed', async () => {
  const runs = host();
  const planned = ask(runs, 'plan');
  expect(planned).toEqual([
    'install\tbind bind-utils',
    'place\t/etc/named.conf\tchanged\t0644',
    ...['diff\t zone', 'diff\t-old', 'diff\t+new'],
    'place\t/etc/secret\tnew\t0600',
    'place\t/root/upi-wizard/install.sh\tnew\t0644',
    ...['run\tsystemctl start named', 'run\tsystemctl start chronyd'],
    ...['unit\tnamed\tinactive', 'unit\tchronyd\tinactive'],
  ]);
  expect(there('etc/named.conf')).toBe('zone\nold\n');
  expect(ask(runs, 'start', 'install', '120')).toEqual([expect.stringMatching(/^job\t/)]);
  expect(status(runs)).toEqual(['install', 'yes', '', '', '']);
  expect(() => ask(runs, 'start', 'install', '120')).toThrow(/Another run/);
  await ended(runs);
  expect(ask(runs, 'follow', '1').filter((line) => line.startsWith('@'))).toEqual([
    ...['packages', 'files', 'checks', 'firewall', 'services'].map((stage) => `@stage\t${stage}`),
    '@end\t0',
  ]);
  expect(there('etc/named.conf')).toBe('zone\nnew\n');
  expect(status(runs)).toEqual(['install', 'no', '0', 'open', '120']);
  await clock.advance(119_000);
  expect(status(runs)).toEqual(['install', 'no', '0', 'open', '1']);
  await clock.advance(2000);
  expect(status(runs)?.[3]).toBe('reverted');
  expect([there('etc/named.conf'), there('etc/secret')]).toEqual(['zone\nold\n', null]);
  // The packages stay.
  expect(ask(runs, 'plan').filter((line) => !line.startsWith('unit'))).toEqual(
    planned.slice(1).filter((line) => !line.startsWith('unit') && !line.endsWith('start named')),
  );
});

test('confirmed, it stays; undo puts back what was there first, and leaves what somebody changed', async () => {
  const runs = host();
  ask(runs, 'start', 'install', '120');
  await ended(runs);
  expect(ask(runs, 'confirm')).toEqual(['outcome\tconfirmed']);
  await clock.advance(500_000);
  expect(there('etc/named.conf')).toBe('zone\nnew\n');
  expect(ask(runs, 'plan')).toEqual(['unit\tnamed\tactive', 'unit\tchronyd\tactive', 'installed']);
  put('root/etc/secret', 'by hand\n');
  expect(ask(runs, 'plan')).toContain('place\t/etc/secret\tedited\t0600');
  expect(ask(runs, 'undo-plan')).toEqual(
    expect.arrayContaining([
      'back\t/etc/named.conf\trestore',
      'back\t/etc/secret\tedited',
      'run\tsystemctl stop chronyd',
      'stays\tbind',
    ]),
  );
  ask(runs, 'start', 'undo');
  await ended(runs);
  expect([there('etc/named.conf'), there('etc/secret')]).toEqual(['zone\nold\n', 'by hand\n']);
  ask(runs, 'start', 'undo', '--all');
  await ended(runs);
  expect(there('etc/secret')).toBeNull();
  expect(ask(runs, 'undo-plan').filter((line) => !line.startsWith('stays'))).toEqual([]);
});

test('a run that was under way when the site ended goes on when it is there again', async () => {
  const first = host();
  ask(first, 'start', 'install', '120');
  await clock.advance(5000);
  stopping.abort();
  stopping = new AbortController();
  const second = host();
  expect(status(second)?.[1]).toBe('yes');
  await ended(second);
  expect(status(second)?.[3]).toBe('open');
  stopping.abort();
  stopping = new AbortController();
  const third = host();
  await clock.advance(121_000);
  expect(status(third)?.[3]).toBe('reverted');
  expect(there('etc/named.conf')).toBe('zone\nold\n');
});

test('a service that does not run takes the run back at once', async () => {
  isServing = false;
  const runs = host();
  ask(runs, 'start', 'install', '0');
  await ended(runs);
  expect(ask(runs, 'follow', '1')).toEqual(
    expect.arrayContaining(['named does not run.', '@stage\trevert', '@end\t1']),
  );
  expect(there('etc/named.conf')).toBe('zone\nold\n');
});
