import { expect, test } from 'vitest';
import { SCREENS } from '../../../screens/app/app.ts';
import { getAt } from '../../../src/design/paths.ts';
import { resolveKey } from '../../../src/rows/bindings.ts';
import { getActiveForm, getFocusedField } from '../../../src/wizard/design/active-form.ts';
import { readNodeDrafts } from '../../../src/wizard/design/node-table.ts';
import { canRevertField } from '../../../src/wizard/design/update-undo.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyName } from '../../../src/wizard/text-input.ts';
import fc from '../../support/property.ts';
import { VIEWPORT } from '../../support/viewport.ts';
import {
  applyInputs,
  exampleDocument,
  getEffects,
  retypeText,
  typeText,
  wizardState,
} from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const undo: Intent = { type: 'document/undo' };
const redo: Intent = { type: 'document/redo' };
const openField = (screen: WizardState['screen'], field: string) =>
  applyInputs(wizardState(), { type: 'screen/go', screen, field });
/** Typing replaces a default: a key that moves the cursor keeps it. */
const keep: Intent = { type: 'field/edit', event: { kind: 'key', name: 'right' } };
const describeFocus = (state: WizardState) => `${state.screen} ${getFocusedField(state)?.path ?? '-'}`;
const editor = (state: WizardState) => getActiveForm(state)?.form.editor.text;
const names = (state: WizardState) => readNodeDrafts(state.document).map(({ name }) => name);

/** Presses a key as the screens do. */
function press(state: WizardState, name: KeyName): WizardState {
  const resolution = resolveKey(SCREENS[state.screen].bindings(state, VIEWPORT), { kind: 'key', name });
  return resolution.kind === 'intent' ? applyInputs(state, resolution.intent) : state;
}

test('one stray letter in a field is undone by Esc, which reports that; the next Esc leaves', () => {
  const mistyped = applyInputs(openField('cluster', 'openshift.version'), keep, ...typeText('d'));
  expect(editor(mistyped)).toBe('4.18d');
  const back = press(mistyped, 'escape');
  expect([describeFocus(back), editor(back), getAt(back.document, 'openshift.version')]).toEqual([
    'cluster openshift.version',
    '4.18',
    '4.18',
  ]);
  expect(back.notice?.text).toBe('Undone: Cluster > OpenShift version 4.18 (was 4.18d).');
  expect(press(back, 'escape').screen).toBe('welcome');
  // The typed text is not lost either.
  const again = press(back, 'ctrl-y');
  expect(editor(again)).toBe('4.18d');
});

test('Esc takes back a wrong answer that Enter has taken, also after more than one try', () => {
  const wrong = applyInputs(
    openField('networks', 'networks.machine.0.gateway'),
    keep,
    ...typeText('x'),
    accept,
    ...typeText('y'),
    accept,
  );
  expect(getAt(wrong.document, 'networks.machine.0.gateway')).toBe('172.16.0.254xy');
  expect(wrong.past).toHaveLength(1);
  const back = press(wrong, 'escape');
  expect(back.document).toEqual(exampleDocument());
  expect(describeFocus(press(back, 'escape'))).toMatch(/^cluster /);
});

test('a wrong answer that is left by Tab stays as it was typed, and is taken back from wherever the cursor is', () => {
  const left = applyInputs(openField('networks', 'networks.machine.0.gateway'), keep, ...typeText('x'), {
    type: 'field/move',
    by: 1,
  });
  expect(getAt(left.document, 'networks.machine.0.gateway')).toBe('172.16.0.254x');
  const elsewhere = applyInputs(left, { type: 'screen/go', screen: 'services' });
  const back = press(elsewhere, 'ctrl-z');
  expect(describeFocus(back)).toBe('networks networks.machine.0.gateway');
  expect(back.notice?.text).toBe('Undone: Networks > Gateway 172.16.0.254 (was 172.16.0.254x).');
  expect(press(back, 'ctrl-y').notice?.text).toBe('Redone: Networks > Gateway 172.16.0.254x (was 172.16.0.254).');
});

test('a choice is taken back like a text', () => {
  const chosen = applyInputs(openField('cluster', 'topology'), { type: 'choice/move', by: 1 });
  expect(editor(press(chosen, 'escape'))).toBe('standard');
  const compact = applyInputs(chosen, accept);
  expect(press(compact, 'ctrl-z').document).toEqual(exampleDocument());
});

test('an answer about a node is taken back in the open form, or leads to its row', () => {
  const table = applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'node/move', by: 4 }, { type: 'node/edit' });
  const moved = applyInputs(table, { type: 'field/move', by: 2 }, ...retypeText('172.16.0.99'), accept);
  const inForm = press(moved, 'ctrl-z');
  expect([describeFocus(inForm), inForm.nodes.edit?.index]).toEqual(['nodes ip', 4]);
  expect(inForm.notice?.text).toBe('Undone: Nodes > w1 > Address 172.16.0.31 (was 172.16.0.99).');
  const far = press(applyInputs(moved, { type: 'screen/go', screen: 'review' }), 'ctrl-z');
  expect([far.screen, far.nodes.row, far.nodes.edit]).toEqual(['nodes', 4, null]);
  // Enter leads back to the review, from which the user came.
  expect(applyInputs(far, { type: 'screen/next' }).screen).toBe('review');
});

test('adding, deleting, sorting and filling down nodes can be undone and redone', () => {
  const start = wizardState({}, { screen: 'nodes' });
  const deleted = applyInputs(start, { type: 'node/move', by: 4 }, { type: 'node/delete' });
  expect(applyInputs(deleted, undo).notice?.text).toBe('Undone: Nodes > w1 is restored.');
  const added = applyInputs(start, { type: 'node/add' }, ...retypeText('x9'), { type: 'node/close' });
  const unnamed = applyInputs(added, undo);
  expect(unnamed.notice?.text).toBe('Undone: Nodes > w4 > Name w4 (was x9).');
  const gone = applyInputs(unnamed, undo);
  expect([names(gone).length, gone.notice?.text]).toEqual([10, 'Undone: Nodes > w4 is removed again.']);
  expect(names(applyInputs(gone, redo, redo))).toEqual(names(added));
  const sorted = applyInputs(start, { type: 'node/sort' }, { type: 'node/sort' }, undo);
  expect([sorted.document, sorted.notice?.text]).toEqual([
    exampleDocument(),
    'Undone: Nodes: previous order restored.',
  ]);
});

test('a new change clears redo, and without a change there is nothing to undo', () => {
  const changed = applyInputs(
    openField('cluster', 'cluster.name'),
    ...typeText('6'),
    accept,
    undo,
    ...typeText('7'),
    accept,
  );
  expect(applyInputs(changed, redo).notice?.text).toBe('There is nothing to redo.');
  const state = openField('cluster', 'cluster.name');
  expect(applyInputs(state, undo).notice?.text).toBe('There is nothing to undo.');
  const blank = applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'node/add' }, { type: 'node/close' });
  expect([blank.past, blank.future]).toEqual([[], []]);
});

test('what is taken back is saved, and more than a hundred changes can be', () => {
  const state = openField('cluster', 'cluster.name');
  expect(getEffects(applyInputs(state, ...typeText('6'), accept), undo)).toContainEqual({ type: 'save' });
  const goBack: Intent = { type: 'field/move', by: -1 };
  const changes = Array.from({ length: 120 }, (_, index) => [...retypeText(`c${index}`), accept, goBack]).flat();
  const many = applyInputs(state, ...changes);
  const back = applyInputs(many, ...Array.from({ length: 120 }, () => undo));
  expect(back.document).toEqual(exampleDocument());
  expect(applyInputs(back, ...Array.from({ length: 120 }, () => redo)).document).toEqual(many.document);
});

test('property: any changes taken back and done again lead to the same answers', () => {
  const change = fc.constantFrom<Intent[]>(
    [...typeText('x'), { type: 'field/move', by: 1 }],
    [
      { type: 'choice/move', by: 1 },
      { type: 'field/move', by: -1 },
    ],
    [{ type: 'screen/go', screen: 'nodes' }, { type: 'node/move', by: 3 }, { type: 'node/delete' }],
    [{ type: 'screen/go', screen: 'nodes' }, { type: 'node/duplicate' }, ...typeText('n'), { type: 'node/close' }],
    [{ type: 'screen/go', screen: 'nodes' }, { type: 'node/sort' }],
    [
      { type: 'screen/go', screen: 'services' },
      { type: 'field/move', by: 2 },
    ],
    [{ type: 'screen/go', screen: 'networks', field: 'networks.company' }, ...retypeText('')],
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const start = openField('cluster', 'cluster.name');
      const done = applyInputs(start, ...changes.flat(), { type: 'screen/go', screen: 'review' });
      const undos = done.past.map(() => undo);
      const back = applyInputs(done, ...undos);
      expect(back.document).toEqual(start.document);
      expect(applyInputs(back, ...undos.map(() => redo)).document).toEqual(done.document);
    }),
    { numRuns: 60 },
  );
});

test('a paste is appended to the text of a field that is kept, with a notice; a list takes it as further entries', () => {
  const paste = (text: string): Intent => ({ type: 'field/edit', event: { kind: 'paste', text } });
  const name = applyInputs(openField('cluster', 'cluster.name'), keep, paste('prod'));
  expect(editor(name)).toBe('ocp45prod');
  expect(name.notice?.text).toContain('The text was pasted after "ocp45"');
  expect(editor(press(name, 'ctrl-z'))).toBe('ocp45');
  const list = applyInputs(openField('services', 'services.dns.forwarders'), keep, paste('10.0.0.53\n10.0.0.54\n'));
  expect(editor(list)).toBe('192.168.124.1, 10.0.0.53, 10.0.0.54');
});

test('the undo of an import counts the changed nodes beside the removed ones', () => {
  const start = wizardState({}, { screen: 'nodes' });
  const table = readNodeDrafts(start.document)
    .slice(0, 6)
    .map(({ name, role, ip }, index) => `${name}\t${role}\t${index < 4 ? `172.16.0.${index + 90}` : ip}`);
  const text = ['name\trole\tip', ...table].join('\n');
  const offered = applyInputs(start, { type: 'import/paste', text });
  const choice =
    offered.overlay?.kind === 'import' && 'choice' in offered.overlay.importState
      ? offered.overlay.importState.choice
      : 0;
  const replaced = applyInputs(offered, { type: 'import/move', by: -choice }, { type: 'import/enter' });
  expect(names(replaced)).toHaveLength(6);
  const undone = applyInputs(replaced, undo);
  expect(undone.document).toEqual(exampleDocument());
  const [, first, count] =
    /^Undone: Nodes > (\S+) is restored, and (\d+) more changes\.$/.exec(undone.notice?.text ?? '') ?? [];
  expect(first).toBe(names(start)[6]);
  // At least 4 added nodes and 4 addresses.
  expect(Number(count)).toBeGreaterThanOrEqual(7);
});

test('Esc reverts a wrong answer also after the page was refused because of it', () => {
  const opened = applyInputs(wizardState(), { type: 'screen/go', screen: 'cluster', field: 'cluster.name' });
  const refused = applyInputs(opened, ...retypeText('Prod_7'), { type: 'field/accept-page' });
  expect(refused).toMatchObject({ screen: 'cluster', notice: { kind: 'error' } });
  expect(canRevertField(refused)).toBe(true);
  const reverted = applyInputs(refused, { type: 'document/revert' });
  expect(getAt(reverted.document, 'cluster.name')).toBe('ocp45');
});
