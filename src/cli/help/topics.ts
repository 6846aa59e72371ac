import type { Block, PageFacts } from './page.ts';

/** The topics of `upi-wizard help`, in the order of the list. Each page is loaded on demand. */
export const TOPICS = {
  commands: async (facts) => (await import('./commands.ts')).commandsPage(facts),
  design: async () => (await import('./design.ts')).designPage(),
  rules: async () => (await import('./rules.ts')).rulesPage(),
  files: async () => (await import('./files.ts')).filesPage(),
  hosts: async () => (await import('./hosts.ts')).hostsPage(),
  directory: async () => (await import('./directory.ts')).directoryPage(),
  rehearsal: async () => (await import('./rehearsal.ts')).rehearsalPage(),
  status: async () => (await import('./status.ts')).statusPage(),
  checks: async () => (await import('./checks.ts')).checksPage(),
  diagnosis: async () => (await import('./diagnosis.ts')).diagnosisPage(),
  csr: async () => (await import('./csr.ts')).csrPage(),
  moves: async () => (await import('./moves.ts')).movesPage(),
  events: async () => (await import('./events.ts')).eventsPage(),
  bundle: async () => (await import('./bundle.ts')).bundlePage(),
  'exit-codes': async () => (await import('./exit-codes.ts')).exitCodesPage(),
  environment: async () => (await import('./environment.ts')).environmentPage(),
  languages: async () => (await import('./languages.ts')).languagesPage(),
} satisfies Readonly<Record<string, (facts: PageFacts) => Promise<readonly Block[]>>>;

export type Topic = keyof typeof TOPICS;

export const TOPIC_NAMES = Object.keys(TOPICS) as readonly Topic[];
