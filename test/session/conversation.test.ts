import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { askToLeave, holderOf, newsOf, overrun, watchHolder } from '../../src/session/ask-holder.ts';
import { type Conversation, converse } from '../../src/session/conversation.ts';
import { acquireLock, type SessionLock } from '../../src/session/lock.ts';
import { type FoundOwner, ownersDirectory } from '../../src/session/owner-files.ts';

let dir: string;
let lock: SessionLock;
let holder: FoundOwner;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'talk-'));
  lock = await acquireLock(dir, 'upi-wizard', '1.2.3');
  const found = await holderOf(dir);
  if (found === null) throw new Error('nobody holds it');
  holder = found;
});
afterEach(() => {
  lock.release();
  rmSync(dir, { recursive: true, force: true });
});
const GUEST = { user: 'bob\u001b[2J', from: '10.0.0.7', tty: 'pts/4' };
const news = { place: 'Boot', cluster: 'ocp45', isActing: false };

function talk(change: Partial<Conversation> = {}): void {
  const silent = { question: () => null, answer: () => 'no', watched: null };
  converse(lock, { news: () => news, leave: () => 'no', ...silent, ...change });
}

test('a holder says where it stands, also to those who asked before it listened', async () => {
  const early = newsOf(dir, holder);
  talk();
  expect(await early).toEqual({ ...news, canWatch: false });
  expect(await newsOf(dir, holder)).toEqual({ ...news, canWatch: false });
});

test('a holder that is asked leaves once it has saved, and knows who asked', async () => {
  const leave = vi.fn(() => {
    setImmediate(lock.release);
    return null;
  });
  talk({ leave });
  expect(await askToLeave(dir, holder, 'take-over', GUEST)).toEqual({ kind: 'left' });
  expect(leave.mock.calls).toEqual([['taken-over', 'bob\ufffd from 10.0.0.7 on pts/4']]);
  expect(await holderOf(dir)).toBeNull();
});

test('a holder that cannot save stays and says why', async () => {
  talk({ leave: () => 'the disk is full' });
  expect(await askToLeave(dir, holder, 'leave', GUEST)).toEqual({ kind: 'stays', why: 'the disk is full' });
});

test('a holder that says nothing is silent; overrun, it writes no more', async () => {
  expect(await newsOf(dir, holder, 1)).toBeNull();
  // Of another kernel: nobody would be killed by its number.
  await overrun(dir, { ...holder, owner: { ...lock.owner, boot: 'another' } });
  expect(() => lock.check()).toThrow();
  expect(await holderOf(dir)).toBeNull();
});

test('what none of us says gets no answer and does no harm', async () => {
  talk();
  const path = join(ownersDirectory(dir), `owner-${holder.id}.sock`);
  for (const said of ['\n', '{}\n', '{"ask":"take-over"}\n', `${'x'.repeat(200_000)}`, '{"ask":"answer"}\n']) {
    const socket = connect(path);
    socket.on('error', () => undefined);
    socket.write(said);
    const received = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('close', () => resolve(text));
    });
    expect(received, said.slice(0, 30)).toBe('');
  }
  expect(await newsOf(dir, holder)).not.toBeNull();
});

test('a viewer sees each state that stays, until the holder leaves', async () => {
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
  const watched = {
    current: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  talk({ watched });
  const seen: unknown[] = [];
  const ended = watchHolder(dir, holder, (each) => seen.push(each), new AbortController().signal);
  await vi.waitFor(() => expect(seen).toHaveLength(1), 60_000);
  for (let count = 1; count <= 100; count += 1) change({ count });
  change({ big: [...state.big, 'more'] });
  await vi.waitFor(() => expect(seen.at(-1)).toEqual(state), 60_000);
  // A burst is one frame or two.
  expect(seen.length).toBeLessThan(5);
  lock.release();
  await ended;
  await vi.waitFor(() => expect(listeners.size).toBe(0), 60_000);
});

test('a viewer of another version, and of a holder without screens, sees nothing', async () => {
  talk({ watched: { current: () => 1, subscribe: () => () => undefined } });
  const show = vi.fn();
  const other = { ...holder, owner: { ...lock.owner, version: '1.2.4' } };
  await watchHolder(dir, other, show, new AbortController().signal);
  talk();
  await watchHolder(dir, holder, show, new AbortController().signal);
  expect(show).not.toHaveBeenCalled();
});
