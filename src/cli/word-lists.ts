/**
 * The allowed words of options and arguments, by the name of their list. Each list is loaded on demand, because most
 * belong to a large part of the program.
 */
export const WORD_LISTS = {
  topologies: async () => (await import('../design/choices.ts')).TOPOLOGIES,
  stages: async () => (await import('../design/choices.ts')).STAGES,
  layouts: async () => (await import('../design/example.ts')).SERVICE_LAYOUTS,
  clouds: async () => (await import('../design/example.ts')).CLOUDS,
  versions: async () => (await import('../design/versions.ts')).listKnownVersions(),
  moves: async () => (await import('../infra/moves.ts')).MOVE_NAMES,
  faults: async () => (await import('../rehearsal/site/faults.ts')).FAULTS,
  repairs: async () => (await import('../rehearsal/site/faults.ts')).REPAIRS,
  steps: async () => (await import('../steps/contract.ts')).STEP_IDS,
  events: async () => (await import('../steps/events.ts')).EVENTS,
  phases: async () => (await import('../checks/check.ts')).CHECK_PHASES,
  checks: async () => (await import('../steps/check/index.ts')).listCheckIds(),
  languages: async () => (await import('../i18n/catalogue.ts')).listLanguageCodes(),
  shells: async () => ['bash', 'zsh', 'fish'] as const,
  /** The words of `upi-wizard help`, but for commands. */
  topics: async () => [
    ...TOPIC_NAMES,
    ...(await import('../checks/rules/index.ts')).DIAGNOSTIC_RULES.map(({ id }) => id),
    ...(await import('../infra/moves.ts')).MOVE_NAMES,
  ],
  speeds: async () => ['1', '5', '15', '30', '60', '120', '240'] as const,
  answers: async () => ['yes', 'no'] as const,
  'built-in-event-commands': async () => ['wall', 'write', 'off'] as const,
  'color-choices': async () => (await import('./shared/colours.ts')).COLOUR_CHOICES,
  examples: async () => ['example'] as const,
} satisfies Readonly<Record<string, () => Promise<readonly string[]>>>;

export type WordList = keyof typeof WORD_LISTS;

/** A word of a list: `standard` of `topologies`. */
export type WordOf<List extends WordList> = Awaited<ReturnType<(typeof WORD_LISTS)[List]>>[number];

/** The topics of `upi-wizard help`, in the order of their list. */
export const TOPIC_NAMES = [
  'commands',
  'design',
  'rules',
  'versions',
  'files',
  'hosts',
  'directory',
  'rehearsal',
  'status',
  'checks',
  'diagnosis',
  'csr',
  'moves',
  'events',
  'bundle',
  'exit-codes',
  'environment',
  'languages',
] as const;

export type Topic = (typeof TOPIC_NAMES)[number];

/** Loads the words of some lists. */
export async function loadWords(lists: readonly WordList[]): Promise<ReadonlyMap<WordList, readonly string[]>> {
  return new Map(await Promise.all([...new Set(lists)].map(async (list) => [list, await WORD_LISTS[list]()] as const)));
}
