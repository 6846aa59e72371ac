import { type Catalogue, speak } from './catalogue.ts';

/** The languages that the program speaks, each loaded only when it is chosen. A new one is a folder beside `en`, and a line here. */
const LANGUAGES: Readonly<Record<string, () => Promise<Catalogue>>> = {
  en: async () => (await import('./en/index.ts')).english,
};
const USUAL = 'en';

/** The codes of the languages that the program speaks. */
export const languageCodes = (): readonly string[] => Object.keys(LANGUAGES);

/** The language that the environment asks for (`ja_JP.UTF-8` asks for `ja`); English where we do not speak it. */
export function languageOf(env: Readonly<Record<string, string | undefined>>): string {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  const code = /^[a-z]{2,3}(?=$|[_.@-])/i.exec(locale)?.[0].toLowerCase() ?? USUAL;
  return Object.hasOwn(LANGUAGES, code) ? code : USUAL;
}

/**
 * Loads a language; its words are shown from then on. Once, at the start of a program.
 * @param code a code that languageOf gives
 * @param isNamed a person named it with `--lang`
 */
export async function chooseLanguage(code: string, isNamed = false): Promise<void> {
  const load = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
  if (load === undefined) throw new Error(`no language is called ${code}`);
  speak(await load(), code, isNamed);
}

/**
 * Loads the language of a program at its start: the one that `--lang L` names (the last, where it is there twice), else that of
 * the environment.
 * @param argv the arguments of a program of ours
 * @returns the arguments without `--lang L`; and what it names where we do not speak that: then the environment's is spoken
 */
export async function startLanguage(
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
  if (named !== null && isKnown) await chooseLanguage(named, true);
  else await chooseLanguage(languageOf(env));
  return { argv: rest, unknown: isKnown ? null : named };
}
