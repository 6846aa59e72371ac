import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listCheckIds, listRuleIds, readSources } from '../support/check-ids.ts';

const CHECK_COUNT = 120;
const RULE_COUNT = 100;

/** Finds the ids that no string in a test names, alone or with state, severity or subject (`failed warning memory`). */
function findUntested(ids: readonly string[], tests: string): string[] {
  return ids.filter(
    (id) =>
      !new RegExp(`['"\`](?:(?:ok|failed|pending|unknown|fatal|warning|note) )*${id}(?: [^'"\`\n]*)?['"\`]`).test(
        tests,
      ),
  );
}

test('every check and every diagnostic rule has a test case', () => {
  const [checks, rules] = [listCheckIds(), listRuleIds()];
  expect(checks.length).toBeGreaterThan(CHECK_COUNT);
  expect(rules.length).toBeGreaterThan(RULE_COUNT);
  const tests = readSources(join(import.meta.dirname, '..'), (name) =>
    /^(?:checks|infra|steps)\/.*(?:test|cases)\.ts$/.test(name),
  );
  expect(findUntested([...checks, ...rules], tests)).toEqual([]);
});

test('a check and a rule that no test case names are found', () => {
  const source =
    "export const moon = check('moon-phase', 'note', () => null);\ncreateDiagnosticRule(\n  'moon-dark', 'dns', run);";
  expect([...listCheckIds(source), ...listRuleIds(source)]).toEqual(['moon-phase', 'moon-dark']);
  expect(
    findUntested(['moon-phase', 'moon-dark', 'moon'], "['moon-phase failed m1'], ['moon-darkness'], moon"),
  ).toEqual(['moon-dark', 'moon']);
});
