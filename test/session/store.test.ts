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
import { defaultDirectory, listSessions, rememberDirectory } from '../../src/session/directories.ts';
import { directoryProblem } from '../../src/session/directory-problem.ts';
import { previousFile } from '../../src/session/load.ts';
import { freshState, openSession, type SessionState, sessionFile } from '../../src/session/store.ts';
import { parseFacts } from '../../src/steps/facts.ts';

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

test('what was saved is loaded, by another session too; file and directory are private', () => {
  expect(openSession(dir).load()).toEqual(freshState);
  expect(existsSync(join(dir, '.upi-wizard'))).toBe(false);
  openSession(dir).save(state);
  expect(openSession(dir).load()).toEqual(state);
  const { memory: _, ...rest } = state;
  openSession(dir).save({ ...rest, memory: {} });
  expect(openSession(dir).load().memory).toEqual({});
  expect(statSync(sessionFile(dir)).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, '.upi-wizard')).mode & 0o777).toBe(0o700);
});

test('a save survives SIGKILL as soon as it has returned', () => {
  const script = join(base, 'save.ts');
  writeFileSync(
    script,
    `import { openSession, freshState } from ${JSON.stringify(join(import.meta.dirname, '../../src/session/store.ts'))};
     openSession(${JSON.stringify(dir)}).save({ ...freshState, design: 'answer' });
     process.kill(process.pid, 'SIGKILL');`,
  );
  expect(() => execFileSync(process.execPath, [script], { stdio: 'pipe' })).toThrow();
  expect(openSession(dir).load().design).toBe('answer');
});

test('a file of a later program is refused and not touched', () => {
  openSession(dir).save(state);
  const text = '{"schemaVersion":4,"new":true}';
  writeFileSync(sessionFile(dir), text);
  const before = statSync(sessionFile(dir));
  expect(() => openSession(dir).load()).toThrow(
    expect.objectContaining({ trouble: expect.objectContaining({ code: 'session-newer' }) }),
  );
  expect(readFileSync(sessionFile(dir), 'utf8')).toBe(text);
  expect(statSync(sessionFile(dir)).mtimeMs).toBe(before.mtimeMs);
  expect(readdirSync(join(dir, '.upi-wizard'))).toEqual(['journal.ndjson', 'session.json']);
});

test.each([1, 2])(
  'a file of version %i is brought to the form of today, and stays as it is until something is saved',
  (version) => {
    const earlier = readFileSync(join(import.meta.dirname, `../fixtures/sessions/version-${version}.json`), 'utf8');
    openSession(dir).save(state);
    writeFileSync(sessionFile(dir), earlier);
    const session = openSession(dir);
    const loaded = session.load();
    const { confirmed: _, journal: __, ...kept } = JSON.parse(earlier);
    expect(loaded).toEqual({ ...kept, schemaVersion: 3, question: null, inForce: null, changes: null, reached: null });
    expect(session.notices()).toEqual([]);
    expect(readFileSync(sessionFile(dir), 'utf8')).toBe(earlier);
    const { facts, dropped } = parseFacts(loaded.memory);
    expect(dropped).toEqual([]);
    expect(facts).toEqual(kept.memory);
    session.save(loaded);
    expect(JSON.parse(readFileSync(sessionFile(dir), 'utf8'))).toEqual({
      ...kept,
      schemaVersion: 3,
      question: null,
      inForce: null,
      changes: null,
      reached: null,
      serial: 1,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(session.load()).toEqual(loaded);
    expect(readFileSync(previousFile(dir), 'utf8')).toBe(earlier);
  },
);

test('a file of version 3 is loaded as it was saved, with every fact of its steps', () => {
  const saved = readFileSync(join(import.meta.dirname, '../fixtures/sessions/version-3.json'), 'utf8');
  mkdirSync(join(dir, '.upi-wizard'));
  writeFileSync(sessionFile(dir), saved);
  const session = openSession(dir);
  const { serial, checksum: _, ...expected } = JSON.parse(saved);
  const loaded = session.load();
  expect(loaded).toEqual(expected);
  expect(session.notices()).toEqual([]);
  const { facts, dropped } = parseFacts(loaded.memory);
  expect(dropped).toEqual([]);
  expect(facts).toEqual(expected.memory);
  session.save(loaded);
  const checksum = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(JSON.parse(readFileSync(sessionFile(dir), 'utf8'))).toEqual({ ...expected, serial: serial + 1, checksum });
});

test('a session that cannot be written says so', () => {
  writeFileSync(join(dir, '.upi-wizard'), '');
  expect(() => openSession(dir).save(state)).toThrow(
    expect.objectContaining({ trouble: expect.objectContaining({ code: 'session-unwritable' }) }),
  );
});

test('the directory used last is the default while its session is there', () => {
  const config = join(base, 'config');
  expect(defaultDirectory(base, config)).toBe(join(base, 'upi-cluster'));
  const other = join(base, 'b');
  for (const one of [dir, other]) {
    openSession(one).save(state);
    rememberDirectory(one, config);
  }
  rememberDirectory(dir, config);
  expect(listSessions(config).map(({ dir: found }) => found)).toEqual([dir, other]);
  expect(defaultDirectory(base, config)).toBe(dir);
  // What can be recovered is still there.
  renameSync(sessionFile(dir), previousFile(dir));
  expect(defaultDirectory(base, config)).toBe(dir);
  rmSync(dir, { recursive: true });
  expect(defaultDirectory(base, config)).toBe(other);
});

test('a home that cannot be written costs the memory of the directory, nothing else', () => {
  writeFileSync(join(base, 'no-home'), '');
  const config = join(base, 'no-home', 'config');
  expect(() => rememberDirectory(dir, config)).not.toThrow();
  expect(defaultDirectory(base, config)).toBe(join(base, 'upi-cluster'));
});

test('directories that must not hold an installation', () => {
  symlinkSync(dir, join(base, 'link'));
  writeFileSync(join(base, 'file'), '');
  mkdirSync(join(base, 'home'));
  expect(directoryProblem(dir)).toBeNull();
  expect(directoryProblem(join(base, 'new'))).toBeNull();
  expect(directoryProblem('/')?.code).toBe('directory-root');
  expect(directoryProblem(join(base, 'home'), join(base, 'home'))?.code).toBe('directory-home');
  expect(directoryProblem(join(base, 'link'))?.code).toBe('directory-symlink');
  expect(directoryProblem(join(base, 'file'))?.code).toBe('directory-file');
  expect(directoryProblem(join(base, 'file', 'below'))?.code).toBe('directory-unwritable');
  chmodSync(dir, 0o777);
  expect(directoryProblem(dir)?.code).toBe('directory-open');
});
