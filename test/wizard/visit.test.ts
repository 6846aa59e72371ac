import { expect, test } from 'vitest';
import { SCREENS } from '../../screens/app/registry.ts';
import { footerText, resolveKey } from '../../src/ui/keys/keymap.ts';
import { editingOf } from '../../src/wizard/design/editing.ts';
import { documentNodes } from '../../src/wizard/design/update-nodes.ts';
import { isReadOnly, type WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent } from '../../src/wizard/typing/key-event.ts';
import { after, exampleDocument, wizardState } from '../support/wizard-state.ts';

const boot = () => wizardState({}, { screen: 'boot' });
const bindings = (state: WizardState) => SCREENS[state.screen].bindings(state);
const footer = (state: WizardState) => footerText(bindings(state), 78);

/** Presses keys as the screens do: named ones, and characters. */
function press(state: WizardState, ...keys: readonly string[]): WizardState {
  return keys.reduce((now, key) => {
    const event = (key.length === 1 ? { kind: 'char', text: key } : { kind: 'key', name: key }) as KeyEvent;
    const resolution = resolveKey(bindings(now), event);
    if (resolution.kind === 'intent') return after(now, resolution.intent);
    if (resolution.kind === 'disabled')
      return after(now, { type: 'notice/show', notice: { kind: 'warning', text: resolution.reason } });
    const intent = SCREENS[now.screen].onText?.(now, event);
    return intent ? after(now, intent) : now;
  }, state);
}

test('a page that a live step led to is read-only until e, says so, and Esc leads back to the step', () => {
  const review = press(boot(), 'v');
  expect([review.screen, isReadOnly(review)]).toEqual(['review', true]);
  expect(footer(review)).toContain('e edit (read-only)');
  expect(footer(review)).toContain('Esc back to Boot');
  expect(press(review, 'escape').screen).toBe('boot');
  expect(press(review, 'escape').visit).toBeNull();
});

test('no key changes an answer there: not a letter, not a choice, not undo, not a key of the node table', () => {
  const changed = after(wizardState({}, { screen: 'nodes' }), { type: 'node/delete' });
  const there = after(changed, { type: 'screen/go', screen: 'boot' }, { type: 'screen/go', screen: 'review' });
  const nodes = press(there, 'u', 'ctrl-z', 'U');
  expect(nodes.document).toBe(changed.document);
  expect(nodes.notice?.text).toContain('Read-only: an installation uses it');
  const table = after(there, { type: 'screen/go', screen: 'nodes' });
  expect(press(table, 'd', 'a', 'c', 'S', 'f', 'u').document).toBe(changed.document);
  const form = press(table, ' ', 'x', 'd', 'backspace', 'ctrl-u', 'ctrl-z');
  expect([form.document, editingOf(form)?.form.editor.text]).toEqual([
    changed.document,
    documentNodes(changed)[0]?.name,
  ]);
  const cluster = after(there, { type: 'screen/go', screen: 'cluster', field: 'topology' });
  expect(editingOf(press(cluster, 'right', 'x'))?.form.editor.text).toBe('standard');
});

test('after e the answers change, and Esc first takes a change back, then leads to the step', () => {
  const cluster = after(press(boot(), 'v'), { type: 'screen/go', screen: 'cluster' });
  const open = press(cluster, 'e', 'x');
  expect([isReadOnly(open), editingOf(open)?.form.editor.text]).toEqual([false, '4.18x']);
  const back = press(open, 'escape');
  expect(back.document).toEqual(exampleDocument());
  expect(press(back, 'escape').screen).toBe('boot');
});

test('who walks back page by page goes on doing so, and who is led to an answer may change it', () => {
  const walked = press(after(boot(), { type: 'screen/go', screen: 'generate' }), 'escape');
  expect([walked.screen, isReadOnly(walked)]).toEqual(['review', true]);
  expect(press(walked, 'escape').screen).toBe('credentials');
  const led = after(boot(), { type: 'screen/go', screen: 'nodes', field: 'nodes.4.mac' });
  expect([led.nodes.row, isReadOnly(led)]).toEqual([4, false]);
  expect(press(led, 'escape').screen).toBe('boot');
});

test('before any step has used the design, every page can be changed at once', () => {
  const generate = wizardState({}, { screen: 'generate' });
  expect(press(generate, 'escape').visit).toBeNull();
  expect(press(generate, 'v').visit).toBeNull();
});
