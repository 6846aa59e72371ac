import { expect, test } from 'vitest';
import { getFocusedField } from '../../../src/wizard/design/active-form.ts';
import { filterPaletteEntries, listPaletteEntries } from '../../../src/wizard/overlays/palette.ts';
import { getSidebarSelection } from '../../../src/wizard/overlays/sidebar.ts';
import { getScreenIndex, type WizardState } from '../../../src/wizard/state.ts';
import { applyInputs, wizardState } from '../../support/wizard-state.ts';

const state = wizardState({}, { screen: 'review' });
const findLabels = (text: string, within: WizardState = state) =>
  filterPaletteEntries(listPaletteEntries(within), text).map(({ label }) => label);

test('pages, steps, questions and nodes are found by a part of a word, the likeliest first', () => {
  expect(findLabels('net').slice(0, 2)).toEqual(['Networks', 'Machine network']);
  expect(findLabels('M2')).toContain('m2');
  expect(findLabels('gate netw')).toEqual(['Gateway']);
  expect(findLabels('report', wizardState({}, { screen: 'report' }))).toEqual(['Report']);
  expect(findLabels('no such thing')).toEqual([]);
});

test('a rarely needed question is found too, and opens its page with such questions shown', () => {
  const [entry, ...others] = filterPaletteEntries(listPaletteEntries(state), 'services run');
  expect([entry?.label, others]).toEqual(['Services run on', []]);
  expect(findLabels('infra').slice(0, 2)).toEqual(['Infra nodes', 'Infra taint: key']);
  for (const from of [state, wizardState({}, { screen: 'services' })]) {
    const opened = applyInputs(from, { type: 'palette/select', intent: entry?.intent ?? { type: 'screen/next' } });
    expect([opened.screen, getFocusedField(opened)?.path]).toEqual(['services', 'services.layout']);
  }
});

test('a step that was not reached is listed with what comes first, and cannot be opened', () => {
  const [report] = filterPaletteEntries(listPaletteEntries(state), 'report');
  expect(report).toMatchObject({ label: 'Report', unavailableReason: 'not yet: Review comes first' });
  const [own] = filterPaletteEntries(listPaletteEntries(wizardState({}, { screen: 'report' })), 'report');
  expect(own?.unavailableReason).toBeUndefined();
});

test.each([
  ['boot', 'm2', 'boot'],
  ['infra', 'm2', 'boot'],
  ['infra', 'w1', 'boot'],
  // Compute nodes boot after the bootstrap, whose node has left by then.
  ['boot', 'w1', 'nodes'],
  ['infra', 'bs', 'nodes'],
  ['prepare', 'm2', 'nodes'],
] as const)('at %s, the name of %s leads to the page %s, with the node selected', (screen, name, page) => {
  const within = wizardState({}, { screen });
  const entries = filterPaletteEntries(listPaletteEntries(within), name).filter(({ label }) => label === name);
  const opened = applyInputs(within, { type: 'palette/select', intent: entries[0]?.intent ?? { type: 'screen/next' } });
  expect(opened.screen).toBe(page);
  if (page === 'boot') expect(opened.runs.boot).toMatchObject({ row: -1, rowId: name });
  expect(entries.at(-1)?.intent, 'its answers can still be reached').toMatchObject({ screen: 'nodes' });
});

test('the name of an infra move leads to its row, as soon as its page was reached', () => {
  const find = (from: WizardState) => filterPaletteEntries(listPaletteEntries(from), 'tain')[0];
  expect(find(state)).toMatchObject({ label: 'taint', hint: 'move on Infra nodes' });
  expect(find(state)?.unavailableReason).toBe('not yet: Review comes first');
  const entry = find({ ...state, furthestScreenIndex: getScreenIndex('infra') });
  expect(entry?.unavailableReason).toBeUndefined();
  expect(entry?.intent).toEqual({ type: 'screen/go', screen: 'infra', rowId: 'taint' });
});

test('choosing an entry closes the palette and keeps what was typed on the page below', () => {
  const typing = applyInputs(wizardState({}, { screen: 'cluster' }), {
    type: 'field/edit',
    event: { kind: 'paste', text: 'prod' },
  });
  const opened = applyInputs(
    typing,
    { type: 'palette/open' },
    { type: 'palette/edit', event: { kind: 'char', text: 'x' } },
  );
  expect(opened.overlay).toMatchObject({ kind: 'palette', editor: { text: 'x' } });
  const chosen = applyInputs(opened, { type: 'palette/select', intent: { type: 'screen/go', screen: 'networks' } });
  expect([chosen.screen, chosen.overlay]).toEqual(['networks', null]);
  expect(JSON.stringify(chosen.document)).toContain('prod');
});

test('the selection in the sidebar stays within the reached screens, and the screen stays until Enter', () => {
  const opened = applyInputs(state, { type: 'sidebar/open' });
  expect(getSidebarSelection(opened)).toBe('review');
  expect(getSidebarSelection(applyInputs(opened, { type: 'sidebar/move', by: 5 }))).toBe('review');
  const moved = applyInputs(opened, { type: 'sidebar/move', by: -2 });
  expect([getSidebarSelection(moved), moved.screen]).toEqual(['services', 'review']);
  expect(getSidebarSelection(applyInputs(moved, { type: 'sidebar/move', by: -20 }))).toBe('cluster');
});
