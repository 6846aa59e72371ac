// Pages as data: without React, from a state and a size alone.
import { expect, test } from 'vitest';
import { bodyRows, getActiveBindings, SCREENS } from '../../screens/app/app.ts';
import { getItemText, type Viewport } from '../../src/rows/page-rows.ts';
import { isStep, type WizardState } from '../../src/wizard/state.ts';
import { update } from '../../src/wizard/update.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { applyInputs, wizardState } from '../support/wizard-state.ts';
import { operatorsView, STATES, stepState } from './views.ts';

const pressKey = (state: WizardState, key: string, viewport: Viewport = VIEWPORT): WizardState => {
  const intent = getActiveBindings(state, viewport).find(({ keys }) => keys.includes(key))?.intent;
  return intent ? update(state, intent).state : state;
};

test('the rows of a page depend on the state and the size alone', () => {
  for (const [name, make] of Object.entries(STATES)) {
    const state = make();
    const first = bodyRows(state, VIEWPORT, '');
    bodyRows(state, { ...VIEWPORT, columns: 58, rows: 11 }, '');
    expect(bodyRows(state, { ...VIEWPORT }, ''), name).toEqual(first);
  }
});

test('keys and drawing share one layout: a step is laid out once for a state and a size', () => {
  for (const [name, make] of Object.entries(STATES)) {
    const state = make();
    if (!isStep(state.screen)) continue;
    const first = SCREENS[state.screen].rows(state, VIEWPORT);
    SCREENS[state.screen].bindings(state, VIEWPORT);
    expect(SCREENS[state.screen].rows(state, { ...VIEWPORT }), name).toBe(first);
  }
});

test('the selected row of a table is marked as such, with its text apart from the pointer', () => {
  const rows = bodyRows(applyInputs(stepState('boot', 'waiting'), { type: 'row/move', by: 1, count: 4 }), VIEWPORT, '');
  const items = rows.filter(({ item }) => item !== undefined);
  expect(items.map(({ item }) => item?.id)).toEqual(['bs', 'm1', 'm2', 'm3']);
  const selected = items.filter(({ item }) => item?.isSelected);
  expect(selected.map(getItemText)).toEqual([expect.stringMatching(/^m1 /)]);
});

test('after scrolling beyond the end of a text, the first key back moves it', () => {
  const pages: readonly (readonly [string, WizardState, string])[] = [
    ['review', wizardState({}, { screen: 'review' }), 'up'],
    ['report', stepState('report', 'done'), 'up'],
    ['generate', stepState('generate', 'needed'), 'left'],
    ['help', applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'overlay/open', overlay: 'help' }), 'up'],
  ];
  for (const [name, state, back] of pages) {
    const forward = back === 'up' ? 'end' : 'right';
    let end = state;
    for (let turn = 0; turn < 12; turn += 1) end = pressKey(end, forward);
    const [before, after] = [end, pressKey(end, back)].map((each) => bodyRows(each, VIEWPORT, ''));
    expect(after, name).not.toEqual(before);
  }
});

test('a question whose details fit does not scroll them out of sight', () => {
  const asking = STATES['infra asking']?.() ?? wizardState();
  expect(asking.screen).toBe('infra');
  const tall = { ...VIEWPORT, rows: 200 };
  const scrolled = pressKey(asking, 'end', tall);
  expect(bodyRows(scrolled, tall, '')).toEqual(bodyRows(asking, tall, ''));
});

test('operators whose names differ in their ends alone stay different in a narrow table', () => {
  const state = stepState('operators', 'waiting');
  const { probe } = state.runs.operators;
  const [operator] = operatorsView.operators;
  if (!probe || !operator) throw new Error('no operator');
  const names = ['', '-catalog', '-packageserver'].map((end) => `operator-lifecycle-manager${end}`);
  const view = { ...operatorsView, operators: names.map((name) => ({ ...operator, name })) };
  const run = { ...state.runs.operators, probe: { ...probe, view } };
  const rows = bodyRows({ ...state, runs: { ...state.runs, operators: run } } as WizardState, VIEWPORT, '');
  const shownNames = rows.flatMap((row) => (row.item === undefined ? [] : [getItemText(row).split(' ')[0]]));
  expect(new Set(shownNames).size).toBe(names.length);
});

test('a label at the beginning of a paragraph of help is bold, beside a page and on the help page', () => {
  const page = STATES['bootstrap-removal needed']?.() ?? wizardState();
  const help = applyInputs(page, { type: 'overlay/open', overlay: 'help' });
  const listBoldTexts = (state: WizardState) =>
    bodyRows(state, { ...VIEWPORT, columns: 118, rows: 60, terminalColumns: 120 }, '').flatMap(({ segments }) =>
      segments.flatMap(({ text, isBold = false }) => (isBold ? [text] : [])),
    );
  const labels = ['Now:', 'Why:', 'How long:', 'What can go wrong:', 'Next:'];
  expect(listBoldTexts(page)).toEqual(expect.arrayContaining(labels));
  expect(listBoldTexts(help)).toEqual(expect.arrayContaining(labels));
});

test('the page of the diagnosis has its titles in the accent tone and its labels bold', () => {
  const lines = ['1. A name is missing (certain)', '   Evidence: no answer', '   To confirm:', '     $ dig api'];
  const overlay = { kind: 'page', subject: 'diagnosis', page: { title: 'T', lines }, top: 0 } as const;
  const segments = bodyRows({ ...stepState('boot', 'waiting'), overlay }, VIEWPORT, '').flatMap((row) => row.segments);
  const boldTexts = segments.flatMap(({ text, isBold = false }) => (isBold ? [text.trim()] : []));
  expect(boldTexts).toEqual(['T', 'Evidence:', 'To confirm:']);
  expect(segments.find(({ text }) => text.startsWith('1. '))?.tone).toBe('accent');
});
