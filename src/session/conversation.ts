import type { Socket } from 'node:net';
import { serialize } from 'node:v8';
import { differenceOf } from '../design/differences.ts';
import { systemClock } from '../ports/clock.ts';
import * as z from '../ports/zod.ts';
import { describeGuest } from './describe-owner.ts';
import type { SessionLock } from './lock.ts';

// What is said over the socket of an owner, which only its user can reach: one line of JSON asks, one answers; after
// `watch` come frames, each its length in four bytes and a serialized value.

/** Who asks. */
export const guestSchema = z
  .object({ user: z.string(), from: z.string().nullable(), tty: z.string().nullable() })
  .readonly();
export type Guest = z.infer<typeof guestSchema>;

const requestSchema = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('who') }),
  z.object({ ask: z.literal('take-over'), guest: guestSchema }),
  z.object({ ask: z.literal('leave'), guest: guestSchema }),
  z.object({ ask: z.literal('watch'), version: z.string() }),
  z.object({ ask: z.literal('question') }),
  z.object({ ask: z.literal('answer'), text: z.string() }),
]);
export type Request = z.infer<typeof requestSchema>;

/** What a holder says of itself. */
export const newsSchema = z
  .object({
    /** Where it stands, as a person reads it. */
    place: z.string(),
    cluster: z.string(),
    /** It is doing something that a person asked for. */
    isActing: z.boolean(),
    canWatch: z.boolean(),
  })
  .readonly();
export type News = z.infer<typeof newsSchema>;

/** A question that waits for an answer, as a person reads it. */
export const openQuestionSchema = z
  .object({
    step: z.string(),
    title: z.string(),
    question: z.string(),
    /** What it is about, line by line. */
    lines: z.array(z.string()).readonly(),
    /** Yes means typing one of these; null where "yes" is enough. */
    words: z.array(z.string()).readonly().nullable(),
  })
  .readonly();
export type OpenQuestion = z.infer<typeof openQuestionSchema>;

/** The holder's side of the conversation. */
export interface Conversation {
  readonly news: () => Omit<News, 'canWatch'>;
  /**
   * Saves and begins to leave.
   * @param guest who takes over, in words
   * @returns null, or why it stays
   */
  readonly leave: (how: Leave, guest: string) => string | null;
  /** The question that it asks its person; null where it asks none. */
  readonly question: () => OpenQuestion | null;
  /** Takes an answer as if its person had given it. @returns null, or why not */
  readonly answer: (text: string) => string | null;
  /** What can be watched: plain data that is never changed in place; null where there is nothing to see. */
  readonly watched: Watched | null;
}

/** Taken over: another goes on at once. Detached: nobody does. */
export type Leave = 'taken-over' | 'detached';

export interface Watched {
  readonly current: () => unknown;
  readonly subscribe: (listener: () => void) => () => void;
}

const LONGEST_LINE = 65_536;
/** Milliseconds between two frames: as often as a person can follow over a slow line. */
const FRAME = 200;

/** Answers those who connect to the holder of a lock, from now on. */
export function converse(lock: SessionLock, conversation: Conversation): void {
  lock.onConnection((connection) => {
    connection.unref();
    connection.setEncoding('utf8');
    let line = '';
    connection.on('data', function read(chunk: string) {
      line += chunk;
      const end = line.indexOf('\n');
      if (line.length > LONGEST_LINE) connection.destroy();
      if (end < 0) return;
      connection.off('data', read);
      const request = requestOf(line.slice(0, end));
      if (request === null) connection.destroy();
      else answer(connection, request, lock, conversation);
    });
  });
}

function requestOf(line: string): Request | null {
  try {
    return requestSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function answer(connection: Socket, request: Request, lock: SessionLock, conversation: Conversation): void {
  const { news, leave, watched } = conversation;
  const say = (answered: object) => connection.end(`${JSON.stringify(answered)}\n`);
  switch (request.ask) {
    case 'who':
      return void say({ ...news(), canWatch: watched !== null } satisfies News);
    case 'take-over':
    case 'leave': {
      const how = request.ask === 'leave' ? 'detached' : 'taken-over';
      return void say({ stays: leave(how, describeGuest(request.guest)) });
    }
    case 'question':
      return void say({ question: conversation.question() });
    case 'answer':
      return void say({ refused: conversation.answer(request.text) });
    case 'watch':
      if (watched === null || request.version !== lock.owner.version) connection.end();
      else void stream(connection, watched);
  }
}

/** Sends what is watched now, and then what changes of it; a viewer that is slow gets fewer frames. */
async function stream(connection: Socket, { current, subscribe }: Watched): Promise<void> {
  let isNew = true;
  let wake = (): void => undefined;
  const touch = () => {
    isNew = true;
    wake();
  };
  const unsubscribe = subscribe(touch);
  connection.on('drain', () => wake()).on('close', () => wake());
  // A viewer says nothing more, but its end must be seen.
  connection.on('data', () => undefined).on('end', () => connection.end());
  let sent: unknown = null;
  while (!connection.destroyed && connection.writable) {
    if (!isNew || connection.writableNeedDrain) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    isNew = false;
    const state = current();
    const difference = differenceOf(sent, state);
    sent = state;
    if (difference !== null) connection.write(frameOf(difference));
    await systemClock.sleep(FRAME);
  }
  unsubscribe();
}

function frameOf(value: unknown): Buffer {
  const body = serialize(value);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}
