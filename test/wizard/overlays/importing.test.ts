import { expect, test } from 'vitest';
import { importText, isRefused } from '../../../src/design/imports/index.ts';
import { getAt } from '../../../src/wizard/design/document.ts';
import { documentNodes } from '../../../src/wizard/design/update-nodes.ts';
import type { ImportOffer } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { after, effectsOf, exampleDocument, importingOf, wizardState } from '../../support/wizard-state.ts';

const TABLE =
  'name\trole\tip\tmac\nw1\tworker\t172.16.0.77\t00:50:56:96:00:01\nw9\tworker\t172.16.0.79\t00:50:56:96:00:09\n';
const CONFIG = 'apiVersion: v1\nbaseDomain: example.org\nmetadata: {name: prod}\npullSecret: "{}"\n';

const nodesPage = () => wizardState({}, { screen: 'nodes' });
const names = (state: WizardState) => documentNodes(state).map(({ name }) => name);

function offerOf(text: string, path: string): ImportOffer {
  const read = importText(text);
  if (isRefused(read)) throw new Error(read.problem);
  const { files, ...told } = read;
  return { ...told, path, secrets: files.map(({ name }) => name) };
}

test('a list pasted on the node table is shown before anything changes', () => {
  const state = after(nodesPage(), { type: 'import/paste', text: TABLE });
  expect(importingOf(state)).toMatchObject({ phase: 'offered', choice: 1 });
  expect(state.document).toEqual(exampleDocument());
  const closed = after(state, { type: 'import/close' });
  expect(closed.overlay).toBeNull();
  expect(closed.document).toEqual(exampleDocument());
});

test('it replaces the table, or goes over it by name, and can be taken back', () => {
  const offered = after(nodesPage(), { type: 'import/paste', text: TABLE });
  const replaced = after(offered, { type: 'import/move', by: -1 }, { type: 'import/enter' });
  expect(names(replaced)).toEqual(['w1', 'w9']);
  expect(replaced).toMatchObject({ screen: 'nodes', overlay: null });
  expect(after(replaced, { type: 'document/undo' }).document).toEqual(exampleDocument());
  // Two nodes are no cluster: going over the table is what is likely meant.
  const joined = after(offered, { type: 'import/enter' });
  expect(names(joined)).toHaveLength(11);
  expect(documentNodes(joined)[4]).toMatchObject({ name: 'w1', ip: '172.16.0.77', vcpu: 2 });
});

test('typed lines are collected, Enter ends a line, and a list that is none says so and keeps them', () => {
  let state = after(nodesPage(), { type: 'import/open', from: 'lines' });
  for (const text of 'zeus') state = after(state, { type: 'import/edit', event: { kind: 'char', text } });
  state = after(state, { type: 'import/enter' }, { type: 'import/finish' });
  expect(importingOf(state)).toMatchObject({
    phase: 'lines',
    lines: 'zeus\n',
    refusal: expect.stringMatching(/^Nothing in it looks like/),
  });
  state = after(
    state,
    { type: 'import/edit', event: { kind: 'paste', text: 'w1 172.16.0.31 00:50:56:96:6b:da' } },
    { type: 'import/finish' },
  );
  expect(importingOf(state)).toMatchObject({ phase: 'offered', offer: { kind: 'table' } });
});

test('a file is asked for by its name, and read by an effect', () => {
  let state = after(wizardState(), { type: 'import/open', from: 'file' }, { type: 'import/enter' });
  expect(importingOf(state)).toMatchObject({ phase: 'file', refusal: 'Type the name of a file first.' });
  for (const text of 'a.yaml') state = after(state, { type: 'import/edit', event: { kind: 'char', text } });
  expect(effectsOf(state, { type: 'import/enter' })).toEqual([{ type: 'import', path: 'a.yaml' }]);
});

test('a whole design begins anew or goes over the answers, leads to the review, and its secrets go into files', () => {
  const offer = offerOf(CONFIG, 'install-config.yaml');
  const offered = after(wizardState(), { type: 'import/open', from: 'file' }, { type: 'import/offered', offer });
  const alone = after(offered, { type: 'import/enter' });
  expect(alone.screen).toBe('review');
  expect(getAt(alone.document, 'cluster')).toEqual({ name: 'prod', baseDomain: 'example.org' });
  expect(getAt(alone.document, 'nodes')).toEqual([]);
  expect(effectsOf(offered, { type: 'import/enter' })).toContainEqual({
    type: 'keep-imported',
    path: 'install-config.yaml',
  });
  expect(after(alone, { type: 'document/undo' }).document).toEqual(exampleDocument());
  const over = after(offered, { type: 'import/move', by: 1 }, { type: 'import/enter' });
  expect(getAt(over.document, 'cluster.name')).toBe('prod');
  expect(names(over)).toHaveLength(10);
});

test('secrets that were pasted are not kept, and it is said where they belong', () => {
  const importing = importingOf(after(nodesPage(), { type: 'import/paste', text: CONFIG }));
  expect(importing).toEqual({ phase: 'lines', lines: '', refusal: expect.stringContaining('save it to a file') });
});

test('what was typed after an import is taken back before it, and says what it was', () => {
  const state = after(
    nodesPage(),
    { type: 'import/paste', text: TABLE },
    { type: 'import/move', by: -1 },
    { type: 'import/enter' },
    { type: 'node/edit' },
    { type: 'field/edit', event: { kind: 'char', text: 'x' } },
    { type: 'node/close' },
    { type: 'document/undo' },
  );
  expect(names(state)).toEqual(['w1', 'w9']);
  expect(state.notice?.text).toBe('Took back: Nodes > w1 > Name w1 (was w1x).');
  expect(after(state, { type: 'document/undo' }).document).toEqual(exampleDocument());
});
