import type { Row } from './row.ts';

/** Every row of the table, in its order. A row is loaded when it runs. */
export const ROWS: Readonly<Record<string, () => Promise<Row>>> = {
  'kill-generate': async () => (await import('./rows/kill-generate.ts')).killGenerate,
  'kill-answers': async () => (await import('./rows/kill-answers.ts')).killAnswers,
  'kill-steps': async () => (await import('./rows/kill-steps.ts')).killSteps,
  'kill-moves': async () => (await import('./rows/kill-moves.ts')).killMoves,
  'kill-undo': async () => (await import('./rows/kill-undo.ts')).killUndo,
  'pty-kills': async () => (await import('./rows/pty-kills.ts')).ptyKills,
  'ssh-cuts': async () => (await import('./rows/ssh-cuts.ts')).sshCuts,
  'power-loss': async () => (await import('./rows/power-loss.ts')).powerLoss,
  'full-disk': async () => (await import('./rows/full-disk.ts')).fullDisk,
  'state-damage': async () => (await import('./rows/state-damage.ts')).stateDamage,
  races: async () => (await import('./rows/races.ts')).races,
  'hostile-text': async () => (await import('./rows/hostile-text.ts')).hostileText,
  'hostile-screens': async () => (await import('./rows/hostile-screens.ts')).hostileScreens,
  'bent-requests': async () => (await import('./rows/bent-requests.ts')).bentRequests,
  secrets: async () => (await import('./rows/secrets.ts')).secrets,
  'boot-crowd': async () => (await import('./rows/boot-crowd.ts')).bootCrowd,
  diagnosis: async () => (await import('./rows/diagnosis.ts')).diagnosis,
  fuzz: async () => (await import('./rows/fuzz.ts')).fuzz,
};
