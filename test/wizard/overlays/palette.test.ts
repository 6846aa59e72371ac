import { expect, test } from 'vitest';
import { matching, placesOf, selectedInRail } from '../../../src/wizard/overlays/palette.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { after, wizardState } from '../../support/wizard-state.ts';

const state = wizardState({}, { screen: 'review' });
const found = (text: string, within: WizardState = state) => matching(placesOf(within), text).map(({ label }) => label);

test('pages, steps, questions and nodes are found by a part of a word, the likeliest first', () => {
  expect(found('net').slice(0, 2)).toEqual(['Networks', 'Machine network']);
  expect(found('M2')).toContain('m2');
  expect(found('gate netw')).toEqual(['Gateway']);
  expect(found('report', wizardState({}, { screen: 'report' }))).toEqual(['Report']);
  expect(found('no such thing')).toEqual([]);
});

test('a step that was not reached is offered with what comes first, and cannot be gone to', () => {
  const [report] = matching(placesOf(state), 'report');
  expect(report).toMatchObject({ label: 'Report', whyNot: 'not yet: Review comes first' });
  const [own] = matching(placesOf(wizardState({}, { screen: 'report' })), 'report');
  expect(own?.whyNot).toBeUndefined();
});

test('taking a goal closes the palette and keeps what was typed on the page below', () => {
  const typing = after(wizardState({}, { screen: 'cluster' }), {
    type: 'field/edit',
    event: { kind: 'paste', text: 'prod' },
  });
  const opened = after(typing, { type: 'palette/open' }, { type: 'palette/edit', event: { kind: 'char', text: 'x' } });
  expect(opened.overlay).toMatchObject({ kind: 'palette', editor: { text: 'x' } });
  const gone = after(opened, { type: 'palette/take', intent: { type: 'screen/go', screen: 'networks' } });
  expect([gone.screen, gone.overlay]).toEqual(['networks', null]);
  expect(JSON.stringify(gone.document)).toContain('prod');
});

test('the list at the left is walked within what was reached, and the screen stays until Enter', () => {
  const opened = after(state, { type: 'rail/open' });
  expect(selectedInRail(opened)).toBe('review');
  expect(selectedInRail(after(opened, { type: 'rail/move', by: 5 }))).toBe('review');
  const moved = after(opened, { type: 'rail/move', by: -2 });
  expect([selectedInRail(moved), moved.screen]).toEqual(['services', 'review']);
  expect(selectedInRail(after(moved, { type: 'rail/move', by: -20 }))).toBe('cluster');
});
