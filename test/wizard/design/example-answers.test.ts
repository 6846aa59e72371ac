import { expect, test } from 'vitest';
import { listExampleAnswers } from '../../../src/wizard/design/review.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { mountWizard } from '../../support/wizard-app.tsx';
import { applyInputs, retypeText, wizardState } from '../../support/wizard-state.ts';

const openChanged = (screen: WizardState['screen'] = 'review') =>
  applyInputs(wizardState({ 'cluster.name': 'prod', 'services.dns.forwarders': ['10.0.0.53'] }), {
    type: 'screen/go',
    screen,
  });

test("once an answer about the site has changed, those that are still the example's are listed", () => {
  expect(listExampleAnswers(wizardState())).toEqual([]);
  const answers = listExampleAnswers(openChanged());
  expect(answers).toContainEqual({ place: 'Services > Time servers', text: '192.168.124.1' });
  expect(answers.at(-1)).toMatchObject({ place: 'Nodes' });
  expect(answers.at(-1)?.text).toMatch(/^MAC addresses of bs, m1, /);
  const text = JSON.stringify(answers);
  expect(text).not.toContain('prod');
  expect(text).not.toContain('10.0.0.53');
  // A default that any site may keep is none.
  expect(text).not.toContain('10.128.0.0');
});

test('a field that no page shows is not listed', () => {
  const state = wizardState({ 'cluster.name': 'prod', 'services.loadBalancer.kind': 'external' });
  const places = listExampleAnswers(applyInputs(state, { type: 'screen/go', screen: 'review' })).map(
    ({ place }) => place,
  );
  expect(places).toContain('Services > Time servers');
  expect(places.filter((place) => /Load balancer/.test(place))).toEqual([]);
});

test('a rehearsal plays the example: nothing is listed', () => {
  const state = openChanged();
  expect(
    listExampleAnswers({ ...state, welcome: { ...state.welcome, rehearsal: { speed: 60, isPaused: false } } }),
  ).toEqual([]);
});

test('the review begins with them, and a form marks them until they are typed over', async () => {
  const review = await mountWizard(openChanged(), { cols: 100, rows: 40 });
  expect(review.screen()).toContain('Still from the example. Are these yours?');
  expect(review.screen()).toContain('Services > Time servers: 192.168.124.1');
  await review.unmount();
  const networks = applyInputs(openChanged(), {
    type: 'screen/go',
    screen: 'networks',
    field: 'networks.machine.0.gateway',
  });
  const form = await mountWizard(networks);
  expect(form.screen()).toMatch(/Gateway +172\.16\.0\.254 +example/);
  form.store.dispatch({ type: 'screen/go', screen: 'networks', field: 'networks.machine.0.gateway' });
  for (const intent of retypeText('172.16.0.1')) form.store.dispatch(intent);
  form.store.dispatch({ type: 'field/accept' });
  await form.waitUntilDrawn();
  expect(form.screen()).toMatch(/Gateway +172\.16\.0\.1\n/);
  expect(form.screen()).toMatch(/Company networks +192\.168\.124\.0\/24 +example/);
  await form.unmount();
});
