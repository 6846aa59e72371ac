import { afterEach, expect, test } from 'vitest';
import { readNodeDrafts } from '../../src/wizard/design/node-table.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { wizardState } from '../support/wizard-state.ts';
import { stepState } from './views.ts';

let app: WizardApp | undefined;
afterEach(async () => {
  await app?.unmount();
  app = undefined;
});

async function show(state: WizardState, cols = 80, rows = 24): Promise<WizardApp> {
  app = await mountWizard(state, { cols, rows });
  return app;
}
const nodes = () => wizardState({}, { screen: 'nodes' });
const listNames = (shown: WizardApp, pattern: RegExp) => shown.lines().flatMap((line) => pattern.exec(line)?.[1] ?? []);

test('/ filters the nodes with each letter, counts, and Esc shows all again with the same node selected', async () => {
  const shown = await show(nodes());
  await shown.press('/');
  for (const letter of 'infra') await shown.press(letter);
  expect(shown.screen()).toMatch(/\/ infra\s+3 of 10/);
  expect(shown.screen()).toMatch(/Name.* RAM {2}Disk$/m);
  expect(listNames(shown, /\b([mwi]\d|bs) +(?:infra|compute|control-plane|bootstrap)\b/)).toEqual(['i1', 'i2', 'i3']);
  await shown.press('\r');
  // The titles stay whole: the number of rows stands under the rows where it would cover one.
  expect(shown.screen()).toMatch(/Name.* RAM {2}Disk$/m);
  expect(shown.screen()).toMatch(/ i3 .*\n {4}\/infra {2}3 of 10$/m);
  expect(shown.lines().at(-1)).toContain('Esc show all');
  await shown.press('n');
  expect(shown.store.getState().nodes.row).toBe(8);
  await shown.press('N');
  await shown.press('N');
  expect(shown.store.getState().nodes.row).toBe(9);
  await shown.escape();
  expect(shown.store.getState().nodes).toMatchObject({ row: 9, filter: { query: '', field: null } });
  expect(shown.screen()).not.toContain('/infra');
  expect(shown.store.getState().screen).toBe('nodes');
});

test('an undo keeps the filter that shows the changed node', async () => {
  const shown = await show(nodes());
  await shown.press('/infra\r');
  await shown.press('d');
  expect(shown.screen()).toMatch(/\/infra {2}2 of 9/);
  await shown.press('u');
  expect(shown.screen()).toMatch(/\/infra {2}3 of 10/);
  await shown.press('u');
  expect(shown.store.getState().nodes.filter.query).toBe('infra');
});

test('Enter selects the node with the error, also one that the filter hides', async () => {
  const shown = await show(wizardState({ 'nodes.5.mac': 'no' }, { screen: 'nodes' }));
  await shown.press('/infra\r');
  await shown.press('\r');
  expect(shown.store.getState().nodes).toMatchObject({ row: 5, filter: { query: '' } });
  expect(shown.screen()).toMatch(/▸ w2 ! +compute/);
  expect(shown.screen()).toMatch(/✖ Error {2}Fix one problem in the node table first\. Nodes > w2: MAC address:/);
});

test('what is typed to filter or to search stands in the upper edge of the frame on every page', async () => {
  const pages = [
    nodes(),
    wizardState({}, { screen: 'review' }),
    ...(
      ['certificates', 'operators', 'infra', 'boot', 'hosts', 'prepare', 'generate', 'bootstrap', 'report'] as const
    ).map((step) => stepState(step, 'waiting')),
  ];
  for (const page of pages) {
    const shown = await show(page);
    const before = shown.lines().slice(2, -1);
    await shown.press('/');
    expect(shown.lines()[1], shown.screen()).toMatch(/(?:\/|Search:) /);
    // The titles of a list and the lines of a text stay where they are.
    expect(shown.lines().slice(2, -1).join('\n')).toBe(before.join('\n'));
    await shown.unmount();
  }
});

test('no key acts on a node that the filter hides', async () => {
  const shown = await show(nodes());
  await shown.press('/');
  for (const letter of 'zzz') await shown.press(letter);
  expect(shown.screen()).toContain('No row contains "zzz". Esc shows all rows.');
  expect(shown.lines().at(-1)).not.toMatch(/(?:Up|↑↓) row/);
  await shown.press('\r');
  const before = readNodeDrafts(shown.store.getState().document);
  for (const key of ['d', 'c', 'e', 'f', 'y', '\u001b[B', 'n']) await shown.press(key);
  expect(readNodeDrafts(shown.store.getState().document)).toEqual(before);
  expect(shown.store.getState()).toMatchObject({ overlay: null, nodes: { edit: null } });
});

test('while the filter is typed every letter is text, also those of keys', async () => {
  const shown = await show(nodes());
  await shown.press('/');
  for (const letter of 'dqa?') await shown.press(letter);
  expect(shown.store.getState()).toMatchObject({ overlay: null, nodes: { filter: { query: 'dqa?' } } });
  expect(readNodeDrafts(shown.store.getState().document)).toHaveLength(10);
});

test('nothing but the list changes while a filter is typed', async () => {
  const shown = await show(nodes());
  const below = () => shown.lines().slice(-9, -1);
  const before = below();
  await shown.press('/');
  for (const letter of 'bs') await shown.press(letter);
  expect(below()).toEqual(before);
});

test.each(['certificates', 'operators', 'infra', 'boot', 'hosts', 'prepare', 'generate'] as const)(
  'the list of %s can be filtered; its keys act on the row that is shown as selected',
  async (screen) => {
    const shown = await show(stepState(screen, 'waiting'), 120, 40);
    await shown.press('/');
    await shown.press('e');
    const { filter } = shown.store.getState().runs[screen];
    expect(filter).toMatchObject({ query: 'e', field: { text: 'e' } });
    expect(shown.screen()).toMatch(/\/ e {2,}.*\d+ of \d+/);
    for (const letter of 'zqx') await shown.press(letter);
    expect(shown.screen()).toContain('No row contains "ezqx"');
    await shown.press('\r');
    await shown.escape();
    expect(shown.store.getState()).toMatchObject({
      screen,
      runs: { [screen]: { filter: { query: '', field: null } } },
    });
    expect(shown.screen()).not.toContain('No row contains');
  },
);

test('a filter ends when another page is opened', async () => {
  const shown = await show(stepState('operators', 'done'));
  await shown.press('/');
  await shown.press('i');
  await shown.press('\r');
  await shown.press('v');
  expect(shown.store.getState().screen).toBe('review');
  await shown.escape();
  expect(shown.store.getState()).toMatchObject({ screen: 'operators', runs: { operators: { filter: { query: '' } } } });
});

test('keys of a step act on the shown row when the filter hides the selected one', async () => {
  const shown = await show(stepState('certificates', 'waiting'), 120, 40);
  const before = shown.store.getState().runs.certificates.row;
  const target = 'w2';
  await shown.press('/');
  for (const letter of target) await shown.press(letter);
  await shown.press('\r');
  expect(before).toBe(-1);
  expect(
    shown
      .lines()
      .filter((line) => line.includes('▸'))
      .join('\n'),
  ).toContain(target);
});
