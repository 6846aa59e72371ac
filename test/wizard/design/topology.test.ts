import { expect, test } from 'vitest';
import { TOPOLOGIES, type Topology } from '../../../src/design/choices.ts';
import { renderExampleDesign } from '../../../src/design/example.ts';
import { checkDocument, parseDesign } from '../../../src/design/parse.ts';
import { getAt, setAt } from '../../../src/design/paths.ts';
import { getFocusedField } from '../../../src/wizard/design/active-form.ts';
import { listFieldProblems } from '../../../src/wizard/design/fields.ts';
import { applyTopologyExample } from '../../../src/wizard/design/update-form.ts';
import { applyInputs, wizardState } from '../../support/wizard-state.ts';

const example = (topology: Topology, version = '4.22') =>
  parseDesign(renderExampleDesign({ topology, version })).document;

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

test('an arbiter that the version has not is one problem, shown where the topology is chosen, too', () => {
  const open = { type: 'screen/go', screen: 'cluster', field: 'topology' } as const;
  const opened = applyInputs(wizardState(), open);
  const index = TOPOLOGIES.indexOf('arbiter') - TOPOLOGIES.indexOf('standard');
  const chosen = applyInputs(opened, { type: 'choice/move', by: index }, { type: 'field/accept' }, open);
  const problems = chosen.problems.filter(({ rule }) => rule === 'arbiter-version');
  expect(problems.map(({ path, otherPath }) => [path, otherPath])).toEqual([['openshift.version', 'topology']]);
  const field = getFocusedField(chosen);
  expect(field?.words().reason).toContain('arbiter (from 4.22 on)');
  expect(field && listFieldProblems(chosen.problems, field).map(({ rule }) => rule)).toContain('arbiter-version');
});
