import * as z from '../platform/zod.ts';
import { computeChecksum } from './safe-file.ts';

/** Version of the saved state that this program writes. */
export const SCHEMA_VERSION = 4;

/** The first version whose files carry a checksum. */
const FIRST_CHECKSUM_VERSION = 3;

const questionSchema = z
  .strictObject({
    step: z.string(),
    action: z.string(),
    /** The one part that the question concerns; null for the whole step. */
    subject: z.string().nullable(),
    /** Words, one of which must be typed to confirm; null where a key is enough. */
    words: z.array(z.string()).readonly().nullable(),
    /** Checksum of the changes that the question concerns; null if it does not concern the plan. */
    plan: z.string().nullable(),
    /** The reason typed so far, where the answer is a reason. */
    typed: z.string().optional(),
  })
  .readonly();
/** A confirmation question that the user has not answered yet. */
export type SavedQuestion = z.infer<typeof questionSchema>;

/** A text that the user was typing and had not accepted, with the cursor in graphemes from its start. */
const unfinishedTextSchema = z
  .strictObject({
    where: z.enum(['field', 'import-file', 'import-lines', 'install']),
    text: z.string(),
    cursor: z.number(),
  })
  .readonly();

const changesSchema = z
  .strictObject({
    of: z.string(),
    past: z.array(z.unknown()).readonly(),
    future: z.array(z.unknown()).readonly(),
  })
  .readonly();

const fields = {
  schemaVersion: z.literal(SCHEMA_VERSION),
  /** The design document as typed so far; null before the first input. */
  design: z.unknown(),
  /** The last document without errors, with which steps work while the current document has errors; null otherwise. */
  inForce: z.unknown().default(null),
  /**
   * Undo and redo (src/design/differences.ts): the changes, the newest last, and the checksum of the design that they
   * start from.
   */
  changes: changesSchema.nullable().default(null),
  /** The furthest screen; null if it was never recorded. */
  reached: z.string().nullable().default(null),
  place: z.strictObject({ screen: z.string(), field: z.string().nullable() }).readonly(),
  /** The unfinished text at `place`. Null: none, or a text that contains a secret. */
  unfinished: unfinishedTextSchema.nullable().default(null),
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
  question: questionSchema.nullable().default(null),
};
const schema = z.strictObject(fields).readonly();

/** The saved content of a session. No secrets: only the paths of files that hold them. */
export type SessionState = z.infer<typeof schema>;

/** Saved state with its revision number and checksum. */
export type ChecksummedState = SessionState & { readonly serial: number; readonly checksum: string };

/** The state of a directory without a saved session. */
export const freshState: SessionState = {
  schemaVersion: SCHEMA_VERSION,
  design: null,
  inForce: null,
  changes: null,
  reached: null,
  place: { screen: 'welcome', field: null },
  unfinished: null,
  memory: {},
  rehearsal: null,
  question: null,
};

/**
 * Migrations from one version of the saved state to the next, by the version they start from. The next save writes the
 * new form; until then an older program can still read the file.
 */
const MIGRATIONS: Readonly<Record<number, (state: Record<string, unknown>) => Record<string, unknown>>> = {
  // Version 1 had fields for passed steps and events, which were never filled.
  1: ({ confirmed: _passed, journal: _events, ...state }) => ({ ...state, schemaVersion: 2 }),
  // Version 3 has a revision number and a checksum, which the next save adds.
  2: (state) => ({ ...state, schemaVersion: 3 }),
  // Version 4 has the text that the user was typing.
  3: (state) => ({ ...state, schemaVersion: 4 }),
};

/** Result of parsing a saved object. `altered`: its checksum does not match. */
type ParsedState =
  | { readonly kind: 'state'; readonly state: SessionState; readonly serial: number }
  | { readonly kind: 'newer'; readonly fileVersion: number }
  | { readonly kind: 'damaged'; readonly damage: 'not-a-session' | 'altered' };

/**
 * Parses a saved object of any version.
 * @returns the state in the current form, or the reason why there is none
 */
export function parseState(storedValue: Readonly<Record<string, unknown>>): ParsedState {
  const { checksum, ...rest } = storedValue;
  let { schemaVersion } = storedValue;
  if (typeof schemaVersion !== 'number') return { kind: 'damaged', damage: 'not-a-session' };
  // An altered version number is damage, not a later program's file.
  if (schemaVersion > SCHEMA_VERSION && checksum !== computeChecksum({ ...rest, schemaVersion: SCHEMA_VERSION }))
    return { kind: 'newer', fileVersion: schemaVersion };
  if (schemaVersion >= FIRST_CHECKSUM_VERSION && checksum !== computeChecksum(rest))
    return { kind: 'damaged', damage: 'altered' };
  const hasChecksum = schemaVersion >= FIRST_CHECKSUM_VERSION;
  const { serial, ...storedFields } = rest;
  let state: Record<string, unknown> = hasChecksum ? storedFields : rest;
  while (schemaVersion !== SCHEMA_VERSION) {
    const migrate = MIGRATIONS[Number(schemaVersion)];
    if (!migrate) return { kind: 'damaged', damage: 'not-a-session' };
    state = migrate(state);
    schemaVersion = state.schemaVersion;
  }
  const parseResult = schema.safeParse(state);
  const revision = hasChecksum ? serial : 0;
  if (!parseResult.success || typeof revision !== 'number') return { kind: 'damaged', damage: 'not-a-session' };
  return { kind: 'state', state: { ...parseResult.data, design: parseResult.data.design ?? null }, serial: revision };
}

/** Returns the state as it is saved, without values that JSON cannot hold. */
export function addChecksum(state: SessionState, serial: number): ChecksummedState {
  const { schemaVersion, design, inForce, changes, reached, place, unfinished, memory, rehearsal, question } = state;
  const answers = { design, inForce, changes, reached, place, unfinished };
  const savedFields = { schemaVersion, serial, ...answers, memory, rehearsal, question };
  const plainState = JSON.parse(JSON.stringify(savedFields)) as typeof savedFields;
  return { ...plainState, checksum: computeChecksum(plainState) };
}
