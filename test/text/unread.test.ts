import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { english } from '../../src/i18n/en/index.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Every key of the words, by the path of where it stands. */
function keysOf(words: object, path: readonly string[] = []): { readonly key: string; readonly path: string }[] {
  return Object.entries(words).flatMap(([key, value]) => {
    const here = [...path, key];
    const inner = typeof value === 'object' && value !== null && !Array.isArray(value) ? keysOf(value, here) : [];
    return [{ key, path: here.join('.') }, ...inner];
  });
}

/** The names that stand in the code that reads sentences, without its comments. */
function namesInCode(): ReadonlySet<string> {
  const files = ['src', 'screens'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const read = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('src/i18n/en'));
  const code = read.map((file) =>
    readFileSync(join(ROOT, file), 'utf8').replace(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, ''),
  );
  return new Set(code.flatMap((text) => text.match(/[a-z]\w*/gi) ?? []));
}

test('somebody reads every word: its name occurs in the code', () => {
  const names = namesInCode();
  expect(names.size).toBeGreaterThan(3000);
  // A key that is no name is a code or a path from elsewhere: a table is looked up by it.
  const unread = keysOf(english).filter(({ key }) => /^[a-z]\w*$/.test(key) && !names.has(key));
  expect(unread.map(({ path }) => path)).toEqual([]);
});
