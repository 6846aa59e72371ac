import { catalogue } from '../../text/catalogue.ts';
import { type Block, longTerms, text } from './page.ts';

/** The environment variables that the program and its generated scripts read. */
const VARIABLES = [
  'LC_ALL',
  'LC_MESSAGES',
  'LC_CTYPE',
  'LANG',
  'TERM',
  'NO_COLOR',
  'FORCE_COLOR',
  'HOME',
  'XDG_CONFIG_HOME',
  'PATH',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'RELEASE_KEY',
  'NODE_TLS_REJECT_UNAUTHORIZED',
] as const;

/** What each environment variable does. */
export function environmentPage(): readonly Block[] {
  const { intro } = catalogue().help.environment;
  const variables: Readonly<Record<(typeof VARIABLES)[number], string>> = catalogue().help.environment.variables;
  return [text(intro), longTerms(VARIABLES.map((name) => ({ name, lines: [variables[name]] })))];
}
