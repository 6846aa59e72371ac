import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RULES } from '../src/design/rules/index.ts';

test('README lists every rule of the design with its severity and its source, and no other', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `([a-z-]+)` \| (error|warning) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, id, severity, title, source]) => ({ id, severity, title, source }),
  );
  expect(rows).toEqual(RULES.map(({ id, severity, title, source }) => ({ id, severity, title: title(), source })));
});
