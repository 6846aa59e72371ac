import { expect, test } from 'vitest';
import { shownState } from '../../src/wizard/shown.ts';
import { wizardState } from '../support/wizard-state.ts';

test('answers that draw, hide or turn text are marked in what is drawn, and stay what they are in the state', () => {
  const state = wizardState({}, { screen: 'cluster' });
  expect(shownState(state)).toBe(state);
  const document = {
    cluster: { name: 'a\u001b]8;;http://x\u001b\\b\u202ec\nd', 'k\u200by': [{ ip: '1\u200b' }, 2, null] },
  };
  const hostile = { ...state, document };
  const shown = shownState(hostile);
  expect(shown.document).toEqual({ cluster: { name: 'a\ufffdb\ufffdc d', 'k\ufffdy': [{ ip: '1\ufffd' }, 2, null] } });
  expect(shown.forms).toBe(state.forms);
  expect(shownState(hostile).document).toEqual(shown.document);
  expect(hostile.document).toBe(document);
});

test('pasted lines stay lines', () => {
  const overlay = { kind: 'import', importing: { phase: 'lines', lines: 'a\nb\u2066', refusal: null } } as const;
  const shown = shownState({ ...wizardState(), overlay });
  expect(shown.overlay).toEqual({ ...overlay, importing: { ...overlay.importing, lines: 'a\nb\ufffd' } });
});
