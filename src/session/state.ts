import * as z from '../ports/zod.ts';

export const SCHEMA_VERSION = 2;

const schema = z
  .strictObject({
    schemaVersion: z.literal(SCHEMA_VERSION),
    /** The design document as typed so far; null before the first answer. */
    design: z.unknown(),
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
  })
  .readonly();

/** What a session remembers. No secrets: only the paths of files that hold them. */
export type SessionState = z.infer<typeof schema>;

/** The state of a directory in which nothing was saved yet. */
export const freshState: SessionState = {
  schemaVersion: SCHEMA_VERSION,
  design: null,
  place: { screen: 'welcome', field: null },
  memory: {},
  rehearsal: null,
};

/**
 * From one version of the saved state to the next, by the version they start from. The next save writes the new form;
 * until then an older program can still read the file.
 */
const MIGRATIONS: Readonly<Record<number, (state: Record<string, unknown>) => Record<string, unknown>>> = {
  // Version 1 had fields for passed steps and events, which nobody ever filled.
  1: ({ confirmed: _passed, journal: _events, ...state }) => ({ ...state, schemaVersion: 2 }),
};

/** @returns the state in today's form; `newer` for one of a later program; null for no state */
export function parseState(stored: Record<string, unknown>): SessionState | 'newer' | null {
  let state = stored;
  let { schemaVersion } = state;
  if (typeof schemaVersion !== 'number') return null;
  if (schemaVersion > SCHEMA_VERSION) return 'newer';
  while (schemaVersion !== SCHEMA_VERSION) {
    const migrate = MIGRATIONS[Number(schemaVersion)];
    if (!migrate) return null;
    state = migrate(state);
    schemaVersion = state.schemaVersion;
  }
  const parsed = schema.safeParse(state);
  return parsed.success ? { ...parsed.data, design: parsed.data.design ?? null } : null;
}
