import { expect, test } from 'vitest';
import { listChangedPaths } from '../../../src/design/differences.ts';
import { setAt } from '../../../src/design/paths.ts';
import { STEP_IDS, type StepId } from '../../../src/steps/contract.ts';
import { listDependentSteps } from '../../../src/steps/step-inputs.ts';
import type { Event, Intent } from '../../../src/wizard/intents.ts';
import { listOutdatedSteps } from '../../../src/wizard/live/outdated-steps.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import {
  applyInputs,
  buildProbe,
  exampleDocument,
  retypeText,
  safePlan,
  wizardState,
} from '../../support/wizard-state.ts';

const probeEvent = (step: StepId, state: 'done' | 'needed'): Event => ({
  type: 'step/probed',
  step,
  probe: buildProbe(state, {}),
  plan: safePlan,
});
const accept: Intent = { type: 'field/accept' };
/** Everything up to the operators step is done, and that step is shown. */
const operatorsState = () =>
  applyInputs(wizardState({}, { screen: 'operators' }), ...STEP_IDS.slice(0, 8).map((id) => probeEvent(id, 'done')));

/** Goes from the step to one field and changes it. */
const changeField = (field: string, text: string, screen: WizardState['screen']) =>
  applyInputs(operatorsState(), { type: 'screen/go', screen, field }, ...retypeText(text), accept);

test.each<[string, unknown, readonly StepId[]]>([
  ['infra.monitoring.prometheusGiB', 80, ['generate', 'infra', 'report']],
  ['nodes.4.vcpu', 16, ['generate', 'report']],
  ['nodes.4.mac', '00:50:56:00:00:99', ['generate', 'hosts', 'boot', 'report']],
  ['services.time.servers', ['10.0.0.1'], ['generate', 'hosts', 'prepare', 'report']],
  ['credentials.pullSecretFile', './other.txt', ['generate', 'prepare', 'report']],
  ['cluster.name', 'prod', STEP_IDS],
])('a change of %s outdates only the steps that depend on it', (path, value, steps) => {
  expect(listDependentSteps(listChangedPaths(exampleDocument(), setAt(exampleDocument(), path, value)))).toEqual(steps);
});

test('a new node at the end is a change of that node, a deleted one of the whole table', () => {
  const table = [{ name: 'a' }, { name: 'b' }];
  expect(listChangedPaths({ nodes: table }, { nodes: [...table, { name: 'c' }] })).toEqual(['nodes.2']);
  expect(listChangedPaths({ nodes: table }, { nodes: table.slice(1) })).toEqual(['nodes']);
  expect(listChangedPaths({ nodes: table }, { nodes: table })).toEqual([]);
});

test('an edit outdates only the steps that read the field, and undo restores them', () => {
  const edited = changeField('networks.company', '192.168.7.0/24', 'networks');
  expect(listOutdatedSteps(edited)).toEqual(['generate', 'hosts', 'prepare']);
  expect(listOutdatedSteps(applyInputs(edited, { type: 'document/undo' }))).toEqual([]);
  expect(listOutdatedSteps(applyInputs(edited, probeEvent('hosts', 'done')))).toEqual(['generate', 'prepare']);
  expect(listOutdatedSteps(applyInputs(edited, probeEvent('hosts', 'needed')))).toEqual(['generate', 'prepare']);
});

test('an invalid answer outdates no step: no step uses it', () => {
  expect(listOutdatedSteps(changeField('cluster.name', 'Not A Name', 'cluster'))).toEqual([]);
});

test('Enter on the review leads to the first outdated step, else back to the step; continuing passes steps that are still done', () => {
  const unchanged = applyInputs(operatorsState(), { type: 'screen/go', screen: 'review' });
  expect(applyInputs(unchanged, { type: 'screen/next' }).screen).toBe('operators');
  const edited = applyInputs(changeField('services.time.servers', '10.0.0.1', 'services'), {
    type: 'screen/go',
    screen: 'review',
  });
  const generate = applyInputs(edited, { type: 'screen/next' });
  expect(generate.screen).toBe('generate');
  const onward = applyInputs(generate, { type: 'screen/onward' });
  expect(onward.screen).toBe('hosts');
  expect(applyInputs(onward, probeEvent('hosts', 'done'), probeEvent('prepare', 'done')).screen).toBe('operators');
});
