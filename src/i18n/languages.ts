import { type Catalogue, setCatalogue } from './catalogue.ts';

/** The available languages, each loaded only when it is chosen. A new one is a folder beside `en`, and a line here. */
const LANGUAGES: Readonly<Record<string, () => Promise<Catalogue>>> = {
  en: async () => (await import('./en/index.ts')).english,
};
const DEFAULT_LANGUAGE = 'en';

/** Returns the codes of the available languages. */
export const languageCodes = (): readonly string[] => Object.keys(LANGUAGES);

/** The language of the environment (`ja_JP.UTF-8` is `ja`); English if it is not available. */
export function detectLanguage(env: Readonly<Record<string, string | undefined>>): string {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  const code = /^[a-z]{2,3}(?=$|[_.@-])/i.exec(locale)?.[0].toLowerCase() ?? DEFAULT_LANGUAGE;
  return Object.hasOwn(LANGUAGES, code) ? code : DEFAULT_LANGUAGE;
}

/**
 * Loads a language and makes it the active one, once at the start of a program.
 * @param code a code of `languageCodes`
 * @param isNamed the user named it with `--lang`
 * @throws Error for an unknown code
 */
export async function loadLanguage(code: string, isNamed = false): Promise<void> {
  const load = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
  if (load === undefined) throw new Error(`no language is called ${code}`);
  setCatalogue(await load(), code, isNamed);
}

/**
 * Loads the language at the start of a program: that of `--lang L` (the last one, if given twice), else that of the
 * environment.
 * @param argv the arguments of one of our programs
 * @returns the arguments without `--lang L`; `unknown` is its value if that language is not available, and then the
 * environment's is used
 */
export async function initLanguage(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly argv: readonly string[]; readonly unknown: string | null }> {
  const rest: string[] = [];
  let named: string | null = null;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') {
      rest.push(...argv.slice(index));
      break;
    }
    if (word === '--lang') {
      index += 1;
      named = argv[index] ?? '';
    } else if (word.startsWith('--lang=')) named = word.slice('--lang='.length);
    else rest.push(word);
  }
  const isKnown = named !== null && Object.hasOwn(LANGUAGES, named);
  if (named !== null && isKnown) await loadLanguage(named, true);
  else await loadLanguage(detectLanguage(env));
  return { argv: rest, unknown: isKnown ? null : named };
}
