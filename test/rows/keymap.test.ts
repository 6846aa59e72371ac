import { expect, test } from 'vitest';
import { type Binding, getKeyLabel, listFooterEntries, listHelpLines, resolveKey } from '../../src/rows/bindings.ts';
import { footerText } from '../support/footer-text.ts';

const bindings: Binding<string>[] = [
  { keys: ['enter'], label: 'next', intent: 'go' },
  { keys: ['a', 'ctrl-n'], label: 'approve', intent: 'approve', disabledReason: 'nothing is selected' },
  { keys: ['?'], label: 'help', intent: 'help', isHidden: true },
  { keys: ['ctrl-s'], label: 'save and quit', intent: 'quit' },
];

test('a key means the intent of the binding that names it', () => {
  expect(resolveKey(bindings, { kind: 'key', name: 'enter' })).toEqual({ kind: 'intent', intent: 'go' });
  expect(resolveKey(bindings, { kind: 'char', text: '?' })).toEqual({ kind: 'intent', intent: 'help' });
});

test('a disabled binding answers with its reason', () => {
  const disabledResolution = { kind: 'disabled', reason: 'nothing is selected' };
  expect(resolveKey(bindings, { kind: 'char', text: 'a' })).toEqual(disabledResolution);
  expect(resolveKey(bindings, { kind: 'key', name: 'ctrl-n' })).toEqual(disabledResolution);
});

test('unbound keys and pastes resolve to nothing', () => {
  expect(resolveKey(bindings, { kind: 'char', text: 'x' })).toEqual({ kind: 'none' });
  expect(resolveKey(bindings, { kind: 'paste', text: 'a' })).toEqual({ kind: 'none' });
  expect(resolveKey([{ keys: ['b'], label: 'b', intent: null }], { kind: 'char', text: 'b' })).toEqual({
    kind: 'none',
  });
});

test('the footer keeps the first key, marked if it is disabled, and those to keep, and counts what does not fit', () => {
  expect(footerText(bindings, 80)).toBe('Enter next  Ctrl-S save and quit');
  expect(footerText(bindings, 30)).toBe('Enter next  … 1 more');
  const kept = bindings.map((binding) =>
    binding.label === 'help' ? { ...binding, isHidden: false, staysVisible: 'help' as const } : binding,
  );
  expect(footerText(kept, 36)).toBe('Enter next  ? help  … 1 more (?)');
  expect(footerText(kept, 29)).toBe('Enter next  ? help  … 1 more');
  expect(footerText(kept, 38, '...')).toBe('Enter next  ? help  ... 1 more (?)');
  expect(footerText(bindings.slice(1), 80)).toBe('a approve (not yet)  Ctrl-S save and quit');
  expect(footerText(bindings, 2)).toBe('Enter next');
  expect(footerText([], 80)).toBe('');
});

test('the help page has every effect with all its keys, and no key that only says why it does nothing here', () => {
  const effectless = { keys: ['u'], label: 'undo', intent: null, isHidden: true, disabledReason: 'nothing to undo' };
  const leave = { keys: ['q'], label: 'save and quit', intent: 'quit' };
  expect(listHelpLines([...bindings, effectless, leave])).toEqual([
    { keys: 'Enter', label: 'next' },
    { keys: 'a, Ctrl-N', label: 'approve', disabledReason: 'nothing is selected' },
    { keys: '?', label: 'help' },
    { keys: 'Ctrl-S, q', label: 'save and quit' },
  ]);
  expect(getKeyLabel('page-down')).toBe('PgDn');
});

test('Up and Down are named as one, by their signs or by their names', () => {
  const list = [
    { keys: ['down'], label: 'row', intent: 'down', isHidden: true },
    { keys: ['up'], label: 'row', intent: 'up', isUpAndDown: true },
  ] as const;
  expect(listFooterEntries(list, 80, '…', '↑↓')).toEqual([{ key: '↑↓', label: 'row' }]);
  expect(listFooterEntries(list, 80, '~')).toEqual([{ key: 'Up/Down', label: 'row' }]);
});
