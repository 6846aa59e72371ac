import { afterEach, expect, test, vi } from 'vitest';
import { catalogue, commandLine, languageOption, namedLanguage, speak } from '../../src/text/catalogue.ts';
import { english } from '../../src/text/en/index.ts';
import { chooseLanguage, languageOf, startLanguage } from '../../src/text/languages.ts';

declare global {
  interface ImportMeta {
    /** Vite puts it there. */
    glob(patterns: readonly string[]): Readonly<Record<string, () => Promise<unknown>>>;
  }
}

afterEach(() => speak(english, 'en'));

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

test.each([
  [[], [], null],
  [['csr', 'list'], ['csr', 'list'], null],
  [['--lang', 'en', 'csr', 'list'], ['csr', 'list'], null],
  [['csr', '--lang=en', 'list'], ['csr', 'list'], null],
  [['status', '--lang', 'xx'], ['status'], 'xx'],
  [['status', '--lang', 'xx', '--lang', 'en'], ['status'], null],
  [['status', '--lang'], ['status'], ''],
  [['check', '--', '--lang', 'xx'], ['check', '--', '--lang', 'xx'], null],
])('of %j a program gets %j, and the language %j is unknown', async (argv, rest, unknown) => {
  expect(await startLanguage(argv, { LANG: 'xx_XX' })).toEqual({ argv: rest, unknown });
  expect(catalogue()).toBe(english);
});

test('a language that was named is named in the commands that a person is told, one of the environment is not', async () => {
  await startLanguage(['--dir', 'd'], { LANG: 'en' });
  expect([commandLine('--dir', 'd'), namedLanguage(), languageOption()]).toEqual([
    'upi-wizard --dir d',
    [],
    ['--lang', 'en'],
  ]);
  await startLanguage(['--lang', 'en'], {});
  expect([commandLine('--dir', 'd'), namedLanguage()]).toEqual(['upi-wizard --dir d --lang en', ['--lang', 'en']]);
});

test('no module says anything while it is loaded: its language would be the one of that moment', async () => {
  vi.resetModules();
  const modules = import.meta.glob([
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
