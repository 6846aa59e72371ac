import { expect, test } from 'vitest';
import { appRows, SCREENS } from '../../../screens/app/app.ts';
import { resolveKey } from '../../../src/rows/bindings.ts';
import { getRowText } from '../../../src/rows/page-rows.ts';
import { getFocusedField } from '../../../src/wizard/design/active-form.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent, KeyName } from '../../../src/wizard/text-input.ts';
import { VIEWPORT } from '../../support/viewport.ts';
import { applyInputs, exampleDocument, retypeText, wizardState } from '../../support/wizard-state.ts';

/** Presses a key as the screens do. */
function press(state: WizardState, ...names: readonly (KeyName | string)[]): WizardState {
  return names.reduce((old, name) => {
    const event = (name.length === 1 ? { kind: 'char', text: name } : { kind: 'key', name }) as KeyEvent;
    const resolution = resolveKey(SCREENS[old.screen].bindings(old, VIEWPORT), event);
    return resolution.kind === 'intent' ? applyInputs(old, resolution.intent) : old;
  }, state);
}
const describeFocus = (state: WizardState) => `${state.screen} ${getFocusedField(state)?.path ?? '-'}`;
const WRONG_GATEWAY = { 'networks.machine.0.gateway': '172.16.1.254' };

test('one key accepts a page: from Cluster to Review in five', () => {
  const pages: string[] = [];
  let state = wizardState({}, { screen: 'cluster' });
  while (state.screen !== 'review' && pages.length < 9) {
    pages.push(state.screen);
    state = press(state, 'ctrl-n');
  }
  expect(pages).toEqual(['cluster', 'networks', 'nodes', 'services', 'credentials']);
  expect(state.document).toEqual(exampleDocument());
});

test('one key accepts the rest, from Welcome and from every page', () => {
  for (const screen of ['welcome', 'cluster', 'networks', 'nodes', 'services', 'credentials'] as const) {
    const state = press(wizardState({}, { screen }), 'ctrl-r');
    expect([screen, state.screen, state.notice]).toEqual([screen, 'review', null]);
    expect(state.document).toEqual(exampleDocument());
  }
});

test('text under the cursor counts, and the next page is not passed over an error in it', () => {
  const opened = applyInputs(wizardState({}, { screen: 'cluster' }), {
    type: 'screen/go',
    screen: 'cluster',
    field: 'cluster.name',
  });
  const named = press(applyInputs(opened, ...retypeText('prod7')), 'ctrl-n');
  expect(named.document).toMatchObject({ cluster: { name: 'prod7' } });
  const wrong = press(applyInputs(opened, ...retypeText('no good!')), 'ctrl-n');
  expect(describeFocus(wrong)).toBe('cluster cluster.name');
  expect(wrong.notice?.kind).toBe('error');
});

test('an error on the way stops the keys at its answer', () => {
  const welcome = wizardState(WRONG_GATEWAY, { screen: 'welcome' });
  const stopped = press(welcome, 'ctrl-r');
  expect(describeFocus(stopped)).toBe('networks networks.machine.0.gateway');
  expect(stopped.notice).toMatchObject({ kind: 'error' });
  expect(describeFocus(press(wizardState(WRONG_GATEWAY, { screen: 'networks' }), 'ctrl-n'))).toBe(
    'networks networks.machine.0.gateway',
  );
  // Errors on earlier pages are for the review.
  expect(press(wizardState(WRONG_GATEWAY, { screen: 'services' }), 'ctrl-r').screen).toBe('review');
});

test('an error in a node opens its form', () => {
  const stopped = press(wizardState({ 'nodes.4.ip': '10.1.1.1' }, { screen: 'cluster' }), 'ctrl-r');
  expect(describeFocus(stopped)).toBe('nodes ip');
  expect(stopped.nodes.edit?.index).toBe(4);
});

test('the key leaves an open node form, without a node that was never filled in', () => {
  const table = wizardState({}, { screen: 'nodes' });
  const form = press(table, 'a');
  expect(form.nodes.edit).not.toBeNull();
  const review = press(form, 'ctrl-r');
  expect([review.screen, review.document]).toEqual(['review', exampleDocument()]);
  expect(press(press(table, 'e'), 'ctrl-n')).toMatchObject({ screen: 'nodes', nodes: { edit: null } });
});

test('on a page that the review led to, the key returns there', () => {
  const review = applyInputs(wizardState(WRONG_GATEWAY, { screen: 'review' }), { type: 'review/jump' });
  expect(review.screen).toBe('networks');
  const fixed = press(applyInputs(review, ...retypeText('172.16.0.254')), 'ctrl-n');
  expect(fixed.screen).toBe('review');
});

test('Ctrl-R that stops at an error says so at every size, and moves no field', () => {
  const opened = applyInputs(wizardState({}, { screen: 'networks' }), {
    type: 'screen/go',
    screen: 'networks',
    field: 'networks.machine.0.gateway',
  });
  const typed = applyInputs(opened, ...retypeText('172.16.1.254'));
  const stopped = press(typed, 'ctrl-r');
  expect(describeFocus(stopped)).toBe('networks networks.machine.0.gateway');
  for (const [columns, rows] of [
    [60, 15],
    [80, 24],
    [120, 40],
  ] as const) {
    const draw = (state: WizardState) =>
      appRows(state, { columns, rows, hasUnicode: true, canAnimate: false }, { resumeCommand: '' }).map(getRowText);
    expect(draw(stopped).join('\n')).toContain('One answer needs a fix first.');
    expect(draw(stopped).join('\n')).toContain('The gateway 172.16.1.254 is not');
    const findLabels = (state: WizardState) =>
      draw(state).map((line) => / (?:Machine network|Gateway|API address) /.exec(line)?.[0]);
    if (rows >= 24) expect(findLabels(stopped)).toEqual(findLabels(typed));
  }
  // With errors on this page and on later ones, all of them are counted.
  const more = press(wizardState({ ...WRONG_GATEWAY, 'nodes.4.ip': '10.1.1.1' }, { screen: 'networks' }), 'ctrl-r');
  expect(more.notice?.text).toBe('2 answers need a fix first.');
});

test('on a page that the review led to, Ctrl-R leads back there', () => {
  const review = applyInputs(wizardState(WRONG_GATEWAY, { screen: 'review' }), { type: 'review/jump' });
  const fixed = press(applyInputs(review, ...retypeText('172.16.0.254')), 'ctrl-r');
  expect([fixed.screen, fixed.problems.length]).toEqual(['review', 0]);
  const node = applyInputs(wizardState({ 'nodes.4.ip': '10.1.1.1' }, { screen: 'review' }), { type: 'review/jump' });
  expect(node.screen).toBe('nodes');
  expect(press(node, 'ctrl-r').screen).toBe('review');
});

test('q asks before it leaves, on every page without text, and is no interrupt', () => {
  for (const screen of ['welcome', 'nodes', 'review', 'generate', 'boot', 'operators', 'infra', 'report'] as const) {
    const asked = press(wizardState({}, { screen }), 'q');
    expect([screen, asked.overlay]).toEqual([screen, { kind: 'quit', isInterrupt: false }]);
    expect(applyInputs(asked, { type: 'session/quit' }).leaveReason).toBe('quit');
  }
  const interrupted = press(wizardState({}, { screen: 'boot' }), 'ctrl-c');
  expect(applyInputs(interrupted, { type: 'session/quit' }).leaveReason).toBe('interrupt');
});
