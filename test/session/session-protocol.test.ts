import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  findHolder,
  forceTakeOver,
  queryHolderStatus,
  requestTakeOver,
  watchHolder,
} from '../../src/session/holder-client.ts';
import { type FoundHolder, getHoldersDirectory } from '../../src/session/holder-files.ts';
import { acquireLock, type SessionLock } from '../../src/session/lock.ts';
import { type SessionProtocol, servePeers } from '../../src/session/session-protocol.ts';

let dir: string;
let lock: SessionLock;
let holder: FoundHolder;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'talk-'));
  lock = await acquireLock(dir, 'upi-wizard', '1.2.3');
  const found = await findHolder(dir);
  if (found === null) throw new Error('nobody holds it');
  holder = found;
});
afterEach(() => {
  lock.release();
  rmSync(dir, { recursive: true, force: true });
});
const PEER = { user: 'bob\u001b[2J', from: '10.0.0.7', tty: 'pts/4' };
const status = { place: 'Boot', cluster: 'ocp45', isActing: false };

function serveLock(change: Partial<SessionProtocol> = {}): void {
  const silent = { getQuestion: () => null, answer: () => 'no', watchSource: null };
  servePeers(lock, { getStatus: () => status, leave: () => 'no', ...silent, ...change });
}

test('a holder reports its status, also to peers that asked before it listened', async () => {
  const earlyStatus = queryHolderStatus(dir, holder);
  serveLock();
  expect(await earlyStatus).toEqual({ ...status, canWatch: false });
  expect(await queryHolderStatus(dir, holder)).toEqual({ ...status, canWatch: false });
});

test('a holder leaves on request once it has saved, and knows the requester', async () => {
  const leave = vi.fn(() => {
    setImmediate(lock.release);
    return null;
  });
  serveLock({ leave });
  expect(await requestTakeOver(dir, holder, 'take-over', PEER)).toEqual({ kind: 'left' });
  expect(leave.mock.calls).toEqual([['taken-over', 'bob\ufffd from 10.0.0.7 on pts/4']]);
  expect(await findHolder(dir)).toBeNull();
});

test('a holder that cannot save stays and reports the reason', async () => {
  serveLock({ leave: () => 'the disk is full' });
  expect(await requestTakeOver(dir, holder, 'leave', PEER)).toEqual({ kind: 'stays', reason: 'the disk is full' });
});

test('a holder that does not answer has no status; after a forced take-over it writes no more', async () => {
  expect(await queryHolderStatus(dir, holder, 1)).toBeNull();
  // The holder is of another boot: no process is killed by its pid.
  await forceTakeOver(dir, { ...holder, record: { ...lock.record, boot: 'another' } });
  expect(() => lock.assertHeld()).toThrow();
  expect(await findHolder(dir)).toBeNull();
});

test('an invalid request gets no answer and does no harm', async () => {
  serveLock();
  const path = join(getHoldersDirectory(dir), `owner-${holder.id}.sock`);
  for (const request of ['\n', '{}\n', '{"ask":"take-over"}\n', `${'x'.repeat(200_000)}`, '{"ask":"answer"}\n']) {
    const socket = connect(path);
    socket.on('error', () => undefined);
    socket.write(request);
    const received = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('close', () => resolve(text));
    });
    expect(received, request.slice(0, 30)).toBe('');
  }
  expect(await queryHolderStatus(dir, holder)).not.toBeNull();
});

test('a viewer receives each lasting state, until the holder leaves', async () => {
  const listeners = new Set<() => void>();
  let state: { count: number; big: readonly string[]; stages: ReadonlySet<string> } = {
    count: 0,
    big: Array.from({ length: 50_000 }, (_, index) => `line ${index}`),
    stages: new Set(['a']),
  };
  const change = (next: Partial<typeof state>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const watchSource = {
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  serveLock({ watchSource });
  const states: unknown[] = [];
  const ended = watchHolder(dir, holder, (each) => states.push(each), new AbortController().signal);
  await vi.waitFor(() => expect(states).toHaveLength(1), 60_000);
  for (let count = 1; count <= 100; count += 1) change({ count });
  change({ big: [...state.big, 'more'] });
  await vi.waitFor(() => expect(states.at(-1)).toEqual(state), 60_000);
  // A burst of changes is sent in one or two frames.
  expect(states.length).toBeLessThan(5);
  lock.release();
  await ended;
  await vi.waitFor(() => expect(listeners.size).toBe(0), 60_000);
});

test('a viewer of another version, and of a holder without screens, receives nothing', async () => {
  serveLock({ watchSource: { getState: () => 1, subscribe: () => () => undefined } });
  const show = vi.fn();
  const other = { ...holder, record: { ...lock.record, version: '1.2.4' } };
  await watchHolder(dir, other, show, new AbortController().signal);
  serveLock();
  await watchHolder(dir, holder, show, new AbortController().signal);
  expect(show).not.toHaveBeenCalled();
});
