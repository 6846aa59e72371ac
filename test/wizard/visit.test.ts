import { expect, test } from 'vitest';
import { SCREENS } from '../../screens/app/app.ts';
import { resolveKey } from '../../src/rows/bindings.ts';
import { getActiveForm, getFocusedField } from '../../src/wizard/design/active-form.ts';
import { readNodeDrafts } from '../../src/wizard/design/node-table.ts';
import { isReadOnly, type WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent } from '../../src/wizard/text-input.ts';
import { footerText } from '../support/footer-text.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { applyInputs, exampleDocument, wizardState } from '../support/wizard-state.ts';

const boot = () => wizardState({}, { screen: 'boot' });
const bindings = (state: WizardState) => SCREENS[state.screen].bindings(state, VIEWPORT);
const footer = (state: WizardState) => footerText(bindings(state), 78);

/** Presses keys as the screens do: named ones, and characters. */
function press(state: WizardState, ...keys: readonly string[]): WizardState {
  return keys.reduce((now, key) => {
    const event = (key.length === 1 ? { kind: 'char', text: key } : { kind: 'key', name: key }) as KeyEvent;
    const resolution = resolveKey(bindings(now), event);
    if (resolution.kind === 'intent') return applyInputs(now, resolution.intent);
    if (resolution.kind === 'disabled')
      return applyInputs(now, { type: 'notice/show', notice: { kind: 'warning', text: resolution.reason } });
    const intent = SCREENS[now.screen].onText?.(now, event, VIEWPORT);
    return intent ? applyInputs(now, intent) : now;
  }, state);
}

test('a page that a live step opened is read-only until e, shows that, and Esc returns to the step', () => {
  const review = press(boot(), 'v');
  expect([review.screen, isReadOnly(review)]).toEqual(['review', true]);
  expect(footer(review)).toContain('e edit (read-only)');
  expect(footer(review)).toContain('Esc back to Boot');
  expect(press(review, 'escape').screen).toBe('boot');
  expect(press(review, 'escape').visit).toBeNull();
});

test('every read-only form keeps the key that edits in its footer, and typing says that it is read-only', () => {
  for (const screen of ['cluster', 'networks', 'services', 'credentials', 'nodes', 'review'] as const) {
    const page = applyInputs(boot(), { type: 'screen/go', screen });
    expect(footer(page), screen).toContain('e edit (read-only)');
    if (screen !== 'review')
      expect(press(page, 'backspace', 'd').notice?.text, screen).toMatch(/^Read-only: .* e lets you/);
  }
});

test('no key changes an answer on a read-only page: not a letter, not a choice, not undo, not a key of the node table', () => {
  const changed = applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'node/delete' });
  const onReview = applyInputs(changed, { type: 'screen/go', screen: 'boot' }, { type: 'screen/go', screen: 'review' });
  const nodes = press(onReview, 'u', 'ctrl-z', 'U');
  expect(nodes.document).toBe(changed.document);
  expect(nodes.notice?.text).toContain('Read-only: an installation uses this design');
  const table = applyInputs(onReview, { type: 'screen/go', screen: 'nodes' });
  expect(press(table, 'd', 'a', 'c', 'S', 'f', 'u').document).toBe(changed.document);
  const form = press(table, ' ', 'x', 'd', 'backspace', 'ctrl-u', 'ctrl-z');
  expect([form.document, getActiveForm(form)?.form.editor.text]).toEqual([
    changed.document,
    readNodeDrafts(changed.document)[0]?.name,
  ]);
  const cluster = applyInputs(onReview, { type: 'screen/go', screen: 'cluster', field: 'topology' });
  expect(getActiveForm(press(cluster, 'right', 'x'))?.form.editor.text).toBe('standard');
});

test('after e the answers change, and Esc first takes a change back, then leads to the step', () => {
  const cluster = applyInputs(press(boot(), 'v'), { type: 'screen/go', screen: 'cluster' });
  const open = press(cluster, 'e', 'right', 'x');
  expect([isReadOnly(open), getActiveForm(open)?.form.editor.text]).toEqual([false, '4.18x']);
  const back = press(open, 'escape');
  expect(back.document).toEqual(exampleDocument());
  expect(press(back, 'escape').screen).toBe('boot');
});

test('Esc again goes back page by page, and an answer that a step leads to can be changed', () => {
  const afterEscape = press(applyInputs(boot(), { type: 'screen/go', screen: 'generate' }), 'escape');
  expect([afterEscape.screen, isReadOnly(afterEscape)]).toEqual(['review', true]);
  expect(press(afterEscape, 'escape').screen).toBe('credentials');
  const atAnswer = applyInputs(boot(), { type: 'screen/go', screen: 'nodes', field: 'nodes.4.mac' });
  expect([atAnswer.nodes.edit?.index, getFocusedField(atAnswer)?.path, isReadOnly(atAnswer)]).toEqual([
    4,
    'mac',
    false,
  ]);
  expect(press(atAnswer, 'escape').screen).toBe('boot');
});

test('before any step has used the design, every page can be changed at once', () => {
  const generate = wizardState({}, { screen: 'generate' });
  expect(press(generate, 'escape').visit).toBeNull();
  expect(press(generate, 'v').visit).toBeNull();
});
