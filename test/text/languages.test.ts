import { afterEach, expect, test, vi } from 'vitest';
import { catalogue, speak } from '../../src/text/catalogue.ts';
import { english } from '../../src/text/en/index.ts';
import { chooseLanguage, languageOf } from '../../src/text/languages.ts';

/** Vite puts it there. */
interface Glob {
  glob(patterns: readonly string[]): Readonly<Record<string, () => Promise<unknown>>>;
}

afterEach(() => speak(english));

test.each([
  [{}, 'en'],
  [{ LANG: 'en_US.UTF-8' }, 'en'],
  [{ LANG: 'C' }, 'en'],
  [{ LANG: 'C.UTF-8' }, 'en'],
  [{ LC_ALL: 'xx_XX', LANG: 'en_US' }, 'en'],
  [{ LC_ALL: '', LC_MESSAGES: 'en_GB@euro', LANG: 'xx' }, 'en'],
  [{ LANG: 'constructor' }, 'en'],
])('the environment %j asks for %s', (env, code) => {
  expect(languageOf(env)).toBe(code);
});

test('a language is chosen by its code, and no other is taken for it', async () => {
  await chooseLanguage('en');
  expect(catalogue()).toBe(english);
  await expect(chooseLanguage('toString')).rejects.toThrow('toString');
});

test('no module says anything while it is loaded: its language would be the one of that moment', async () => {
  vi.resetModules();
  const modules = (import.meta as unknown as Glob).glob([
    '../../src/**/*.{ts,tsx}',
    '../../screens/**/*.tsx',
    '!**/*-main.ts',
    '!**/*.d.ts',
  ]);
  expect(Object.keys(modules).length).toBeGreaterThan(500);
  const failed: string[] = [];
  for (const [file, load] of Object.entries(modules)) {
    await load().catch((error: Error) => failed.push(`${file}: ${error.message}`));
  }
  expect(failed).toEqual([]);
});
