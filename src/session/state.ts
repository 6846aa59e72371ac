import * as z from '../ports/zod.ts';
import { checksumOf } from './checksum.ts';

export const SCHEMA_VERSION = 3;
/** The first version whose files carry a checksum. */
const FIRST_SEALED = 3;

/** A question before an act that nobody has answered yet. */
const question = z
  .strictObject({
    step: z.string(),
    action: z.string(),
    /** The one part that it is about; null for the whole step. */
    subject: z.string().nullable(),
    /** Yes means typing one of these; null where a key is enough. */
    words: z.array(z.string()).readonly().nullable(),
    /** The checksum of the changes that it asks about; null where it does not ask about the plan. */
    plan: z.string().nullable(),
  })
  .readonly();
export type SavedQuestion = z.infer<typeof question>;

const changes = z
  .strictObject({
    of: z.string(),
    past: z.array(z.unknown()).readonly(),
    future: z.array(z.unknown()).readonly(),
  })
  .readonly();

const fields = {
  schemaVersion: z.literal(SCHEMA_VERSION),
  /** The design document as typed so far; null before the first answer. */
  design: z.unknown(),
  /** The last document without errors, while the one as typed has some and a step works with it; null otherwise. */
  inForce: z.unknown().default(null),
  /** What undo takes back and does again (src/design/differences.ts), the newest last, and the checksum of the design that it begins at. */
  changes: changes.nullable().default(null),
  /** The furthest screen; null where nobody has noted it. */
  reached: z.string().nullable().default(null),
  place: z.strictObject({ screen: z.string(), field: z.string().nullable() }).readonly(),
  /** Small facts of the steps, by name. Values are JSON. */
  memory: z.record(z.string(), z.unknown()).readonly(),
  rehearsal: z
    .strictObject({
      siteDir: z.string(),
      seed: z.number(),
      speed: z.number(),
      faults: z.array(z.string()).readonly(),
    })
    .readonly()
    .nullable(),
  question: question.nullable().default(null),
};
const schema = z.strictObject(fields).readonly();

/** What a session remembers. No secrets: only the paths of files that hold them. */
export type SessionState = z.infer<typeof schema>;

/** A state as it was saved: the how manieth save it is, and the checksum of all the rest. */
export type SealedState = SessionState & { readonly serial: number; readonly checksum: string };

/** The state of a directory in which nothing was saved yet. */
export const freshState: SessionState = {
  schemaVersion: SCHEMA_VERSION,
  design: null,
  inForce: null,
  changes: null,
  reached: null,
  place: { screen: 'welcome', field: null },
  memory: {},
  rehearsal: null,
  question: null,
};

/**
 * From one version of the saved state to the next, by the version they start from. The next save writes the new form;
 * until then an older program can still read the file.
 */
const MIGRATIONS: Readonly<Record<number, (state: Record<string, unknown>) => Record<string, unknown>>> = {
  // Version 1 had fields for passed steps and events, which nobody ever filled.
  1: ({ confirmed: _passed, journal: _events, ...state }) => ({ ...state, schemaVersion: 2 }),
  // Version 3 counts the saves and has a checksum, which the next save adds.
  2: (state) => ({ ...state, schemaVersion: 3 }),
};

/** What a saved object is. `altered`: it is not what was saved, by its checksum. */
export type Parsed =
  | { readonly kind: 'state'; readonly state: SessionState; readonly serial: number }
  | { readonly kind: 'newer'; readonly found: number }
  | { readonly kind: 'damaged'; readonly why: 'not-a-session' | 'altered' };

/** @returns the state in today's form, or why there is none */
export function parseState(stored: Readonly<Record<string, unknown>>): Parsed {
  const { checksum, ...rest } = stored;
  let { schemaVersion } = stored;
  if (typeof schemaVersion !== 'number') return { kind: 'damaged', why: 'not-a-session' };
  // A version that was altered is damage, not a later program's file.
  if (schemaVersion > SCHEMA_VERSION && checksum !== checksumOf({ ...rest, schemaVersion: SCHEMA_VERSION }))
    return { kind: 'newer', found: schemaVersion };
  if (schemaVersion >= FIRST_SEALED && checksum !== checksumOf(rest)) return { kind: 'damaged', why: 'altered' };
  const isSealed = schemaVersion >= FIRST_SEALED;
  const { serial, ...unsealed } = rest;
  let state: Record<string, unknown> = isSealed ? unsealed : rest;
  while (schemaVersion !== SCHEMA_VERSION) {
    const migrate = MIGRATIONS[Number(schemaVersion)];
    if (!migrate) return { kind: 'damaged', why: 'not-a-session' };
    state = migrate(state);
    schemaVersion = state.schemaVersion;
  }
  const parsed = schema.safeParse(state);
  const count = isSealed ? serial : 0;
  if (!parsed.success || typeof count !== 'number') return { kind: 'damaged', why: 'not-a-session' };
  return { kind: 'state', state: { ...parsed.data, design: parsed.data.design ?? null }, serial: count };
}

/** The state as it is saved. What JSON cannot hold is left out of it. */
export function seal(state: SessionState, serial: number): SealedState {
  const { schemaVersion, design, inForce, changes, reached, place, memory, rehearsal, question } = state;
  const kept = { schemaVersion, serial, design, inForce, changes, reached, place, memory, rehearsal, question };
  const plain = JSON.parse(JSON.stringify(kept)) as typeof kept;
  return { ...plain, checksum: checksumOf(plain) };
}
