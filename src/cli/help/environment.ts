import { VARIABLES } from '../../ports/environment.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Block, longTerms, text } from './page.ts';

/** What each environment variable does. */
export function environmentPage(): readonly Block[] {
  const { intro } = catalogue().help.environment;
  const variables: Readonly<Record<(typeof VARIABLES)[number], string>> = catalogue().help.environment.variables;
  return [text(intro), longTerms(VARIABLES.map((name) => ({ name, lines: [variables[name]] })))];
}
