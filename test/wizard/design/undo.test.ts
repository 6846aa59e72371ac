import { expect, test } from 'vitest';
import { SCREENS } from '../../../screens/app/registry.ts';
import { resolveKey } from '../../../src/ui/keys/keymap.ts';
import { getAt } from '../../../src/wizard/design/document.ts';
import { editingOf, focusedField } from '../../../src/wizard/design/editing.ts';
import { documentNodes } from '../../../src/wizard/design/update-nodes.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyName } from '../../../src/wizard/typing/key-event.ts';
import fc from '../../support/property.ts';
import { after, effectsOf, exampleDocument, retyped, typed, wizardState } from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const undo: Intent = { type: 'document/undo' };
const redo: Intent = { type: 'document/redo' };
const on = (screen: WizardState['screen'], field: string) => after(wizardState(), { type: 'screen/go', screen, field });
const at = (state: WizardState) => `${state.screen} ${focusedField(state)?.path ?? '-'}`;
const editor = (state: WizardState) => editingOf(state)?.form.editor.text;
const names = (state: WizardState) => documentNodes(state).map(({ name }) => name);

/** Presses a key as the screens do. */
function press(state: WizardState, name: KeyName): WizardState {
  const resolution = resolveKey(SCREENS[state.screen].bindings(state), { kind: 'key', name });
  return resolution.kind === 'intent' ? after(state, resolution.intent) : state;
}

test('one stray letter in a field is taken back by Esc, which says so; the next Esc leaves', () => {
  const slipped = after(on('cluster', 'openshift.version'), ...typed('d'));
  expect(editor(slipped)).toBe('4.18d');
  const back = press(slipped, 'escape');
  expect([at(back), editor(back), getAt(back.document, 'openshift.version')]).toEqual([
    'cluster openshift.version',
    '4.18',
    '4.18',
  ]);
  expect(back.notice?.text).toBe('Took back: Cluster > OpenShift version 4.18 (was 4.18d).');
  expect(press(back, 'escape').screen).toBe('welcome');
  // What was typed is not lost either.
  const again = press(back, 'ctrl-y');
  expect(editor(again)).toBe('4.18d');
});

test('Esc takes back a wrong answer that Enter has taken, also after more than one try', () => {
  const wrong = after(on('networks', 'networks.machine.0.gateway'), ...typed('x'), accept, ...typed('y'), accept);
  expect(getAt(wrong.document, 'networks.machine.0.gateway')).toBe('172.16.0.254xy');
  expect(wrong.past).toHaveLength(1);
  const back = press(wrong, 'escape');
  expect(back.document).toEqual(exampleDocument());
  expect(at(press(back, 'escape'))).toMatch(/^cluster /);
});

test('a wrong answer that is left by Tab stays as it was typed, and is taken back from wherever the cursor is', () => {
  const left = after(on('networks', 'networks.machine.0.gateway'), ...typed('x'), { type: 'field/move', by: 1 });
  expect(getAt(left.document, 'networks.machine.0.gateway')).toBe('172.16.0.254x');
  const elsewhere = after(left, { type: 'screen/go', screen: 'services' });
  const back = press(elsewhere, 'ctrl-z');
  expect(at(back)).toBe('networks networks.machine.0.gateway');
  expect(back.notice?.text).toBe('Took back: Networks > Gateway 172.16.0.254 (was 172.16.0.254x).');
  expect(press(back, 'ctrl-y').notice?.text).toBe('Done again: Networks > Gateway 172.16.0.254x (was 172.16.0.254).');
});

test('a choice is taken back like a text', () => {
  const chosen = after(on('cluster', 'topology'), { type: 'choice/move', by: 1 });
  expect(editor(press(chosen, 'escape'))).toBe('standard');
  const compact = after(chosen, accept);
  expect(press(compact, 'ctrl-z').document).toEqual(exampleDocument());
});

test('an answer about a node is taken back in the open form, or leads to its row', () => {
  const table = after(wizardState({}, { screen: 'nodes' }), { type: 'node/move', by: 4 }, { type: 'node/edit' });
  const moved = after(table, { type: 'field/move', by: 2 }, ...retyped('172.16.0.99'), accept);
  const inForm = press(moved, 'ctrl-z');
  expect([at(inForm), inForm.nodes.edit?.index]).toEqual(['nodes ip', 4]);
  expect(inForm.notice?.text).toBe('Took back: Nodes > w1 > Address 172.16.0.31 (was 172.16.0.99).');
  const far = press(after(moved, { type: 'screen/go', screen: 'review' }), 'ctrl-z');
  expect([far.screen, far.nodes.row, far.nodes.edit]).toEqual(['nodes', 4, null]);
  // Enter leads back to the review, where the person came from.
  expect(after(far, { type: 'screen/next' }).screen).toBe('review');
});

test('nodes that were added, deleted, sorted and filled down come and go again', () => {
  const start = wizardState({}, { screen: 'nodes' });
  const deleted = after(start, { type: 'node/move', by: 4 }, { type: 'node/delete' });
  expect(after(deleted, undo).notice?.text).toBe('Took back: Nodes > w1 is there again.');
  const added = after(start, { type: 'node/add' }, ...retyped('x9'), { type: 'node/close' });
  const unnamed = after(added, undo);
  expect(unnamed.notice?.text).toBe('Took back: Nodes > w4 > Name w4 (was x9).');
  const gone = after(unnamed, undo);
  expect([names(gone).length, gone.notice?.text]).toEqual([10, 'Took back: Nodes > w4 is gone again.']);
  expect(names(after(gone, redo, redo))).toEqual(names(added));
  const sorted = after(start, { type: 'node/sort' }, { type: 'node/sort' }, undo);
  expect([sorted.document, sorted.notice?.text]).toEqual([
    exampleDocument(),
    'Took back: Nodes in the order of before.',
  ]);
});

test('a new change leaves nothing to do again, and what was never changed nothing to take back', () => {
  const changed = after(on('cluster', 'cluster.name'), ...typed('6'), accept, undo, ...typed('7'), accept);
  expect(after(changed, redo).notice?.text).toBe('There is nothing to do again.');
  const state = on('cluster', 'cluster.name');
  expect(after(state, undo).notice?.text).toBe('There is nothing to take back.');
  const blank = after(wizardState({}, { screen: 'nodes' }), { type: 'node/add' }, { type: 'node/close' });
  expect([blank.past, blank.future]).toEqual([[], []]);
});

test('what is taken back is saved, and more than a hundred changes can be', () => {
  const state = on('cluster', 'cluster.name');
  expect(effectsOf(after(state, ...typed('6'), accept), undo)).toContainEqual({ type: 'save' });
  const goBack: Intent = { type: 'field/move', by: -1 };
  const changes = Array.from({ length: 120 }, (_, index) => [...retyped(`c${index}`), accept, goBack]).flat();
  const many = after(state, ...changes);
  const back = after(many, ...Array.from({ length: 120 }, () => undo));
  expect(back.document).toEqual(exampleDocument());
  expect(after(back, ...Array.from({ length: 120 }, () => redo)).document).toEqual(many.document);
});

test('property: any changes taken back and done again lead to the same answers', () => {
  const change = fc.constantFrom<Intent[]>(
    [...typed('x'), { type: 'field/move', by: 1 }],
    [
      { type: 'choice/move', by: 1 },
      { type: 'field/move', by: -1 },
    ],
    [{ type: 'screen/go', screen: 'nodes' }, { type: 'node/move', by: 3 }, { type: 'node/delete' }],
    [{ type: 'screen/go', screen: 'nodes' }, { type: 'node/duplicate' }, ...typed('n'), { type: 'node/close' }],
    [{ type: 'screen/go', screen: 'nodes' }, { type: 'node/sort' }],
    [
      { type: 'screen/go', screen: 'services' },
      { type: 'field/move', by: 2 },
    ],
    [{ type: 'screen/go', screen: 'networks', field: 'networks.company' }, ...retyped('')],
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const start = on('cluster', 'cluster.name');
      const done = after(start, ...changes.flat(), { type: 'screen/go', screen: 'review' });
      const undos = done.past.map(() => undo);
      const back = after(done, ...undos);
      expect(back.document).toEqual(start.document);
      expect(after(back, ...undos.map(() => redo)).document).toEqual(done.document);
    }),
    { numRuns: 60 },
  );
});

test('a paste goes behind what a field has, and says so; a list takes it as more of the same', () => {
  const paste = (text: string): Intent => ({ type: 'field/edit', event: { kind: 'paste', text } });
  const name = after(on('cluster', 'cluster.name'), paste('prod'));
  expect(editor(name)).toBe('ocp45prod');
  expect(name.notice?.text).toContain('The paste stands behind "ocp45"');
  expect(editor(press(name, 'ctrl-z'))).toBe('ocp45');
  const list = after(on('services', 'services.dns.forwarders'), paste('10.0.0.53\n10.0.0.54\n'));
  expect(editor(list)).toBe('192.168.124.1, 10.0.0.53, 10.0.0.54');
});
