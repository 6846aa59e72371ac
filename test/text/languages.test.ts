import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { catalogue, commandLine, explicitLanguageArgs, languageArgs, setCatalogue } from '../../src/i18n/catalogue.ts';
import { english } from '../../src/i18n/en/index.ts';
import { detectLanguage, initLanguage, loadLanguage } from '../../src/i18n/languages.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Loads each module that is named to it, and prints what cannot be loaded. */
const LOAD = `for (const file of process.argv.slice(1)) {
  await import(file).catch((error) => console.log(file + ': ' + error.message));
}
process.exit();`;

afterEach(() => setCatalogue(english, 'en'));

test.each([
  [{}, 'en'],
  [{ LANG: 'en_US.UTF-8' }, 'en'],
  [{ LANG: 'C' }, 'en'],
  [{ LANG: 'C.UTF-8' }, 'en'],
  [{ LC_ALL: 'xx_XX', LANG: 'en_US' }, 'en'],
  [{ LC_ALL: '', LC_MESSAGES: 'en_GB@euro', LANG: 'xx' }, 'en'],
  [{ LANG: 'constructor' }, 'en'],
])('the environment %j asks for %s', (env, code) => {
  expect(detectLanguage(env)).toBe(code);
});

test('a language is chosen by its code, and no other is taken for it', async () => {
  await loadLanguage('en');
  expect(catalogue()).toBe(english);
  await expect(loadLanguage('toString')).rejects.toThrow('toString');
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
  expect(await initLanguage(argv, { LANG: 'xx_XX' })).toEqual({ argv: rest, unknown });
  expect(catalogue()).toBe(english);
});

test('a language that was named is named in the commands that a person is told, one of the environment is not', async () => {
  await initLanguage(['--dir', 'd'], { LANG: 'en' });
  expect([commandLine('--dir', 'd'), explicitLanguageArgs(), languageArgs()]).toEqual([
    'upi-wizard --dir d',
    [],
    ['--lang', 'en'],
  ]);
  await initLanguage(['--lang', 'en'], {});
  expect([commandLine('--dir', 'd'), explicitLanguageArgs()]).toEqual([
    'upi-wizard --dir d --lang en',
    ['--lang', 'en'],
  ]);
});

test('no module says anything while it is loaded: its language would be the one of that moment', async () => {
  const modules = ['src', 'screens'].flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/(-main|\.d)\.ts$/.test(file))
      .map((file) => join(ROOT, room, file)),
  );
  expect(modules.length).toBeGreaterThan(500);
  // A program of its own has chosen no language.
  const argv = ['--import', join(ROOT, 'test/support/loader.ts'), '--input-type=module', '--eval', LOAD, ...modules];
  expect(await promisify(execFile)(process.execPath, argv)).toMatchObject({ stdout: '' });
});
