import { expect, test } from 'vitest';
import { changedPaths } from '../../../src/design/differences.ts';
import { STEP_IDS, type StepId } from '../../../src/steps/contract.ts';
import { stepsThatRead } from '../../../src/steps/reads.ts';
import { setAt } from '../../../src/wizard/design/document.ts';
import type { Event, Intent } from '../../../src/wizard/intents.ts';
import { toLookAgain } from '../../../src/wizard/live/look-again.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { after, exampleDocument, probeOf, retyped, safePlan, wizardState } from '../../support/wizard-state.ts';

const looked = (step: StepId, state: 'done' | 'needed'): Event => ({
  type: 'step/looked',
  step,
  probe: probeOf(state, {}),
  plan: safePlan,
});
const accept: Intent = { type: 'field/accept' };
/** Everything up to the operators is done, and the person is there. */
const installed = () =>
  after(wizardState({}, { screen: 'operators' }), ...STEP_IDS.slice(0, 8).map((id) => looked(id, 'done')));

/** From the step to one answer, which changes. */
const changing = (field: string, text: string, screen: WizardState['screen']) =>
  after(installed(), { type: 'screen/go', screen, field }, ...retyped(text), accept);

test.each<[string, unknown, readonly StepId[]]>([
  ['infra.monitoring.prometheusGiB', 80, ['generate', 'infra', 'report']],
  ['nodes.4.vcpu', 16, ['generate', 'report']],
  ['nodes.4.mac', '00:50:56:00:00:99', ['generate', 'hosts', 'boot', 'report']],
  ['services.time.servers', ['10.0.0.1'], ['generate', 'hosts', 'prepare', 'report']],
  ['credentials.pullSecretFile', './other.txt', ['generate', 'prepare', 'report']],
  ['cluster.name', 'prod', STEP_IDS],
])('a change of %s makes uncertain only what depends on it', (path, value, steps) => {
  expect(stepsThatRead(changedPaths(exampleDocument(), setAt(exampleDocument(), path, value)))).toEqual(steps);
});

test('a new node at the end is a change of that node, a deleted one of the whole table', () => {
  const table = [{ name: 'a' }, { name: 'b' }];
  expect(changedPaths({ nodes: table }, { nodes: [...table, { name: 'c' }] })).toEqual(['nodes.2']);
  expect(changedPaths({ nodes: table }, { nodes: table.slice(1) })).toEqual(['nodes']);
  expect(changedPaths({ nodes: table }, { nodes: table })).toEqual([]);
});

test('an edit drops only the progress that it makes untrue, and taking it back restores it', () => {
  const edited = changing('networks.company', '192.168.7.0/24', 'networks');
  expect(toLookAgain(edited)).toEqual(['generate', 'hosts', 'prepare']);
  expect(toLookAgain(after(edited, { type: 'document/undo' }))).toEqual([]);
  expect(toLookAgain(after(edited, looked('hosts', 'done')))).toEqual(['generate', 'prepare']);
  expect(toLookAgain(after(edited, looked('hosts', 'needed')))).toEqual(['generate', 'prepare']);
});

test('an answer that is wrong makes nothing uncertain: nothing works with it', () => {
  expect(toLookAgain(changing('cluster.name', 'Not A Name', 'cluster'))).toEqual([]);
});

test('Enter on the review leads to what has to be looked at again, else back to the step; the way on passes what is still true', () => {
  const unchanged = after(installed(), { type: 'screen/go', screen: 'review' });
  expect(after(unchanged, { type: 'screen/next' }).screen).toBe('operators');
  const edited = after(changing('services.time.servers', '10.0.0.1', 'services'), {
    type: 'screen/go',
    screen: 'review',
  });
  const generate = after(edited, { type: 'screen/next' });
  expect(generate.screen).toBe('generate');
  const onward = after(generate, { type: 'screen/onward' });
  expect(onward.screen).toBe('hosts');
  expect(after(onward, looked('hosts', 'done'), looked('prepare', 'done')).screen).toBe('operators');
});
