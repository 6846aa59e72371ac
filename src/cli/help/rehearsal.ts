import { catalogue } from '../../i18n/catalogue.ts';
import { FAULTS } from '../../rehearsal/site/faults.ts';
import { type Block, heading, terms, text } from './page.ts';

/** Returns the simulated site, and its faults from their table. */
export function rehearsalPage(): readonly Block[] {
  const { intro, plain, cloud, iso, faultsTitle, faults } = catalogue().help.rehearsal;
  const sentences = catalogue().rehearsal.faults;
  return [
    ...[intro, plain, cloud, iso].map(text),
    heading(faultsTitle),
    text(faults),
    terms(FAULTS.map((name) => ({ name, lines: [sentences[name]] }))),
  ];
}
