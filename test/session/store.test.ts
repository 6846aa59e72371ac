import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultDirectory, directoryProblem, listSessions, rememberDirectory } from '../../src/session/directories.ts';
import { acquireLock } from '../../src/session/lock.ts';
import { freshState, openSession, type SessionState, sessionFile } from '../../src/session/store.ts';
import { parseFacts } from '../../src/steps/facts.ts';
import { unnoticedEnd } from '../support/unnoticed-end.ts';

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

test.each([
  ['no JSON', '{ "schemaVersion": 1, "des'],
  ['empty', ''],
  ['no object', '[]'],
  ['another shape', JSON.stringify({ ...freshState, place: 'nodes' })],
  ['an unknown key', JSON.stringify({ ...freshState, extra: 1 })],
  ['no version', '{}'],
])('a damaged file (%s) is moved aside and told, and kept as it was', (_, text) => {
  openSession(dir).save(state);
  writeFileSync(`${sessionFile(dir)}.bad-1`, 'older');
  writeFileSync(sessionFile(dir), text);
  const session = openSession(dir);
  expect(session.load()).toEqual(freshState);
  expect(session.notices()).toMatchObject([
    { code: 'session-damaged', cause: expect.stringContaining('session.json.bad-2') },
  ]);
  expect(readFileSync(`${sessionFile(dir)}.bad-2`, 'utf8')).toBe(text);
  expect(readFileSync(`${sessionFile(dir)}.bad-1`, 'utf8')).toBe('older');
  session.save(state);
  expect(session.load()).toEqual(state);
});

test('a file of a later program is refused and not touched', () => {
  openSession(dir).save(state);
  const text = '{"schemaVersion":3,"new":true}';
  writeFileSync(sessionFile(dir), text);
  const before = statSync(sessionFile(dir));
  expect(() => openSession(dir).load()).toThrow(
    expect.objectContaining({ trouble: expect.objectContaining({ code: 'session-newer' }) }),
  );
  expect(readFileSync(sessionFile(dir), 'utf8')).toBe(text);
  expect(statSync(sessionFile(dir)).mtimeMs).toBe(before.mtimeMs);
  expect(readdirSync(join(dir, '.upi-wizard'))).toEqual(['session.json']);
});

test('a file of an earlier program is brought to the form of today, and stays as it is until something is saved', () => {
  const earlier = readFileSync(join(import.meta.dirname, '../fixtures/sessions/version-1.json'), 'utf8');
  openSession(dir).save(state);
  writeFileSync(sessionFile(dir), earlier);
  const session = openSession(dir);
  const loaded = session.load();
  const { confirmed: _, journal: __, ...kept } = JSON.parse(earlier);
  expect(loaded).toEqual({ ...kept, schemaVersion: 2 });
  expect(session.notices()).toEqual([]);
  expect(readFileSync(sessionFile(dir), 'utf8')).toBe(earlier);
  const { facts, dropped } = parseFacts(loaded.memory);
  expect(dropped).toEqual([]);
  expect(facts).toEqual(kept.memory);
  session.save(loaded);
  expect(JSON.parse(readFileSync(sessionFile(dir), 'utf8'))).toEqual({ ...kept, schemaVersion: 2 });
  expect(session.load()).toEqual(loaded);
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
  expect(directoryProblem(tmpdir())).not.toBeNull();
});

test('the lock belongs to one living process', () => {
  const lock = acquireLock(dir);
  expect(() => acquireLock(dir)).toThrow(
    expect.objectContaining({ trouble: expect.objectContaining({ code: 'session-locked' }) }),
  );
  lock.release();
  acquireLock(dir).release();
  writeFileSync(join(dir, '.upi-wizard/session.lock'), `${process.pid} 1\n`);
  acquireLock(dir).release();
  expect(existsSync(join(dir, '.upi-wizard/session.lock'))).toBe(false);
});

test('a holder that ended, and whose end nobody took note of, holds nothing', async () => {
  const { pid, start } = await unnoticedEnd();
  mkdirSync(join(dir, '.upi-wizard'), { recursive: true });
  writeFileSync(join(dir, '.upi-wizard/session.lock'), `${pid} ${start}\n`);
  acquireLock(dir).release();
  expect(existsSync(join(dir, '.upi-wizard/session.lock'))).toBe(false);
});

test('a process that ends without a word leaves no lock behind', () => {
  const lock = pathToFileURL(join(import.meta.dirname, '../../src/session/lock.ts')).href;
  const program = `import { acquireLock } from '${lock}'; acquireLock(process.argv[1]); process.exit(129);`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program, dir]);
  expect(status).toBe(129);
  expect(existsSync(join(dir, '.upi-wizard/session.lock'))).toBe(false);
});
