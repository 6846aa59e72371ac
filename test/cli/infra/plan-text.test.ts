import { expect, test } from 'vitest';
import { formatPlan, formatSummary } from '../../../src/cli/infra/output.ts';
import type { ObservedMove } from '../../../src/infra/moves.ts';
import { getDisplayWidth } from '../../../src/platform/text.ts';
import { testDesign } from '../../support/csr-forge.ts';

const COMMAND = 'oc adm drain worker-1.ocp45.example.localdomain --ignore-daemonsets --delete-emptydir-data --force';
const LONG_VALUE = `${'prometheus-adapter '.repeat(9)}end`;
const router: ObservedMove = {
  ...{ name: 'router', state: 'needed', why: '' },
  notes: [`A node still has its old pods: \`${COMMAND}\``],
  changes: [{ object: 'ConfigMap x', before: 'data:\n  a: 1\n', after: `data:\n  a: ${LONG_VALUE}\n` }],
};

test('on a terminal a plan breaks between words, and each line of a diff has its sign', () => {
  const text = formatSummary([router], testDesign(), 60) + formatPlan([router], testDesign(), 60);
  const lines = text.split('\n');
  const longLines = lines.filter((line) => getDisplayWidth(line) > 60);
  expect(longLines.map((line) => line.trim())).toEqual([COMMAND]);
  const added = lines.filter((line) => line.startsWith('+ '));
  expect(added.length).toBeGreaterThan(2);
  expect(added.map((line) => line.slice(2).trim()).join(' ')).toBe(`a: ${LONG_VALUE}`);
  const whyLine = lines.findIndex((line) => line.startsWith('   why: '));
  expect(lines[whyLine + 1]).toMatch(/^ {8}\S/);
  // In a pipe, each line stays whole.
  const piped = formatPlan([router], testDesign(), Number.POSITIVE_INFINITY);
  expect(piped.split('\n')).toContain(`+   a: ${LONG_VALUE}`);
});
