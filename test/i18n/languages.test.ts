import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import {
  catalogue,
  detectLanguage,
  formatCommandLine,
  getExplicitLanguageArgs,
  getLanguageArgs,
  initLanguage,
  loadLanguage,
  setCatalogue,
} from '../../src/i18n/catalogue.ts';
import { english } from '../../src/i18n/en/index.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Imports each module of its arguments, and prints the errors. */
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
])('the environment %j selects %s', (env, code) => {
  expect(detectLanguage(env)).toBe(code);
});

test('a language is chosen by its code, and an unknown code is an error', async () => {
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
])('of the arguments %j, %j remain, with %j as the unknown language', async (argv, rest, unknown) => {
  expect(await initLanguage(argv, { LANG: 'xx_XX' })).toEqual({ argv: rest, unknownCode: unknown });
  expect(catalogue()).toBe(english);
});

test('commands shown to the user name a language from --lang, but not one from the environment', async () => {
  await initLanguage(['--dir', 'd'], { LANG: 'en' });
  expect([formatCommandLine('--dir', 'd'), getExplicitLanguageArgs(), getLanguageArgs()]).toEqual([
    'upi-wizard --dir d',
    [],
    ['--lang', 'en'],
  ]);
  await initLanguage(['--lang', 'en'], {});
  expect([formatCommandLine('--dir', 'd'), getExplicitLanguageArgs()]).toEqual([
    'upi-wizard --dir d --lang en',
    ['--lang', 'en'],
  ]);
});

test('no module reads the catalogue while it is loaded: the language is not chosen yet', async () => {
  const modules = ['src', 'screens'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/(-main|\.d)\.ts$/.test(file))
      .map((file) => join(ROOT, folder, file)),
  );
  expect(modules.length).toBeGreaterThan(500);
  // A separate process, which has chosen no language.
  const argv = ['--import', join(ROOT, 'test/support/loader.ts'), '--input-type=module', '--eval', LOAD, ...modules];
  expect(await promisify(execFile)(process.execPath, argv)).toMatchObject({ stdout: '' });
});
