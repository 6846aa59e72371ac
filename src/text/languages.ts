import { type Catalogue, speak } from './catalogue.ts';

/** The languages that the program speaks, each loaded only when it is chosen. A new one is a folder beside `en`, and a line here. */
const LANGUAGES: Readonly<Record<string, () => Promise<Catalogue>>> = {
  en: async () => (await import('./en/index.ts')).english,
};
const USUAL = 'en';

/** The language that the environment asks for (`ja_JP.UTF-8` asks for `ja`); English where we do not speak it. */
export function languageOf(env: Readonly<Record<string, string | undefined>>): string {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  const code = /^[a-z]{2,3}(?=$|[_.@-])/i.exec(locale)?.[0].toLowerCase() ?? USUAL;
  return Object.hasOwn(LANGUAGES, code) ? code : USUAL;
}

/**
 * Loads a language; its words are shown from then on. Once, at the start of a program.
 * @param code a code that languageOf gives
 */
export async function chooseLanguage(code: string): Promise<void> {
  const load = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
  if (load === undefined) throw new Error(`no language is called ${code}`);
  speak(await load());
}
