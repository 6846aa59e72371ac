import { catalogue } from '../../text/catalogue.ts';
import { languageCodes } from '../../text/languages.ts';
import { type Block, text } from './page.ts';

/** The languages that the program speaks. */
export function languagesPage(): readonly Block[] {
  const { intro, known, data } = catalogue().help.languages;
  return [text(intro), text(known(languageCodes().join(', '))), text(data)];
}
