import { expect, test } from 'vitest';
import { listExampleAnswers, listReviewProblems } from '../../../src/wizard/design/review.ts';
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
  expect(answers).toContainEqual({ label: 'Services > Time servers', text: '192.168.124.1' });
  expect(answers.at(-1)).toMatchObject({ label: 'Nodes' });
  expect(answers.at(-1)?.text).toMatch(/^MAC addresses of bs, m1, /);
  const text = JSON.stringify(answers);
  expect(text).not.toContain('prod');
  expect(text).not.toContain('10.0.0.53');
  // A default that any site may keep is none.
  expect(text).not.toContain('10.128.0.0');
});

const REVIEW = { type: 'screen/go', screen: 'review' } as const;
const asRehearsal = (state: WizardState): WizardState => ({
  ...state,
  welcome: { ...state.welcome, rehearsal: { speed: 60, isPaused: false } },
});

test('while the whole site is that of the example, the verdict says so, in one row', async () => {
  const verdict = 'All names, IPs and MACs are the example’s.';
  const example = applyInputs(wizardState(), REVIEW);
  const readPage = async (state: WizardState) => {
    const page = await mountWizard(state, { cols: 60, rows: 15 });
    const lines = page.lines();
    await page.unmount();
    return lines;
  };
  const lines = await readPage(example);
  const rehearsal = await readPage(asRehearsal(example));
  expect(rehearsal.join('\n')).toContain('No problems. Enter generates the files.');
  // It hides no row of the design.
  expect(lines.map((line) => line.includes(verdict))).toEqual(rehearsal.map((line) => line.includes('No problems.')));
  for (const change of [{ 'networks.machine.0.cidr': '10.1.0.0/24' }, { 'nodes.1.mac': '02:00:00:00:00:01' }])
    expect((await readPage(applyInputs(wizardState(change), REVIEW))).join('\n')).not.toContain(verdict);
});

test('Enter on the review asks before the first files of an unchanged example; the default is no', async () => {
  const page = await mountWizard(applyInputs(wizardState(), REVIEW));
  await page.press('\r');
  expect(page.screen()).toContain('Is this the site that you want to install?');
  await page.press('\r');
  expect([page.store.getState().screen, page.store.getState().overlay]).toEqual(['review', null]);
  await page.press('\ry');
  expect([page.store.getState().screen, page.store.getState().overlay]).toEqual(['generate', null]);
  // Files of it exist now, so the question was answered.
  page.store.dispatch(REVIEW);
  page.store.dispatch({ type: 'screen/next' });
  expect(page.store.getState().screen).toBe('generate');
  await page.unmount();
});

test('Enter on the review asks nothing in a rehearsal, nor after a change of the site', () => {
  for (const state of [asRehearsal(wizardState()), wizardState({ 'nodes.1.mac': '02:00:00:00:00:01' })]) {
    const next = applyInputs(state, REVIEW, { type: 'screen/next' });
    expect([next.screen, next.overlay]).toEqual(['generate', null]);
  }
});

test('a field that no page shows is not listed', () => {
  const state = wizardState({ 'cluster.name': 'prod', 'services.loadBalancer.kind': 'external' });
  const places = listExampleAnswers(applyInputs(state, { type: 'screen/go', screen: 'review' })).map(
    ({ label }) => label,
  );
  expect(places).toContain('Services > Time servers');
  expect(places.filter((place) => /Load balancer/.test(place))).toEqual([]);
});

test('a rehearsal plays the example: nothing is listed', () => {
  expect(listExampleAnswers(asRehearsal(openChanged()))).toEqual([]);
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

test('after a change of a MAC, the table and the review name the nodes with one of the example', async () => {
  const keeps = Object.fromEntries(
    [1, 3, 4, 5, 6, 7, 8, 9].map((index) => [`nodes.${index}.mac`, `02:00:00:00:00:0${index}`]),
  );
  const state = wizardState(keeps, { screen: 'nodes' });
  const note = 'Still the example’s MAC addresses: bs, m2. Those machines would never boot.';
  for (const size of [
    { cols: 80, rows: 24 },
    { cols: 60, rows: 15 },
  ]) {
    const table = await mountWizard(state, size);
    expect(table.screen().replace(/[│▐▌\s]+/g, ' ')).toContain(note);
    await table.unmount();
  }
  // Sorting moves the node: its MAC stays the example's.
  const sorted = applyInputs(state, { type: 'node/sort' }, { type: 'node/sort' }, { type: 'node/delete' });
  expect(listReviewProblems(sorted).map(({ message }) => message)).toContain(
    '1 MAC address is still the example’s: that machine would never boot',
  );

  const review = await mountWizard(applyInputs(state, REVIEW));
  expect(review.screen()).toContain('2 MAC addresses are still the example’s: those machines would never boot');
  expect(review.screen()).toMatch(/2 MAC addresses of the example\. Enter continues; o opens the\s+selected one\./);
  await review.press('o');
  expect(review.screen()).toContain('Edit bs.');
  expect(review.screen()).toMatch(/▸ MAC address/);
  await review.unmount();
});

test('nothing counts the MAC addresses in a rehearsal, nor while neither a network nor a MAC is changed', async () => {
  const isCounted = (state: WizardState) =>
    listReviewProblems(state).some(({ message }) => /still the example’s/.test(message));
  const renumbered = wizardState({ 'networks.machine.0.cidr': '172.16.0.0/23' });
  expect([wizardState(), openChanged(), asRehearsal(renumbered), renumbered].map(isCounted)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  const table = await mountWizard(applyInputs(asRehearsal(renumbered), { type: 'screen/go', screen: 'nodes' }));
  // The title has the name of the cluster.
  expect(table.lines().slice(1).join('\n')).not.toContain('example');
  await table.unmount();
});
