import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findDefaultDirectory, listSessions, rememberDirectory } from '../../src/session/install-directories.ts';
import { openSession } from '../../src/session/session.ts';
import { findDirectoryProblem, getPreviousSessionFile, getSessionFile } from '../../src/session/session-file.ts';
import { freshState, type SessionState } from '../../src/session/state.ts';
import { parseFacts } from '../../src/steps/step-state.ts';

let base: string;
let dir: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'session-'));
  dir = join(base, 'cluster');
  mkdirSync(dir);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const state: SessionState = {
  ...freshState,
  design: { nodes: [{ name: 'm1', mac: '00:50:56:96:11:c2' }], 'a.b.c': { __proto__x: 1 } },
  place: { screen: 'nodes', field: 'm1.ip' },
  memory: { 'boot.powered-on': { 'm1.ocp45.example': 5 } },
  rehearsal: { siteDir: '/x', seed: 1, speed: 60, faults: [] },
};

test('load returns what save wrote, also in another session; file and directory are private', () => {
  expect(openSession(dir).load()).toEqual(freshState);
  expect(existsSync(join(dir, '.upi-wizard'))).toBe(false);
  openSession(dir).save(state);
  expect(openSession(dir).load()).toEqual(state);
  const { memory: _, ...rest } = state;
  openSession(dir).save({ ...rest, memory: {} });
  expect(openSession(dir).load().memory).toEqual({});
  expect(statSync(getSessionFile(dir)).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, '.upi-wizard')).mode & 0o777).toBe(0o700);
});

test('a save survives SIGKILL as soon as it has returned', () => {
  const script = join(base, 'save.ts');
  writeFileSync(
    script,
    `import { openSession } from ${JSON.stringify(join(import.meta.dirname, '../../src/session/session.ts'))};
     import { freshState } from ${JSON.stringify(join(import.meta.dirname, '../../src/session/state.ts'))};
     openSession(${JSON.stringify(dir)}).save({ ...freshState, design: 'answer' });
     process.kill(process.pid, 'SIGKILL');`,
  );
  expect(() => execFileSync(process.execPath, [script], { stdio: 'pipe' })).toThrow();
  expect(openSession(dir).load().design).toBe('answer');
});

test('a file of a newer version is refused and left untouched', () => {
  openSession(dir).save(state);
  const text = '{"schemaVersion":5,"new":true}';
  writeFileSync(getSessionFile(dir), text);
  const before = statSync(getSessionFile(dir));
  expect(() => openSession(dir).load()).toThrow(
    expect.objectContaining({ userError: expect.objectContaining({ code: 'session-newer' }) }),
  );
  expect(readFileSync(getSessionFile(dir), 'utf8')).toBe(text);
  expect(statSync(getSessionFile(dir)).mtimeMs).toBe(before.mtimeMs);
  expect(readdirSync(join(dir, '.upi-wizard'))).toEqual(['journal.ndjson', 'session.json']);
});

/** Fields that later versions have. */
const ADDED = { question: null, inForce: null, changes: null, reached: null, unfinished: null };

test.each([1, 2])(
  'a file of version %i is migrated on load, and stays unchanged on disk until the next save',
  (version) => {
    const earlier = readFileSync(join(import.meta.dirname, `../fixtures/sessions/version-${version}.json`), 'utf8');
    openSession(dir).save(state);
    writeFileSync(getSessionFile(dir), earlier);
    const session = openSession(dir);
    const loaded = session.load();
    const { confirmed: _, journal: __, ...rest } = JSON.parse(earlier);
    expect(loaded).toEqual({ ...rest, schemaVersion: 4, ...ADDED });
    expect(session.getNotices()).toEqual([]);
    expect(readFileSync(getSessionFile(dir), 'utf8')).toBe(earlier);
    const { facts, droppedKeys } = parseFacts(loaded.memory);
    expect(droppedKeys).toEqual([]);
    expect(facts).toEqual(rest.memory);
    session.save(loaded);
    expect(JSON.parse(readFileSync(getSessionFile(dir), 'utf8'))).toEqual({
      ...rest,
      schemaVersion: 4,
      ...ADDED,
      serial: 1,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(session.load()).toEqual(loaded);
    expect(readFileSync(getPreviousSessionFile(dir), 'utf8')).toBe(earlier);
  },
);

test('a file of version 3 is migrated on load, with every fact of its steps', () => {
  const saved = readFileSync(join(import.meta.dirname, '../fixtures/sessions/version-3.json'), 'utf8');
  mkdirSync(join(dir, '.upi-wizard'));
  writeFileSync(getSessionFile(dir), saved);
  const session = openSession(dir);
  const { serial, checksum: _, ...rest } = JSON.parse(saved);
  const expected = { ...rest, schemaVersion: 4, unfinished: null };
  const loaded = session.load();
  expect(loaded).toEqual(expected);
  expect(session.getNotices()).toEqual([]);
  const { facts, droppedKeys } = parseFacts(loaded.memory);
  expect(droppedKeys).toEqual([]);
  expect(facts).toEqual(expected.memory);
  session.save(loaded);
  const checksum = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(JSON.parse(readFileSync(getSessionFile(dir), 'utf8'))).toEqual({ ...expected, serial: serial + 1, checksum });
});

test('a session that cannot be written is an error', () => {
  writeFileSync(join(dir, '.upi-wizard'), '');
  expect(() => openSession(dir).save(state)).toThrow(
    expect.objectContaining({ userError: expect.objectContaining({ code: 'session-unwritable' }) }),
  );
});

test('the directory used last is the default while its session exists', () => {
  const config = join(base, 'config');
  expect(findDefaultDirectory(base, config)).toBe(join(base, 'upi-cluster'));
  const other = join(base, 'b');
  for (const one of [dir, other]) {
    openSession(one).save(state);
    rememberDirectory(one, config);
  }
  rememberDirectory(dir, config);
  expect(listSessions(config).map(({ dir: found }) => found)).toEqual([dir, other]);
  expect(findDefaultDirectory(base, config)).toBe(dir);
  // A session that can be recovered from the previous file still counts.
  renameSync(getSessionFile(dir), getPreviousSessionFile(dir));
  expect(findDefaultDirectory(base, config)).toBe(dir);
  rmSync(dir, { recursive: true });
  expect(findDefaultDirectory(base, config)).toBe(other);
});

test('an unwritable home loses only the remembered directory', () => {
  writeFileSync(join(base, 'no-home'), '');
  const config = join(base, 'no-home', 'config');
  expect(() => rememberDirectory(dir, config)).not.toThrow();
  expect(findDefaultDirectory(base, config)).toBe(join(base, 'upi-cluster'));
});

test('directories that must not hold an installation', () => {
  symlinkSync(dir, join(base, 'link'));
  writeFileSync(join(base, 'file'), '');
  mkdirSync(join(base, 'home'));
  expect(findDirectoryProblem(dir)).toBeNull();
  expect(findDirectoryProblem(join(base, 'new'))).toBeNull();
  expect(findDirectoryProblem('/')?.code).toBe('directory-root');
  expect(findDirectoryProblem(join(base, 'home'), join(base, 'home'))?.code).toBe('directory-home');
  expect(findDirectoryProblem(join(base, 'link'))?.code).toBe('directory-symlink');
  expect(findDirectoryProblem(join(base, 'file'))?.code).toBe('directory-file');
  expect(findDirectoryProblem(join(base, 'file', 'below'))?.code).toBe('directory-unwritable');
  chmodSync(dir, 0o777);
  expect(findDirectoryProblem(dir)?.code).toBe('directory-open');
});
