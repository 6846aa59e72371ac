import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkingSession } from '../../src/cli/session/working-session.ts';
import { openSession } from '../../src/session/session.ts';
import { getPreviousSessionFile, getSessionFile } from '../../src/session/session-file.ts';
import { freshState } from '../../src/session/state.ts';
import { captureCommand } from '../support/run-command.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
let cluster: SimulatedCluster;
let file: string;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
  file = getSessionFile(cluster.dir);
  await cluster.addRequest('csr-w1', 'w1');
});
afterEach(() => cluster.close());

const isApproved = () => JSON.stringify(cluster.store.get(REQUESTS, null, 'csr-w1') ?? {}).includes('"Approved"');

/** Returns the whole tree, with the attributes that a change would alter. */
function snapshotTree(path: string): unknown {
  const { mode, uid, size, mtimeMs, ino } = lstatSync(path);
  const below = lstatSync(path).isDirectory() ? readdirSync(path).map((name) => snapshotTree(join(path, name))) : [];
  return [path, { mode, uid, size, mtimeMs, ino }, below];
}

/** Every command that works by the design of a session without showing it to the user or asking. */
const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['status', '--json'],
  ['csr', 'list'],
  ['csr', 'approve', '--expected'],
  ['csr', 'approve', 'csr-w1', '--yes', 'w1'],
  ['csr', 'approve', '--follow'],
  ['csr', 'approve', '--background'],
  ['infra', 'plan'],
  ['infra', 'verify'],
  ['infra', 'apply', '--yes'],
  ['infra', 'undo', '--yes'],
];

const replace = (make: () => void) => () => {
  rmSync(file);
  make();
};
const change = (how: (text: string) => string) => () => writeFileSync(file, how(readFileSync(file, 'utf8')));
const changeState = (how: (state: Record<string, unknown>) => unknown) =>
  change((text) => JSON.stringify(how(JSON.parse(text) as Record<string, unknown>)));

const DAMAGES: readonly (readonly [string, () => void, string])[] = [
  ['empty', change(() => ''), 'it is empty'],
  ['only blanks', change(() => '\n\n'), 'it is empty'],
  ['cut off', change((text) => text.slice(0, -20)), 'does not parse'],
  ['garbage', change(() => '\u0000'.repeat(300)), 'does not parse'],
  ['with a byte order mark', change((text) => `\ufeff${text}`), 'does not parse'],
  ['no text', () => writeFileSync(file, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), 'it is not text'],
  ['an array', change((text) => `[${text}]`), 'does not contain a session'],
  ['a number', change(() => '5'), 'does not contain a session'],
  ['null', change(() => 'null'), 'does not contain a session'],
  ['an empty object', change(() => '{}'), 'does not contain a session'],
  ['without a place', changeState(({ place: _, ...rest }) => rest), 'its checksum differs'],
  ['without a checksum', changeState(({ checksum: _, ...rest }) => rest), 'its checksum differs'],
  ['changed in one letter', change((text) => text.replace('ocp45', 'ocp46')), 'its checksum differs'],
  ['of a later version by a change', changeState((state) => ({ ...state, schemaVersion: 7 })), 'its checksum differs'],
  [
    'of an older version by a change',
    changeState((state) => ({ ...state, schemaVersion: 2 })),
    'does not contain a session',
  ],
  [
    'nested too deep',
    change(() => `{"schemaVersion":4,"design":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    'does not contain a session',
  ],
  ['gone', () => renameSync(file, getPreviousSessionFile(cluster.dir)), 'it no longer exists'],
  ['a named pipe', replace(() => execFileSync('/usr/bin/env', ['mkfifo', file])), 'not a regular file'],
  ['a directory', replace(() => mkdirSync(file)), 'not a regular file'],
  [
    'a link to a session',
    () => {
      renameSync(file, `${file}.real`);
      symlinkSync(`${file}.real`, file);
    },
    'it is a symbolic link',
  ],
  ['a link to nothing', replace(() => symlinkSync('nowhere', file)), 'it is a symbolic link'],
  ['a device', replace(() => symlinkSync('/dev/zero', file)), 'it is a symbolic link'],
  ['huge', () => truncateSync(file, 3 * 1024 ** 3), 'larger than any session'],
];

test.each(DAMAGES)(
  'a session that is %s is reported as damaged, and neither used nor changed',
  async (_, damage, reason) => {
    damage();
    const before = snapshotTree(cluster.dir);
    for (const argv of COMMANDS) {
      const { code, stdout, stderr } = await captureCommand([...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
      const [first = '', second = '', ...rest] = stderr.split('\n');
      expect([argv, code, stdout]).toEqual([argv, 4, '']);
      expect(first.startsWith(`The saved session is damaged: ${file}: `)).toBe(true);
      expect(first).toContain(reason);
      expect(second).toContain(`upi-wizard --dir ${cluster.dir}`);
      expect(rest).toEqual(['']);
    }
    expect(snapshotTree(cluster.dir)).toEqual(before);
    expect(isApproved()).toBe(false);
  },
);

test.runIf(process.geteuid?.() === 0)('a session of another user is not read', async () => {
  chownSync(file, 65_534, 65_534);
  const { code, stderr } = await captureCommand(['status', '--dir', cluster.dir], { cwd: cluster.cwd });
  expect(code).toBe(4);
  expect(stderr).toContain('it belongs to another user');
});

test('a session in a directory that leads elsewhere is not read', async () => {
  const state = dirname(file);
  renameSync(state, join(cluster.cwd, 'elsewhere'));
  symlinkSync(join(cluster.cwd, 'elsewhere'), state);
  const { code, stderr } = await captureCommand(['status', '--dir', cluster.dir], { cwd: cluster.cwd });
  expect(code).toBe(4);
  expect(stderr).toContain('it is a symbolic link');
});

test('the mode of a session file does not matter if the user can read it', async () => {
  chmodSync(file, 0o400);
  expect(await captureCommand(['status', '--dir', cluster.dir], { cwd: cluster.cwd })).toMatchObject({ code: 0 });
});

test('the example design of a new session is not used by any command', async () => {
  const session = openSession(cluster.dir);
  const { design } = session.load();
  const undecided = [
    () => session.save(freshState),
    () => session.save({ ...freshState, place: { screen: 'certificates', field: null } }),
    () => session.save({ ...freshState, design }),
    () => session.save({ ...freshState, design, place: { screen: 'review', field: null } }),
  ];
  for (const save of undecided) {
    save();
    const before = snapshotTree(cluster.dir);
    for (const argv of COMMANDS) {
      const result = await captureCommand([...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
      expect([argv, result.code, result.stderr.split(':')[0]]).toEqual([argv, 4, 'The design is not finished yet']);
    }
    // A command that would act held the lock for a moment, so only the entries are counted.
    const [, , below] = before as [string, unknown, unknown[]];
    expect((snapshotTree(cluster.dir) as unknown[])[2]).toHaveLength(below.length);
  }
  expect(isApproved()).toBe(false);
  // A design is decided, even if the user has gone back to one of its pages.
  session.save({ ...freshState, design, place: { screen: 'networks', field: null }, memory: { stage: 'install' } });
  expect(await captureCommand(['status', '--dir', cluster.dir], { cwd: cluster.cwd })).toMatchObject({ code: 0 });
});

test('without saved state there is no session, and nothing is created', async () => {
  rmSync(dirname(file), { recursive: true });
  for (const argv of COMMANDS) {
    const result = await captureCommand([...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
    expect([argv, result.code]).toEqual([argv, 2]);
  }
  expect(readdirSync(cluster.dir)).not.toContain('.upi-wizard');
  openWorkingSession(openSession(cluster.dir));
  expect(readdirSync(cluster.dir)).not.toContain('.upi-wizard');
});
