import { catalogue, languageCodes } from '../../i18n/catalogue.ts';

import { type Block, text } from './page.ts';

/** Returns the available languages. */
export function languagesPage(): readonly Block[] {
  const { intro, known, data } = catalogue().help.languages;
  return [text(intro), text(known(languageCodes().join(', '))), text(data)];
}
