import { expect, test } from 'vitest';
import type { Topology } from '../../../src/design/choices.ts';
import { setAt } from '../../../src/design/document-draft.ts';
import { exampleDesign } from '../../../src/design/example.ts';
import { checkDocument, parseDesign } from '../../../src/design/parse.ts';
import { getAt } from '../../../src/design/paths.ts';
import { applyTopologyExample } from '../../../src/wizard/design/update-form.ts';

const example = (topology: Topology, version = '4.22') => parseDesign(exampleDesign({ topology, version })).document;

test.each([
  ['standard', 'compact'],
  ['standard', 'single-node'],
  ['compact', 'standard'],
  ['single-node', 'compact'],
  ['standard', 'arbiter'],
  ['arbiter', 'single-node'],
  ['standard', 'fencing'],
  ['fencing', 'compact'],
  ['single-node', 'single-node-bootstrap'],
  ['single-node-bootstrap', 'standard'],
] as const)('from %s to %s, an untouched example stays a design without errors', (from, to) => {
  const before = example(from);
  const after = applyTopologyExample(before, setAt(before, 'topology', to));
  expect(checkDocument(after).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(checkDocument(after).design?.topology).toBe(to);
});

test('nodes that the user has changed stay as they are', () => {
  const before = setAt(example('standard'), 'nodes.1.name', 'master-1');
  const after = applyTopologyExample(before, setAt(before, 'topology', 'compact'));
  expect(getAt(after, 'nodes')).toEqual(getAt(before, 'nodes'));
});

test('another answer changes nothing else', () => {
  const before = example('standard');
  const after = setAt(before, 'cluster.name', 'other');
  expect(applyTopologyExample(before, after)).toBe(after);
});
