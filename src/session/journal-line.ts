import * as z from '../ports/zod.ts';

const at = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const serial = z.number().int();
const outcome = z.enum(['done', 'failed', 'cancelled']);

const path = z.string();
const step = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), path, value: z.unknown() }),
  z.object({ op: z.literal('replace'), path, value: z.unknown() }),
  z.object({ op: z.literal('remove'), path }),
]);

const line = z.discriminatedUnion('type', [
  /** The whole state: what a rebuilding begins with. */
  z.object({ type: z.literal('snapshot'), at, serial, checksum: z.string(), state: z.record(z.string(), z.unknown()) }),
  /** A save: what changed (RFC 6902), and the checksum of the state after it. */
  z.object({
    type: z.literal('saved'),
    at,
    serial,
    checksum: z.string(),
    patch: z.array(step).readonly(),
  }),
  /** The lock was taken, and given back: by which program, for whom, logged in from where. */
  z.object({ type: z.literal('opened'), at, program: z.string(), user: z.string(), from: z.string().nullable() }),
  z.object({ type: z.literal('left'), at, program: z.string() }),
  /** An act of a step, before and after it. `subject`: the one part that it is about. */
  z.object({
    type: z.literal('begun'),
    at,
    id: z.string(),
    step: z.string(),
    action: z.string(),
    subject: z.string().nullable(),
  }),
  z.object({ type: z.literal('ended'), at, id: z.string(), outcome, code: z.string().nullable() }),
]);

/** A line of the journal. `at`: the time of this machine, ISO 8601. */
export type JournalLine = z.infer<typeof line>;
type WithoutTime<Line> = Line extends unknown ? Omit<Line, 'at'> : never;
/** What happened, for a line of the journal. */
export type JournalEvent = WithoutTime<JournalLine>;

/** @returns null for a line that is torn, damaged or of a later program */
export function parseLine(text: string): JournalLine | null {
  if (text === '') return null;
  try {
    const parsed = line.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
