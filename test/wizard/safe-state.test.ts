import { expect, test } from 'vitest';
import { sanitizeState } from '../../src/wizard/sanitize-state.ts';
import { wizardState } from '../support/wizard-state.ts';

test('control and invisible characters of answers are replaced on the screen and stay in the state', () => {
  const state = wizardState({}, { screen: 'cluster' });
  expect(sanitizeState(state)).toBe(state);
  const document = {
    cluster: { name: 'a\u001b]8;;http://x\u001b\\b\u202ec\nd', 'k\u200by': [{ ip: '1\u200b' }, 2, null] },
  };
  const hostile = { ...state, document };
  const shown = sanitizeState(hostile);
  expect(shown.document).toEqual({ cluster: { name: 'a\ufffdb\ufffdc d', 'k\ufffdy': [{ ip: '1\ufffd' }, 2, null] } });
  expect(shown.forms).toBe(state.forms);
  expect(sanitizeState(hostile).document).toEqual(shown.document);
  expect(hostile.document).toBe(document);
});

test('pasted lines stay lines', () => {
  const overlay = { kind: 'import', importState: { phase: 'lines', lines: 'a\nb\u2066', refusal: null } } as const;
  const shown = sanitizeState({ ...wizardState(), overlay });
  expect(shown.overlay).toEqual({ ...overlay, importState: { ...overlay.importState, lines: 'a\nb\ufffd' } });
});
