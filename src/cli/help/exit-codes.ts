import { catalogue } from '../../i18n/catalogue.ts';
import { type Block, terms, text } from './page.ts';

/** The exit codes of the command line. Scripts rely on them. */
const EXIT_CODES = [0, 1, 2, 3, 4, 5, 129, 130, 143] as const;

/** Returns the meaning of each exit code. */
export function exitCodesPage(): readonly Block[] {
  const { intro } = catalogue().help.exitCodes;
  const codes: Readonly<Record<(typeof EXIT_CODES)[number], string>> = catalogue().help.exitCodes.codes;
  return [text(intro), terms(EXIT_CODES.map((code) => ({ name: String(code), lines: [codes[code]] })))];
}
