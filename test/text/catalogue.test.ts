import { expect, test } from 'vitest';
import type { Catalogue } from '../../src/i18n/catalogue.ts';
import { english } from '../../src/i18n/en/index.ts';

/** Every string of the catalogue with the path to it. Functions are sentences with parts; they are tried where they are used. */
function stringsOf(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => stringsOf(inner, path === '' ? key : `${path}.${key}`));
}

const all: Catalogue = english;

test('the catalogue holds every area, and its strings are printable on one line or end their lines well', () => {
  const strings = stringsOf(all, '');
  expect(strings.length).toBeGreaterThan(400);
  const bad = strings.filter(
    ([, text]) => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text) || /[ \t]\n/.test(text),
  );
  expect(bad).toEqual([]);
});

test('no word doubles itself, which spelling checkers of no editor forgive', () => {
  const doubled = stringsOf(all, '').filter(([, text]) => /\b([a-z]{2,}) \1\b/.test(text));
  expect(doubled).toEqual([]);
});
