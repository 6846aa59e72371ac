import { FAULTS } from '../../rehearsal/site/faults.ts';
import { catalogue } from '../../text/catalogue.ts';
import { wrapBeside } from '../../text/width.ts';

const NAME = 30;
const COLUMNS = 80;

/** The faults that a rehearsal can have, for the usage text: the name, and its sentence beside it within 80 columns. */
export function rehearsalFaults(): string {
  const { faults } = catalogue().rehearsal;
  return FAULTS.flatMap((id) => wrapBeside(`    ${id.padEnd(NAME)}`, faults[id], COLUMNS)).join('\n');
}
