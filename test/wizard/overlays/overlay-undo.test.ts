import { expect, test } from 'vitest';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { applyInputs, getImport, wizardState } from '../../support/wizard-state.ts';

const undo: Intent = { type: 'overlay/undo' };
const char = (text: string): Intent => ({ type: 'import/edit', event: { kind: 'char', text } });
const paste = (text: string): Intent => ({ type: 'import/edit', event: { kind: 'paste', text } });
const getLines = (state: WizardState) => {
  const importing = getImport(state);
  return importing?.phase === 'lines' ? importing.lines : (importing?.phase ?? null);
};

test('Ctrl-Z takes back what was typed or pasted into an import, letters in one go, and what was offered', () => {
  const typed = applyInputs(
    wizardState({}, { screen: 'nodes' }),
    { type: 'import/open', from: 'lines' },
    char('w'),
    char('9'),
  );
  const both = applyInputs(typed, paste(' compute 172.16.0.39'), { type: 'import/finish' });
  expect(getLines(both)).toBe('offered');
  const steps = [1, 2, 3, 4].map((count) => getLines(applyInputs(both, ...Array.from({ length: count }, () => undo))));
  expect(steps).toEqual(['w9 compute 172.16.0.39', 'w9', '', '']);
});

test('Ctrl-Z gives the real installation its proposed directory again', () => {
  const rehearsal = { speed: 60, isPaused: false };
  const state = wizardState({}, { screen: 'report' });
  const asked = applyInputs({ ...state, welcome: { ...state.welcome, rehearsal } }, { type: 'install/open' });
  const cleared = applyInputs(asked, { type: 'install/edit', event: { kind: 'key', name: 'ctrl-u' } });
  expect(cleared.overlay).toMatchObject({ editor: { text: '' } });
  expect(applyInputs(cleared, undo).overlay).toEqual(asked.overlay);
});

test('in the list of what to fill down, undo takes back the choice, then the last change of the answers', () => {
  const added = applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'node/delete' });
  const filling = applyInputs(added, { type: 'node/fill-open' }, { type: 'node/fill-move', by: 2 });
  const back = applyInputs(filling, undo);
  expect(back.overlay).toMatchObject({ kind: 'fill', choice: 0 });
  const undone = applyInputs(back, undo);
  expect(undone.overlay).toBeNull();
  expect(undone.notice?.text).toMatch(/^Undone: Nodes/);
});
