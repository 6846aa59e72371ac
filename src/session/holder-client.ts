import { connect, type Socket } from 'node:net';
import { deserialize } from 'node:v8';
import { applyDifference, type Difference } from '../design/differences.ts';
import { getUptime, SECOND, systemClock } from '../platform/clock.ts';
import * as z from '../platform/zod.ts';
import { type FoundHolder, getHoldersDirectory, isRunning, listHolders, removeHolder } from './holder-files.ts';
import { openSocketPath } from './holder-socket.ts';
import {
  type HolderStatus,
  holderStatusSchema,
  type OpenQuestion,
  openQuestionSchema,
  type Peer,
  type PeerRequest,
} from './session-protocol.ts';

/** Limit for the wait for a holder's reply (ms): a stopped or hanging holder never replies. */
const REPLY_TIMEOUT_MS = 10 * SECOND;
/** Interval at which the end of a holder is polled (ms). */
const POLL_INTERVAL_MS = 50;

/** A holder's reply to a take-over request. `silent`: no reply, or it cannot be reached from this host. */
type TakeOverReply =
  | { readonly kind: 'left' }
  | { readonly kind: 'stays'; readonly reason: string }
  | { readonly kind: 'silent' };

const takeOverReplySchema = z.object({ stays: z.string().nullable() });

/** Finds the current holder of a directory without claiming the lock; null if there is none. */
export async function findHolder(dir: string): Promise<FoundHolder | null> {
  try {
    return (await listLiveHolders(dir)).find(({ hasLock }) => hasLock) ?? null;
  } catch {
    // The directory never had a holder, or our user may not read it.
    return null;
  }
}

/** Queries the holder's status; null if it does not reply within `timeoutMs`. */
export async function queryHolderStatus(
  dir: string,
  { id }: FoundHolder,
  timeoutMs = REPLY_TIMEOUT_MS,
): Promise<HolderStatus | null> {
  const line = await queryHolder(dir, id, { ask: 'who' }, timeoutMs);
  return line === null ? null : (holderStatusSchema.safeParse(line).data ?? null);
}

const questionReplySchema = z.object({ question: openQuestionSchema.nullable() });

/** Queries the question that the holder shows its user; `question` is null if there is none. `silent`: no reply. */
export async function queryHolderQuestion(
  dir: string,
  { id }: FoundHolder,
): Promise<{ readonly question: OpenQuestion | null } | 'silent'> {
  return (
    questionReplySchema.safeParse(await queryHolder(dir, id, { ask: 'question' }, REPLY_TIMEOUT_MS)).data ?? 'silent'
  );
}

const answerReplySchema = z.object({ refused: z.string().nullable() });

/** Answers the holder's question. `refused`: null, or the reason why the holder does not accept the answer. */
export async function answerHolderQuestion(
  dir: string,
  { id }: FoundHolder,
  text: string,
): Promise<{ readonly refused: string | null } | 'silent'> {
  return (
    answerReplySchema.safeParse(await queryHolder(dir, id, { ask: 'answer', text }, REPLY_TIMEOUT_MS)).data ?? 'silent'
  );
}

/**
 * Asks the holder to save and leave, and waits until it has left.
 * @returns `silent` also if the holder agrees, but has not left within `REPLY_TIMEOUT_MS`
 */
export async function requestTakeOver(
  dir: string,
  { id }: FoundHolder,
  ask: 'take-over' | 'leave',
  peer: Peer,
): Promise<TakeOverReply> {
  const reply = takeOverReplySchema.safeParse(await queryHolder(dir, id, { ask, guest: peer }, REPLY_TIMEOUT_MS)).data;
  if (reply === undefined) return (await isHolderAlive(dir, id)) ? { kind: 'silent' } : { kind: 'left' };
  if (reply.stays !== null) return { kind: 'stays', reason: reply.stays };
  const deadline = getUptime() + REPLY_TIMEOUT_MS;
  while (await isHolderAlive(dir, id)) {
    if (getUptime() > deadline) return { kind: 'silent' };
    await systemClock.sleep(POLL_INTERVAL_MS);
  }
  return { kind: 'left' };
}

/**
 * Ends a silent holder. Kills its process if the record provably identifies it, so that it never writes again. Removes
 * its holder file: without that file a holder on any host stops writing.
 */
export async function forceTakeOver(dir: string, { id, record }: FoundHolder): Promise<void> {
  if (record !== null && isRunning(record)) process.kill(record.pid, 'SIGKILL');
  while (record !== null && isRunning(record)) await systemClock.sleep(POLL_INTERVAL_MS);
  removeHolder(getHoldersDirectory(dir), id);
}

/**
 * Streams the holder's state until the holder has left or `signal` is aborted.
 * @param onState receives each state
 */
export async function watchHolder(
  dir: string,
  { id, record }: FoundHolder,
  onState: (state: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const socket = sendRequest(dir, id, { ask: 'watch', version: record?.version ?? '' });
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort);
  let state: unknown = null;
  let buffer = Buffer.alloc(0);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      buffer = Buffer.concat([buffer, chunk]);
      while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32BE(0)) {
        const end = 4 + buffer.readUInt32BE(0);
        state = applyDifference(state, deserialize(buffer.subarray(4, end)) as Difference);
        buffer = buffer.subarray(end);
        onState(state);
      }
    }
  } catch {
    // The connection ended: the holder left, or `signal` was aborted.
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

async function listLiveHolders(dir: string): Promise<FoundHolder[]> {
  return (await listHolders(getHoldersDirectory(dir))).filter(({ liveness }) => liveness !== 'dead');
}

async function isHolderAlive(dir: string, id: string): Promise<boolean> {
  return (await listLiveHolders(dir)).some((holder) => holder.id === id);
}

/** Connects and sends the request; the socket may still fail later. */
function sendRequest(dir: string, id: string, request: PeerRequest): Socket {
  const { path, release } = openSocketPath(getHoldersDirectory(dir), `owner-${id}.sock`);
  const socket = connect(path);
  socket.once('connect', release).once('error', release);
  socket.write(`${JSON.stringify(request)}\n`);
  return socket;
}

/** Sends a request and returns the parsed reply; null if none arrives within `timeoutMs`. */
function queryHolder(dir: string, id: string, request: PeerRequest, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = sendRequest(dir, id, request);
    const finish = (reply: unknown) => {
      timeoutController.abort();
      socket.destroy();
      resolve(reply);
    };
    const timeoutController = new AbortController();
    systemClock.sleep(timeoutMs, timeoutController.signal).then(
      () => finish(null),
      () => undefined,
    );
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) finish(tryParseJson(text));
    });
    socket.on('error', () => finish(null)).on('close', () => finish(null));
  });
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
