import { catalogue } from '../i18n/catalogue.ts';
import { wrapBeside } from '../platform/text.ts';
import { FAULTS } from '../rehearsal/site/faults.ts';

const NAME_WIDTH = 30;
const COLUMNS = 80;

/** Returns the faults of a rehearsal for the usage text: each name with its sentence next to it, within 80 columns. */
export function formatFaults(): string {
  const { faults } = catalogue().rehearsal;
  return FAULTS.flatMap((id) => wrapBeside(`    ${id.padEnd(NAME_WIDTH)}`, faults[id], COLUMNS)).join('\n');
}
