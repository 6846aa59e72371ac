import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { english } from '../../src/i18n/en/index.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Lists every key of the texts with its path. */
function listKeys(texts: object, path: readonly string[] = []): { readonly key: string; readonly path: string }[] {
  return Object.entries(texts).flatMap(([key, value]) => {
    const keyPath = [...path, key];
    const inner = typeof value === 'object' && value !== null && !Array.isArray(value) ? listKeys(value, keyPath) : [];
    return [{ key, path: keyPath.join('.') }, ...inner];
  });
}

/** Collects the identifiers of the code that reads the texts, without its comments. */
function collectIdentifiers(): ReadonlySet<string> {
  const files = ['src', 'screens'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const sourceFiles = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('src/i18n/en'));
  const code = sourceFiles.map((file) =>
    readFileSync(join(ROOT, file), 'utf8').replace(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, ''),
  );
  return new Set(code.flatMap((text) => text.match(/[a-z]\w*/gi) ?? []));
}

test('every text is used: its key occurs in the code', () => {
  const names = collectIdentifiers();
  expect(names.size).toBeGreaterThan(3000);
  // A key that is no identifier is a code or a path from elsewhere: its table is looked up by data.
  const unused = listKeys(english).filter(({ key }) => /^[a-z]\w*$/.test(key) && !names.has(key));
  expect(unused.map(({ path }) => path)).toEqual([]);
});
