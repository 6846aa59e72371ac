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
import { csrCommand } from '../../src/cli/csr.ts';
import { infraCommand } from '../../src/cli/infra.ts';
import { openSaved } from '../../src/cli/session/saved.ts';
import { statusCommand } from '../../src/cli/status.ts';
import { previousFile } from '../../src/session/load.ts';
import { freshState, openSession, sessionFile } from '../../src/session/store.ts';
import { type LiveCluster, type LiveCommand, runLive, startLiveCluster } from '../support/live-cluster.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
let cluster: LiveCluster;
let file: string;
beforeEach(async () => {
  cluster = await startLiveCluster();
  file = sessionFile(cluster.dir);
  await cluster.addRequest('csr-w1', 'w1');
});
afterEach(() => cluster.close());

const isApproved = () => JSON.stringify(cluster.store.get(REQUESTS, null, 'csr-w1') ?? {}).includes('"Approved"');

/** All that lies below, with what a change would change. */
function stateOf(path: string): unknown {
  const { mode, uid, size, mtimeMs, ino } = lstatSync(path);
  const below = lstatSync(path).isDirectory() ? readdirSync(path).map((name) => stateOf(join(path, name))) : [];
  return [path, { mode, uid, size, mtimeMs, ino }, below];
}

/** Every command that works by the design of a session, and neither asks nor shows it to a person. */
const COMMANDS: readonly (readonly [LiveCommand, readonly string[]])[] = [
  [statusCommand, []],
  [statusCommand, ['--json']],
  [csrCommand, ['list']],
  [csrCommand, ['approve', '--expected']],
  [csrCommand, ['approve', 'csr-w1', '--yes', 'w1']],
  [csrCommand, ['approve', '--follow']],
  [csrCommand, ['approve', '--background']],
  [infraCommand, ['plan']],
  [infraCommand, ['verify']],
  [infraCommand, ['apply', '--yes']],
  [infraCommand, ['undo', '--yes']],
];

const replace = (make: () => void) => () => {
  rmSync(file);
  make();
};
const change = (how: (text: string) => string) => () => writeFileSync(file, how(readFileSync(file, 'utf8')));
const asObject = (how: (state: Record<string, unknown>) => unknown) =>
  change((text) => JSON.stringify(how(JSON.parse(text) as Record<string, unknown>)));

const DAMAGES: readonly (readonly [string, () => void, string])[] = [
  ['empty', change(() => ''), 'it is empty'],
  ['only blanks', change(() => '\n\n'), 'it is empty'],
  ['cut off', change((text) => text.slice(0, -20)), 'does not parse'],
  ['garbage', change(() => '\u0000'.repeat(300)), 'does not parse'],
  ['with a byte order mark', change((text) => `\ufeff${text}`), 'does not parse'],
  ['no text', () => writeFileSync(file, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), 'it is not text'],
  ['an array', change((text) => `[${text}]`), 'something else than a session'],
  ['a number', change(() => '5'), 'something else than a session'],
  ['null', change(() => 'null'), 'something else than a session'],
  ['an empty object', change(() => '{}'), 'something else than a session'],
  ['without a place', asObject(({ place: _, ...rest }) => rest), 'its checksum differs'],
  ['without a checksum', asObject(({ checksum: _, ...rest }) => rest), 'its checksum differs'],
  ['changed in one letter', change((text) => text.replace('ocp45', 'ocp46')), 'its checksum differs'],
  ['of a later version by a change', asObject((state) => ({ ...state, schemaVersion: 7 })), 'its checksum differs'],
  ['of an older version by a change', asObject((state) => ({ ...state, schemaVersion: 2 })), 'something else'],
  [
    'nested too deep',
    change(() => `{"schemaVersion":3,"design":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    'something else',
  ],
  ['gone', () => renameSync(file, previousFile(cluster.dir)), 'it is gone'],
  ['a named pipe', replace(() => execFileSync('/usr/bin/env', ['mkfifo', file])), 'not a plain file'],
  ['a directory', replace(() => mkdirSync(file)), 'not a plain file'],
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

test.each(DAMAGES)('a session that is %s is said to be, and neither judged by nor touched', async (_, damage, says) => {
  damage();
  const before = stateOf(cluster.dir);
  for (const [command, argv] of COMMANDS) {
    const { code, stdout, stderr } = await runLive(command, [...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
    const [first = '', second = '', ...rest] = stderr.split('\n');
    expect([argv, code, stdout]).toEqual([argv, 4, '']);
    expect(first.startsWith(`The saved session is damaged: ${file}: `)).toBe(true);
    expect(first).toContain(says);
    expect(second).toContain(`upi-wizard --dir ${cluster.dir}`);
    expect(rest).toEqual(['']);
  }
  expect(stateOf(cluster.dir)).toEqual(before);
  expect(isApproved()).toBe(false);
});

test.runIf(process.geteuid?.() === 0)('a session of another user is not read', async () => {
  chownSync(file, 65_534, 65_534);
  const { code, stderr } = await runLive(statusCommand, ['--dir', cluster.dir], { cwd: cluster.cwd });
  expect(code).toBe(4);
  expect(stderr).toContain('it belongs to another user');
});

test('a session in a directory that leads elsewhere is not read', async () => {
  const state = dirname(file);
  renameSync(state, join(cluster.cwd, 'elsewhere'));
  symlinkSync(join(cluster.cwd, 'elsewhere'), state);
  const { code, stderr } = await runLive(statusCommand, ['--dir', cluster.dir], { cwd: cluster.cwd });
  expect(code).toBe(4);
  expect(stderr).toContain('it is a symbolic link');
});

test('the modes of a file of ours do not matter to whoever may read it', async () => {
  chmodSync(file, 0o400);
  expect(await runLive(statusCommand, ['--dir', cluster.dir], { cwd: cluster.cwd })).toMatchObject({ code: 0 });
});

test('the example that a new session begins with is nothing that anything is judged or done by', async () => {
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
    const before = stateOf(cluster.dir);
    for (const [command, argv] of COMMANDS) {
      const ran = await runLive(command, [...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
      expect([argv, ran.code, ran.stderr.split(':')[0]]).toEqual([argv, 4, 'No design has been decided yet']);
    }
    // The lock of what would have acted was there for a moment.
    const [, , below] = before as [string, unknown, unknown[]];
    expect((stateOf(cluster.dir) as unknown[])[2]).toHaveLength(below.length);
  }
  expect(isApproved()).toBe(false);
  // A person who goes back to a page of the design has decided it.
  session.save({ ...freshState, design, place: { screen: 'networks', field: null }, memory: { stage: 'install' } });
  expect(await runLive(statusCommand, ['--dir', cluster.dir], { cwd: cluster.cwd })).toMatchObject({ code: 0 });
});

test('nothing saved is no session: nothing is made', async () => {
  rmSync(dirname(file), { recursive: true });
  for (const [command, argv] of COMMANDS) {
    const ran = await runLive(command, [...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
    expect([argv, ran.code]).toEqual([argv, 2]);
  }
  expect(readdirSync(cluster.dir)).not.toContain('.upi-wizard');
  openSaved(openSession(cluster.dir));
  expect(readdirSync(cluster.dir)).not.toContain('.upi-wizard');
});
