import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import {
  createHolderRecord,
  describeHolder,
  getHoldersDirectory,
  type HolderRecord,
} from '../../src/session/holder-files.ts';
import { acquireLock, type SessionLock } from '../../src/session/lock.ts';
import { createZombie } from '../support/zombie-process.ts';

let dir: string;
let holders: string;
const locks: SessionLock[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
  holders = getHoldersDirectory(dir);
});
afterEach(() => {
  for (const lock of locks.splice(0)) lock.release();
  rmSync(dir, { recursive: true, force: true });
});

async function takeLock(): Promise<SessionLock> {
  const lock = await acquireLock(dir);
  locks.push(lock);
  return lock;
}

async function getRefusal(): Promise<UserErrorException['userError']> {
  const error: unknown = await takeLock().catch((thrown: unknown) => thrown);
  if (error instanceof UserErrorException) return error.userError;
  throw new Error('not refused');
}

const ID = '0123456789abcdef';
/** Writes a holder file as another process leaves it. */
function writeHolderFile(change: Partial<HolderRecord> | string): void {
  mkdirSync(holders, { recursive: true, mode: 0o700 });
  const text =
    typeof change === 'string' ? change : JSON.stringify({ ...createHolderRecord('upi-wizard', ''), ...change });
  writeFileSync(join(holders, `owner-${ID}.json`), text, { mode: 0o600 });
  writeFileSync(join(holders, `owner-${ID}.held`), '');
}

test('one process has the lock; the error for another names the holder and a remedy', async () => {
  const lock = await takeLock();
  const userError = await getRefusal();
  expect(userError).toMatchObject({ code: 'session-locked', title: 'This install directory is in use' });
  expect(userError.cause).toContain(`process ${process.pid}`);
  lock.release();
  lock.release();
  expect(readdirSync(holders)).toEqual([]);
  await takeLock();
});

test('of many that ask at once exactly one gets it', async () => {
  const results = await Promise.allSettled(Array.from({ length: 30 }, takeLock));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const { reason } of results.filter((one) => one.status === 'rejected'))
    expect(reason).toMatchObject({ userError: { code: 'session-locked' } });
});

test('holders that provably ended hold nothing, and their files are removed', async () => {
  const { pid, start } = await createZombie();
  const own = createHolderRecord('upi-wizard', '');
  for (const change of [{ pid, start }, { start: '1' }, { boot: 'an earlier boot' }, { pid: 4_194_305 }]) {
    writeHolderFile(change);
    const lock = await takeLock();
    expect(existsSync(join(holders, `owner-${ID}.json`)), JSON.stringify(change)).toBe(false);
    lock.release();
  }
  // The same namespace number on another boot is another namespace.
  expect(own.boot).not.toBe('');
});

test('a holder that may be alive is not taken over', async () => {
  for (const [change, text] of [
    [{ host: 'other\u001b[2J', machine: 'b', boot: 'c' }, 'cannot check whether it still runs'],
    [{ machine: 'a clone of this machine', boot: 'c' }, 'cannot check whether it still runs'],
    [{ pidNamespace: 'pid:[1]' }, 'in another container'],
    ['{"format":2}', 'another version of upi-wizard'],
  ] as const) {
    writeHolderFile(change);
    const { code, cause } = await getRefusal();
    expect(code).toBe('session-locked');
    expect(cause).toContain(text);
    expect(cause).not.toContain('\u001b');
    expect(existsSync(join(holders, `owner-${ID}.json`))).toBe(true);
    rmSync(holders, { recursive: true });
  }
});

test('a partial owner file and foreign files are no holder', async () => {
  writeHolderFile('{"format":1,"pid":');
  mkdirSync(join(holders, 'owner-00000000000000aa.json'));
  writeFileSync(join(holders, 'notes.txt'), '');
  await takeLock();
  expect(existsSync(join(holders, `owner-${ID}.json`))).toBe(false);
});

test('files of a process that was killed while it took the lock are removed after an hour', async () => {
  mkdirSync(holders, { recursive: true, mode: 0o700 });
  for (const name of [`owner-${ID}.json.new`, `owner-${ID}.sock`, 'owner-00000000000000aa.sock'])
    writeFileSync(join(holders, name), '');
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const name of [`owner-${ID}.json.new`, `owner-${ID}.sock`]) utimesSync(join(holders, name), longAgo, longAgo);
  const lock = await takeLock();
  lock.release();
  expect(readdirSync(holders)).toEqual(['owner-00000000000000aa.sock']);
});

test('a session in a directory that is moved or removed writes no more, and does not report a take-over', async () => {
  const lock = await takeLock();
  const moved = `${dir}-moved`;
  renameSync(dir, moved);
  try {
    expect(lock.assertHeld).toThrow(
      expect.objectContaining({
        userError: expect.objectContaining({ code: 'session-moved', cause: expect.stringContaining(dir) }),
      }),
    );
  } finally {
    rmSync(moved, { recursive: true, force: true });
  }
});

test('a session that was taken over writes no more', async () => {
  const lock = await takeLock();
  lock.assertHeld();
  for (const name of readdirSync(holders)) rmSync(join(holders, name));
  expect(() => lock.assertHeld()).toThrow(
    expect.objectContaining({ userError: expect.objectContaining({ code: 'session-taken' }) }),
  );
  await takeLock();
  expect(() => lock.assertHeld()).toThrow();
});

test('a session that cannot remove its files still ends', async () => {
  const lock = await takeLock();
  const marker = readdirSync(holders).find((name) => name.endsWith('.held')) ?? '';
  rmSync(join(holders, marker));
  // The removal of this fails for every user.
  mkdirSync(join(holders, marker));
  expect(() => lock.release()).not.toThrow();
});

test('a place that cannot hold a lock gives a clear error', async () => {
  writeFileSync(join(dir, '.upi-wizard'), '');
  expect((await getRefusal()).code).toBe('session-unwritable');
  rmSync(join(dir, '.upi-wizard'));
  mkdirSync(join(dir, '.upi-wizard'));
  writeFileSync(holders, '');
  expect((await getRefusal()).code).toBe('session-unwritable');
});

test('the owner file identifies the holder, and is readable by its owner only', async () => {
  const lock = await takeLock();
  const [name = ''] = readdirSync(holders).filter((each) => each.endsWith('.json'));
  const saved: unknown = JSON.parse(readFileSync(join(holders, name), 'utf8'));
  expect(saved).toEqual(lock.record);
  expect(lock.record).toMatchObject({ pid: process.pid, socket: { ino: expect.any(Number) } });
  const at = new Date(2020, 0, 2, 3, 4).getTime();
  const record: HolderRecord = { ...lock.record, user: 'alice', from: '10.0.0.9', tty: 'pts/3', since: at, pid: 7 };
  expect(describeHolder(record)).toBe('alice from 10.0.0.9 on pts/3 since 2020-01-02 03:04 (upi-wizard, process 7)');
});

test('a directory with a long name has a lock and a socket too', async () => {
  const long = join(dir, 'd'.repeat(150));
  mkdirSync(long);
  const lock = await acquireLock(long);
  locks.push(lock);
  expect(lock.record.socket).not.toBeNull();
});

test('a copy of the directory is not locked, and the original stays locked; a moved directory stays locked', async () => {
  const lock = await takeLock();
  const copy = `${dir}-copy`;
  const moved = `${dir}-moved`;
  try {
    cpSync(dir, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
    const other = await acquireLock(copy);
    expect(readdirSync(getHoldersDirectory(copy)).filter((name) => name.endsWith('.json'))).toHaveLength(1);
    other.release();
    lock.assertHeld();
    expect((await getRefusal()).code).toBe('session-locked');
    renameSync(dir, moved);
    await expect(acquireLock(moved)).rejects.toMatchObject({ userError: { code: 'session-locked' } });
    renameSync(moved, dir);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
