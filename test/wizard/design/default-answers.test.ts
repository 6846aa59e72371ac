import { expect, test } from 'vitest';
import { getActiveForm } from '../../../src/wizard/design/active-form.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyName } from '../../../src/wizard/typing.ts';
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
