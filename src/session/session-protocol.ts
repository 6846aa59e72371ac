import type { Socket } from 'node:net';
import { serialize } from 'node:v8';
import { compareStates } from '../design/differences.ts';
import { systemClock } from '../platform/clock.ts';
import * as z from '../platform/zod.ts';
import { describePeer } from './holder-files.ts';
import type { SessionLock } from './lock.ts';

// Protocol on a holder's socket, which only its user can open. A request is one line of JSON, the reply is another.
// After `watch`, frames follow: a length of four bytes and a serialised value.

const peerSchema = z.object({ user: z.string(), from: z.string().nullable(), tty: z.string().nullable() }).readonly();
/** The sender of a request: its user, the address of the SSH client, and the terminal. */
export type Peer = z.infer<typeof peerSchema>;

const requestSchema = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('who') }),
  z.object({ ask: z.literal('take-over'), guest: peerSchema }),
  z.object({ ask: z.literal('leave'), guest: peerSchema }),
  z.object({ ask: z.literal('watch'), version: z.string() }),
  z.object({ ask: z.literal('question') }),
  z.object({ ask: z.literal('answer'), text: z.string() }),
]);
/** A request to the holder. `guest`: its sender. */
export type PeerRequest = z.infer<typeof requestSchema>;

export const holderStatusSchema = z
  .object({
    /** The holder's current page, as shown to its user. */
    place: z.string(),
    cluster: z.string(),
    /** An action that the user started is running. */
    isActing: z.boolean(),
    canWatch: z.boolean(),
  })
  .readonly();
export type HolderStatus = z.infer<typeof holderStatusSchema>;

export const openQuestionSchema = z
  .object({
    step: z.string(),
    title: z.string(),
    question: z.string(),
    /** The details of the question, line by line. */
    lines: z.array(z.string()).readonly(),
    /** Words, one of which must be typed to confirm; null where "yes" is enough. */
    words: z.array(z.string()).readonly().nullable(),
  })
  .readonly();
/** A question that waits for the user's answer, as text. */
export type OpenQuestion = z.infer<typeof openQuestionSchema>;

/** The holder's implementation of the protocol. */
export interface SessionProtocol {
  readonly getStatus: () => Omit<HolderStatus, 'canWatch'>;
  /**
   * Saves and starts to leave.
   * @param peer the sender of the request, as text
   * @returns null, or the reason why the holder stays
   */
  readonly leave: (reason: LeaveReason, peer: string) => string | null;
  /** Returns the question that the holder shows its user; null if there is none. */
  readonly getQuestion: () => OpenQuestion | null;
  /**
   * Handles an answer as if the user had typed it.
   * @returns null, or the reason why it is refused
   */
  readonly answer: (text: string) => string | null;
  /** The state that viewers see: plain data that is never changed in place; null if nothing can be watched. */
  readonly watchSource: WatchSource | null;
}

/** Taken over: another wizard continues at once. Detached: no wizard continues. */
export type LeaveReason = 'taken-over' | 'detached';

/** State for viewers. `subscribe` calls the listener after every change and returns the unsubscribe function. */
interface WatchSource {
  readonly getState: () => unknown;
  readonly subscribe: (listener: () => void) => () => void;
}

const MAX_REQUEST_LENGTH = 65_536;
/** Pause between two frames, in ms: readable updates over a slow line. */
const FRAME_INTERVAL_MS = 200;

/** Serves peers that connect to the holder of a lock, including those that have connected before. */
export function servePeers(lock: SessionLock, protocol: SessionProtocol): void {
  lock.onConnection((connection) => {
    connection.unref();
    connection.setEncoding('utf8');
    let line = '';
    connection.on('data', function read(chunk: string) {
      line += chunk;
      const end = line.indexOf('\n');
      if (line.length > MAX_REQUEST_LENGTH) connection.destroy();
      if (end < 0) return;
      connection.off('data', read);
      const request = parseRequest(line.slice(0, end));
      if (request === null) connection.destroy();
      else serveRequest(connection, request, lock, protocol);
    });
  });
}

function parseRequest(line: string): PeerRequest | null {
  try {
    return requestSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function serveRequest(connection: Socket, request: PeerRequest, lock: SessionLock, protocol: SessionProtocol): void {
  const { getStatus, leave, watchSource } = protocol;
  const reply = (body: object) => connection.end(`${JSON.stringify(body)}\n`);
  switch (request.ask) {
    case 'who':
      return void reply({ ...getStatus(), canWatch: watchSource !== null } satisfies HolderStatus);
    case 'take-over':
    case 'leave': {
      const reason = request.ask === 'leave' ? 'detached' : 'taken-over';
      return void reply({ stays: leave(reason, describePeer(request.guest)) });
    }
    case 'question':
      return void reply({ question: protocol.getQuestion() });
    case 'answer':
      return void reply({ refused: protocol.answer(request.text) });
    case 'watch':
      if (watchSource === null || request.version !== lock.record.version) connection.end();
      else void streamFrames(connection, watchSource);
  }
}

/** Sends the current state, then its changes; a slow viewer gets fewer frames. */
async function streamFrames(connection: Socket, { getState, subscribe }: WatchSource): Promise<void> {
  let hasChanged = true;
  let wake = (): void => undefined;
  const markChanged = () => {
    hasChanged = true;
    wake();
  };
  const unsubscribe = subscribe(markChanged);
  connection.on('drain', () => wake()).on('close', () => wake());
  // A viewer sends nothing more; reading is needed to notice that it disconnects.
  connection.on('data', () => undefined).on('end', () => connection.end());
  let sentState: unknown = null;
  while (!connection.destroyed && connection.writable) {
    if (!hasChanged || connection.writableNeedDrain) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    hasChanged = false;
    const state = getState();
    const difference = compareStates(sentState, state);
    sentState = state;
    if (difference !== null) connection.write(encodeFrame(difference));
    await systemClock.sleep(FRAME_INTERVAL_MS);
  }
  unsubscribe();
}

function encodeFrame(value: unknown): Buffer {
  const body = serialize(value);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}
