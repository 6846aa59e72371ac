import * as z from '../ports/zod.ts';

export const SCHEMA_VERSION = 2;

const schema = z.strictObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  design: z.unknown(),
  place: z.strictObject({ screen: z.string(), field: z.string().nullable() }),
  memory: z.record(z.string(), z.json()),
  rehearsal: z
    .strictObject({ siteDir: z.string(), seed: z.number(), speed: z.number(), faults: z.array(z.string()) })
    .nullable(),
});

/** What a session remembers. No secrets: only the paths of files that hold them. */
export interface SessionState {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  /** The design document as typed so far; null before the first answer. */
  readonly design: unknown;
  readonly place: { readonly screen: string; readonly field: string | null };
  /** Small facts of the steps, by name. Values are JSON. */
  readonly memory: Readonly<Record<string, unknown>>;
  readonly rehearsal: {
    readonly siteDir: string;
    readonly seed: number;
    readonly speed: number;
    readonly faults: readonly string[];
  } | null;
}

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
