import { expect, test } from 'vitest';
import { getActiveForm } from '../../../src/wizard/design/active-form.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyName } from '../../../src/wizard/text-input.ts';
import { applyInputs, typeText, wizardState } from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const press = (name: KeyName): Intent => ({ type: 'field/edit', event: { kind: 'key', name } });
const paste = (text: string): Intent => ({ type: 'field/edit', event: { kind: 'paste', text } });
const open = (field: string, changes = {}) =>
  applyInputs(wizardState(changes), {
    type: 'screen/go',
    screen: field.startsWith('services') ? 'services' : 'networks',
    field,
  });
const GATEWAY = 'networks.machine.0.gateway';
const getText = (state: WizardState) => getActiveForm(state)?.form.editor.text;

test('typing into a default that no key has touched replaces it', () => {
  expect(getText(applyInputs(open(GATEWAY), ...typeText('10.20.30.1')))).toBe('10.20.30.1');
  expect(getText(applyInputs(open('services.dns.forwarders'), ...typeText('10.0.0.1')))).toBe('10.0.0.1');
});

test('a paste replaces it, too, and nothing says that it was appended', () => {
  const pasted = applyInputs(open(GATEWAY), paste('10.20.30.1\n'));
  expect(getText(pasted)).toBe('10.20.30.1');
  expect(pasted.notice).toBeNull();
  expect(getText(applyInputs(open('services.dns.forwarders'), paste('10.0.0.1\n10.0.0.2')))).toBe('10.0.0.1, 10.0.0.2');
});

test.each(['right', 'left', 'end', 'ctrl-e', 'home'] as const)('after %s the default is kept, and edited', (name) => {
  const edited = applyInputs(open(GATEWAY), press(name), ...typeText('9'));
  expect(getText(edited)).toContain('172.16.0.25');
  expect(getText(edited)).toHaveLength('172.16.0.2549'.length);
});

test('Backspace deletes the last letter of a default, and the rest stays', () => {
  expect(getText(applyInputs(open(GATEWAY), press('backspace'), ...typeText('3')))).toBe('172.16.0.253');
});

test('entering a field changes nothing, and Enter keeps the default', () => {
  const entered = open(GATEWAY);
  expect(getText(entered)).toBe('172.16.0.254');
  expect(applyInputs(entered, accept).document).toEqual(entered.document);
});

test('an answer of the user is never replaced by typing', () => {
  const own = open(GATEWAY, { [GATEWAY]: '172.16.0.1' });
  expect(getText(applyInputs(own, ...typeText('5')))).toBe('172.16.0.15');
  // The same for an answer of this visit.
  const typed = applyInputs(open(GATEWAY), ...typeText('172.16.0.1'), accept, { type: 'field/move', by: -1 });
  expect(getText(applyInputs(typed, ...typeText('5')))).toBe('172.16.0.15');
});

test('Esc restores a default that typing replaced', () => {
  const typed = applyInputs(open(GATEWAY), ...typeText('1'), { type: 'document/revert' });
  expect(getText(typed)).toBe('172.16.0.254');
  expect(getText(applyInputs(typed, ...typeText('10.0.0.1')))).toBe('10.0.0.1');
});

test('suggestions for a new node are replaced; what was typed for it is not', () => {
  const added = applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'node/add' });
  const named = applyInputs(added, ...typeText('db1'));
  expect(getText(named)).toBe('db1');
  const back = applyInputs(named, accept, { type: 'field/move', by: -1 }, ...typeText('x'));
  expect(getText(back)).toBe('db1x');
});

test('a value that the wizard moved, filled or imported is replaced by typing, until the user types another', () => {
  const moved = applyInputs(
    open('networks.machine.0.cidr'),
    ...typeText('10.20.30.0/24'),
    { type: 'field/move', by: 1 },
    { type: 'follow/accept' },
  );
  expect(getText(moved)).toBe('10.20.30.254');
  const typed = applyInputs(moved, ...typeText('10.20.30.1'));
  expect(getText(typed)).toBe('10.20.30.1');
  const back = applyInputs(typed, { type: 'field/move', by: 1 }, { type: 'field/move', by: -1 });
  expect(getText(applyInputs(back, ...typeText('5')))).toBe('10.20.30.15');

  const nodes = wizardState({ 'nodes.1.mac': '02:00:00:00:00:01' }, { screen: 'nodes' });
  const openMac = (state: WizardState, row: number) =>
    applyInputs(state, { type: 'screen/go', screen: 'nodes', field: `nodes.${row}.mac` }, ...typeText('x'));
  const paste = { type: 'import/paste', text: 'name,mac\nm2,02:00:00:00:00:77\n' } as const;
  const imported = applyInputs(nodes, paste, { type: 'import/move', by: 1 }, { type: 'import/enter' });
  expect(getText(openMac(imported, 1))).toBe('02:00:00:00:00:01x');
  expect(getText(openMac(imported, 2))).toBe('x');
  const filled = applyInputs(
    nodes,
    { type: 'node/move', by: 1 },
    { type: 'node/fill-open' },
    { type: 'node/fill-move', by: 2 },
    { type: 'node/fill' },
  );
  expect(getText(openMac(filled, 1))).toBe('02:00:00:00:00:01x');
  expect(getText(openMac(filled, 2))).toBe('x');
});
