import { CLOCK_FAULTS } from './clocks.ts';
import { CONTENT_FAULTS } from './content.ts';
import type { SiteFault } from './fault.ts';
import { LARGE_ANSWER_FAULTS } from './large-answers.ts';
import { OLD_PROCESS_FAULTS } from './old-process.ts';
import { REMEDY_FAULTS } from './remedies.ts';
import { RESOLVING_FAULTS } from './resolving.ts';
import { SILENCE_FAULTS } from './silence.ts';
import { VANTAGE_FAULTS } from './vantage.ts';
import { VIRTUAL_ADDRESS_FAULTS } from './virtual-addresses.ts';

/** All faults that are planted on the real site, in the order of their kinds. */
export const SITE_FAULTS: readonly SiteFault[] = [
  ...VANTAGE_FAULTS,
  ...CONTENT_FAULTS,
  ...RESOLVING_FAULTS,
  ...VIRTUAL_ADDRESS_FAULTS,
  ...CLOCK_FAULTS,
  ...OLD_PROCESS_FAULTS,
  ...SILENCE_FAULTS,
  ...LARGE_ANSWER_FAULTS,
  ...REMEDY_FAULTS,
];
