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
import { describeOwner } from '../../src/session/describe-owner.ts';
import { acquireLock, type SessionLock } from '../../src/session/lock.ts';
import { type Owner, ownOwner } from '../../src/session/owner.ts';
import { ownersDirectory } from '../../src/session/owner-files.ts';
import { TroubleError } from '../../src/text/trouble.ts';
import { unnoticedEnd } from '../support/unnoticed-end.ts';

let dir: string;
let owners: string;
const held: SessionLock[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
  owners = ownersDirectory(dir);
});
afterEach(() => {
  for (const lock of held.splice(0)) lock.release();
  rmSync(dir, { recursive: true, force: true });
});

async function take(): Promise<SessionLock> {
  const lock = await acquireLock(dir);
  held.push(lock);
  return lock;
}

async function refusal(): Promise<TroubleError['trouble']> {
  const error: unknown = await take().catch((thrown: unknown) => thrown);
  if (error instanceof TroubleError) return error.trouble;
  throw new Error('not refused');
}

const ID = '0123456789abcdef';
/** An owner file as another process left it. */
function leave(change: Partial<Owner> | string): void {
  mkdirSync(owners, { recursive: true, mode: 0o700 });
  const text = typeof change === 'string' ? change : JSON.stringify({ ...ownOwner('upi-wizard', ''), ...change });
  writeFileSync(join(owners, `owner-${ID}.json`), text, { mode: 0o600 });
  writeFileSync(join(owners, `owner-${ID}.held`), '');
}

test('the lock belongs to one; who finds it taken is told by whom and what to do', async () => {
  const lock = await take();
  const refused = await refusal();
  expect(refused).toMatchObject({ code: 'session-locked', title: 'This install directory is in use' });
  expect(refused.cause).toContain(`process ${process.pid}`);
  lock.release();
  lock.release();
  expect(readdirSync(owners)).toEqual([]);
  await take();
});

test('of many that ask at once exactly one gets it', async () => {
  const asked = await Promise.allSettled(Array.from({ length: 30 }, take));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const { reason } of asked.filter((one) => one.status === 'rejected'))
    expect(reason).toMatchObject({ trouble: { code: 'session-locked' } });
});

test('holders that are provably gone hold nothing, and their files go', async () => {
  const { pid, start } = await unnoticedEnd();
  const own = ownOwner('upi-wizard', '');
  for (const gone of [{ pid, start }, { start: '1' }, { boot: 'an earlier boot' }, { pid: 4_194_305 }]) {
    leave(gone);
    const lock = await take();
    expect(existsSync(join(owners, `owner-${ID}.json`)), JSON.stringify(gone)).toBe(false);
    lock.release();
  }
  // The same namespace number on another boot is another namespace.
  expect(own.boot).not.toBe('');
});

test('who cannot be proven dead is not overrun', async () => {
  for (const [unsure, said] of [
    [{ host: 'other\u001b[2J', machine: 'b', boot: 'c' }, 'cannot be seen from this machine'],
    [{ machine: 'a clone of this machine', boot: 'c' }, 'cannot be seen from this machine'],
    [{ pidNamespace: 'pid:[1]' }, 'in another container'],
    ['{"format":2}', 'another version of upi-wizard'],
  ] as const) {
    leave(unsure);
    const { code, cause } = await refusal();
    expect(code).toBe('session-locked');
    expect(cause).toContain(said);
    expect(cause).not.toContain('\u001b');
    expect(existsSync(join(owners, `owner-${ID}.json`))).toBe(true);
    rmSync(owners, { recursive: true });
  }
});

test('half an owner file, and what none of us made, is no holder', async () => {
  leave('{"format":1,"pid":');
  mkdirSync(join(owners, 'owner-00000000000000aa.json'));
  writeFileSync(join(owners, 'notes.txt'), '');
  await take();
  expect(existsSync(join(owners, `owner-${ID}.json`))).toBe(false);
});

test('what a killed process left while it took the lock goes after an hour', async () => {
  mkdirSync(owners, { recursive: true, mode: 0o700 });
  for (const name of [`owner-${ID}.json.new`, `owner-${ID}.sock`, 'owner-00000000000000aa.sock'])
    writeFileSync(join(owners, name), '');
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const name of [`owner-${ID}.json.new`, `owner-${ID}.sock`]) utimesSync(join(owners, name), longAgo, longAgo);
  const lock = await take();
  lock.release();
  expect(readdirSync(owners)).toEqual(['owner-00000000000000aa.sock']);
});

test('who works in a directory that is moved or removed writes no more, and says so: nobody has taken it over', async () => {
  const lock = await take();
  const moved = `${dir}-moved`;
  renameSync(dir, moved);
  try {
    expect(lock.check).toThrow(
      expect.objectContaining({
        trouble: expect.objectContaining({ code: 'session-moved', cause: expect.stringContaining(dir) }),
      }),
    );
  } finally {
    rmSync(moved, { recursive: true, force: true });
  }
});

test('who was taken over writes no more', async () => {
  const lock = await take();
  lock.check();
  for (const name of readdirSync(owners)) rmSync(join(owners, name));
  expect(() => lock.check()).toThrow(
    expect.objectContaining({ trouble: expect.objectContaining({ code: 'session-taken' }) }),
  );
  await take();
  expect(() => lock.check()).toThrow();
});

test('who cannot remove its files any more leaves all the same', async () => {
  const lock = await take();
  const marker = readdirSync(owners).find((name) => name.endsWith('.held')) ?? '';
  rmSync(join(owners, marker));
  // Removing this fails, whoever we are.
  mkdirSync(join(owners, marker));
  expect(() => lock.release()).not.toThrow();
});

test('a place that cannot hold a lock is said in a sentence', async () => {
  writeFileSync(join(dir, '.upi-wizard'), '');
  expect((await refusal()).code).toBe('session-unwritable');
  rmSync(join(dir, '.upi-wizard'));
  mkdirSync(join(dir, '.upi-wizard'));
  writeFileSync(owners, '');
  expect((await refusal()).code).toBe('session-unwritable');
});

test('the owner file says who it is, for its owner only', async () => {
  const lock = await take();
  const [name = ''] = readdirSync(owners).filter((each) => each.endsWith('.json'));
  const saved: unknown = JSON.parse(readFileSync(join(owners, name), 'utf8'));
  expect(saved).toEqual(lock.owner);
  expect(lock.owner).toMatchObject({ pid: process.pid, socket: { ino: expect.any(Number) } });
  const at = new Date(2020, 0, 2, 3, 4).getTime();
  const owner: Owner = { ...lock.owner, user: 'alice', from: '10.0.0.9', tty: 'pts/3', since: at, pid: 7 };
  expect(describeOwner(owner)).toBe('alice from 10.0.0.9 on pts/3 since 2020-01-02 03:04 (upi-wizard, process 7)');
});

test('a directory with a long name has a lock and a socket too', async () => {
  const long = join(dir, 'd'.repeat(150));
  mkdirSync(long);
  const lock = await acquireLock(long);
  held.push(lock);
  expect(lock.owner.socket).not.toBeNull();
});

test('in a copy of the directory its holder holds nothing, and keeps the original; a moved directory stays held', async () => {
  const lock = await take();
  const copy = `${dir}-copy`;
  const moved = `${dir}-moved`;
  try {
    cpSync(dir, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
    const other = await acquireLock(copy);
    expect(readdirSync(ownersDirectory(copy)).filter((name) => name.endsWith('.json'))).toHaveLength(1);
    other.release();
    lock.check();
    expect((await refusal()).code).toBe('session-locked');
    renameSync(dir, moved);
    await expect(acquireLock(moved)).rejects.toMatchObject({ trouble: { code: 'session-locked' } });
    renameSync(moved, dir);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
