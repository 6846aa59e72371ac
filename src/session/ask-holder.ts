import { connect, type Socket } from 'node:net';
import { deserialize } from 'node:v8';
import { type Difference, withDifference } from '../design/differences.ts';
import { SECOND, systemClock, uptime } from '../ports/clock.ts';
import * as z from '../ports/zod.ts';
import {
  type Guest,
  type News,
  newsSchema,
  type OpenQuestion,
  openQuestionSchema,
  type Request,
} from './conversation.ts';
import { isRunning } from './owner.ts';
import { announcedOwners, type FoundOwner, ownersDirectory, removeOwner } from './owner-files.ts';
import { socketPath } from './owner-socket.ts';

/** How long a holder may take to answer: one that is stopped or hangs never does. */
export const PATIENCE = 10 * SECOND;
const LOOK_AGAIN = 50;

/** How a holder answered the wish to take over. `silent`: not at all, or nobody can ask it from here. */
export type Yielding =
  | { readonly kind: 'left' }
  | { readonly kind: 'stays'; readonly why: string }
  | { readonly kind: 'silent' };

const leavingSchema = z.object({ stays: z.string().nullable() });

/** The holder of a directory now, without taking part in the taking; null where there is none. */
export async function holderOf(dir: string): Promise<FoundOwner | null> {
  try {
    return (await livingNow(dir)).find(({ isHeld }) => isHeld) ?? null;
  } catch {
    // No owner ever was there, or it is not ours to see.
    return null;
  }
}

/** What the holder says of itself; null where it does not answer. */
export async function newsOf(dir: string, { id }: FoundOwner, patience = PATIENCE): Promise<News | null> {
  const line = await askLine(dir, id, { ask: 'who' }, patience);
  return line === null ? null : (newsSchema.safeParse(line).data ?? null);
}

const questionSchema = z.object({ question: openQuestionSchema.nullable() });

/** The question that the holder asks its person (null: none), or `silent`. */
export async function questionOfHolder(
  dir: string,
  { id }: FoundOwner,
): Promise<{ readonly question: OpenQuestion | null } | 'silent'> {
  return questionSchema.safeParse(await askLine(dir, id, { ask: 'question' }, PATIENCE)).data ?? 'silent';
}

const answeredSchema = z.object({ refused: z.string().nullable() });

/** Answers the holder's question. `refused`: null, or why it does not take the answer. */
export async function answerHolder(
  dir: string,
  { id }: FoundOwner,
  text: string,
): Promise<{ readonly refused: string | null } | 'silent'> {
  return answeredSchema.safeParse(await askLine(dir, id, { ask: 'answer', text }, PATIENCE)).data ?? 'silent';
}

/** Asks the holder to save and leave, and waits until it has. */
export async function askToLeave(
  dir: string,
  { id }: FoundOwner,
  ask: 'take-over' | 'leave',
  guest: Guest,
): Promise<Yielding> {
  const answer = leavingSchema.safeParse(await askLine(dir, id, { ask, guest }, PATIENCE)).data;
  if (answer === undefined) return (await isThere(dir, id)) ? { kind: 'silent' } : { kind: 'left' };
  if (answer.stays !== null) return { kind: 'stays', why: answer.stays };
  const until = uptime() + PATIENCE;
  while (await isThere(dir, id)) {
    if (uptime() > until) return { kind: 'silent' };
    await systemClock.sleep(LOOK_AGAIN);
  }
  return { kind: 'left' };
}

/**
 * Ends a silent holder: kills it where it is provably this process, so that it never writes again, and removes its
 * owner file, without which it will not write wherever it is.
 */
export async function overrun(dir: string, { id, owner }: FoundOwner): Promise<void> {
  if (owner !== null && isRunning(owner)) process.kill(owner.pid, 'SIGKILL');
  while (owner !== null && isRunning(owner)) await systemClock.sleep(LOOK_AGAIN);
  removeOwner(ownersDirectory(dir), id);
}

/**
 * Watches the holder.
 * @param show receives each state
 * @returns when the holder left, or `signal` was aborted
 */
export async function watchHolder(
  dir: string,
  { id, owner }: FoundOwner,
  show: (state: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const socket = open(dir, id, { ask: 'watch', version: owner?.version ?? '' });
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort);
  let state: unknown = null;
  let pending = Buffer.alloc(0);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
        const end = 4 + pending.readUInt32BE(0);
        state = withDifference(state, deserialize(pending.subarray(4, end)) as Difference);
        pending = pending.subarray(end);
        show(state);
      }
    }
  } catch {
    // The holder ended, or we did.
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

async function livingNow(dir: string): Promise<FoundOwner[]> {
  return (await announcedOwners(ownersDirectory(dir))).filter(({ liveness }) => liveness !== 'dead');
}

async function isThere(dir: string, id: string): Promise<boolean> {
  return (await livingNow(dir)).some((each) => each.id === id);
}

/** Connects and asks; the socket may fail later. */
function open(dir: string, id: string, request: Request): Socket {
  const { path, release } = socketPath(ownersDirectory(dir), `owner-${id}.sock`);
  const socket = connect(path);
  socket.once('connect', release).once('error', release);
  socket.write(`${JSON.stringify(request)}\n`);
  return socket;
}

/** The line that answers; null where none comes in time. */
function askLine(dir: string, id: string, request: Request, patience: number): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = open(dir, id, request);
    const done = (answer: unknown) => {
      giveUp.abort();
      socket.destroy();
      resolve(answer);
    };
    const giveUp = new AbortController();
    systemClock.sleep(patience, giveUp.signal).then(
      () => done(null),
      () => undefined,
    );
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) done(parsed(text));
    });
    socket.on('error', () => done(null)).on('close', () => done(null));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
