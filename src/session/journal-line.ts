import * as z from '../platform/zod.ts';

const at = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const serial = z.number().int();
const outcome = z.enum(['done', 'failed', 'cancelled']);

const path = z.string();
const patchOperation = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), path, value: z.unknown() }),
  z.object({ op: z.literal('replace'), path, value: z.unknown() }),
  z.object({ op: z.literal('remove'), path }),
]);

const lineSchema = z.discriminatedUnion('type', [
  /** The complete state, from which recovery starts. */
  z.object({ type: z.literal('snapshot'), at, serial, checksum: z.string(), state: z.record(z.string(), z.unknown()) }),
  /** A save: the changes (RFC 6902), and the checksum of the state after it. */
  z.object({
    type: z.literal('saved'),
    at,
    serial,
    checksum: z.string(),
    patch: z.array(patchOperation).readonly(),
  }),
  /** The lock was acquired or released: program, user, and the address of the login. */
  z.object({ type: z.literal('opened'), at, program: z.string(), user: z.string(), from: z.string().nullable() }),
  z.object({ type: z.literal('left'), at, program: z.string() }),
  /** Start and end of an action of a step. `subject`: the part that the action concerns. */
  z.object({
    type: z.literal('begun'),
    at,
    id: z.string(),
    step: z.string(),
    action: z.string(),
    subject: z.string().nullable(),
    siteAt: at.optional(),
  }),
  z.object({
    type: z.literal('ended'),
    at,
    id: z.string(),
    outcome,
    code: z.string().nullable(),
    siteAt: at.optional(),
  }),
]);

/**
 * A line of the journal. `at`: the time of this machine, ISO 8601. `siteAt`: the time of the site if it differs (in a
 * rehearsal).
 */
export type JournalLine = z.infer<typeof lineSchema>;
type WithoutTime<Line> = Line extends unknown ? Omit<Line, 'at'> : never;
/** An event to record in the journal. */
export type JournalEvent = WithoutTime<JournalLine>;

/**
 * Parses a line of the journal.
 * @returns null for a line that is truncated, damaged or from a later version
 */
export function parseJournalLine(text: string): JournalLine | null {
  if (text === '') return null;
  try {
    const parseResult = lineSchema.safeParse(JSON.parse(text));
    return parseResult.success ? parseResult.data : null;
  } catch {
    return null;
  }
}
