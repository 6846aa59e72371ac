import { catalogue } from '../../i18n/catalogue.ts';
import { ENVIRONMENT_VARIABLES } from '../../platform/environment.ts';

import { type Block, longTerms, text } from './page.ts';

/** Returns the environment variables and their meanings. */
export function environmentPage(): readonly Block[] {
  const { intro } = catalogue().help.environment;
  const variables: Readonly<Record<(typeof ENVIRONMENT_VARIABLES)[number], string>> =
    catalogue().help.environment.variables;
  return [text(intro), longTerms(ENVIRONMENT_VARIABLES.map((name) => ({ name, lines: [variables[name]] })))];
}
