import { expect, test } from 'vitest';
import { type Catalogue, english } from '../../src/i18n/en/index.ts';

/** Lists every string of the catalogue with its path. Functions are tested where they are used. */
function listStrings(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => listStrings(inner, path === '' ? key : `${path}.${key}`));
}

const texts: Catalogue = english;

test('the catalogue holds every area, and its strings are printable, without trailing spaces', () => {
  const strings = listStrings(texts, '');
  expect(strings.length).toBeGreaterThan(400);
  const bad = strings.filter(
    ([, text]) => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text) || /[ \t]\n/.test(text),
  );
  expect(bad).toEqual([]);
});

test('no word is repeated directly after itself', () => {
  const doubled = listStrings(texts, '').filter(([, text]) => /\b([a-z]{2,}) \1\b/.test(text));
  expect(doubled).toEqual([]);
});

test('the check of the machine and Prepare say the same about oc: from which step on it is needed', () => {
  const { diagnosis, steps } = texts;
  const need = `needed from ${steps.titles.bootstrap} on`;
  expect(diagnosis.machine.oc.wrong).toBe(`oc is missing (${need})`);
  expect(steps.prepare.noOc).toBe(`not found (${need})`);
  expect(steps.prepare.noOcSimulated).toBe('not found (a rehearsal needs none)');
  expect(JSON.stringify(diagnosis.machine.oc)).not.toMatch(/optional|[Oo]nly your own/);
});

test('a count of one has the verb of one', () => {
  const { imports, screens } = texts;
  expect(imports.screen.nodes(2, 1, 1)).toBe('2 nodes: 1 new, 1 that replaces a node of the same name.');
  expect(imports.screen.nodes(3, 1, 2)).toBe('3 nodes: 1 new, 2 that replace a node of the same name.');
  expect(screens.prepare.counts({ ok: 4, failed: 0, pending: 1, unknown: 0 })).toBe('4 ok, 1 comes later');
  expect(screens.prepare.counts({ ok: 4, failed: 0, pending: 2, unknown: 0 })).toBe('4 ok, 2 come later');
});
