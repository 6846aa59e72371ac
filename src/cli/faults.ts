import { FAULTS } from '../rehearsal/site/faults.ts';

/** The faults that a rehearsal can have, for the usage text: one line each. */
export function rehearsalFaults(): string {
  return FAULTS.map(({ id, sentence }) => `    ${id.padEnd(20)} ${sentence}`).join('\n');
}
