import { afterEach, expect, test } from 'vitest';
import { app, closeWizard, showState } from './show-state.ts';
import { stepState } from './views.ts';

afterEach(closeWizard);

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

/** The Generate page with a file that does not fit below the list, which is selected. */
function generateState() {
  const state = stepState('generate', 'needed');
  const { generate } = state.runs;
  if (generate.probe === null) throw new Error('the page has no view');
  const file = {
    file: 'ns1/etc/named.conf',
    state: 'new',
    content: LINES.join('\n'),
    before: null,
    isSecret: false,
    check: null,
    commands: [],
  };
  const view = { hosts: [{ name: 'ns1', roles: ['DNS'], instructions: [], files: [file] }] };
  const run = { ...generate, row: 1, probe: { ...generate.probe, view } };
  return { ...state, runs: { ...state.runs, generate: run } };
}

test('D shows the details of the selected row on the whole page; they scroll and can be searched; Esc shows the list again', async () => {
  await showState(generateState());
  const countLines = () => app?.lines().filter((line) => /^..line \d/.test(line)).length ?? 0;
  const linesBelowList = countLines();
  await app?.press('D');
  expect(countLines()).toBeGreaterThan(linesBelowList);
  expect(app?.screen()).not.toContain('Checked by');
  await app?.press('\u001b[B');
  expect(app?.screen()).not.toMatch(/^..line 1$/m);
  await app?.press('/');
  for (const letter of 'line 39') await app?.press(letter);
  await app?.press('\r');
  expect(app?.lines()[1]).toContain('"line 39" in line 39, 1 of 1');
  expect(app?.screen()).toMatch(/^..line 39$/m);
  await app?.escape();
  expect(app?.lines()[1]).not.toContain('line 39');
  expect(countLines()).toBeGreaterThan(linesBelowList);
  await app?.escape();
  expect(countLines()).toBe(linesBelowList);
  expect(app?.store.getState().runs.generate).toMatchObject({ row: 1, phase: 'ready' });
});

test('the footer has the key only for details that do not fit; a page with details of its own keeps its key', async () => {
  await showState(stepState('generate', 'needed'), [80, 60]);
  expect(app?.lines().at(-1)).not.toContain('D details');
  await showState(generateState());
  expect(app?.lines().at(-1)).toContain('D details');
  await showState(stepState('certificates', 'waiting'));
  await app?.press('D');
  expect(app?.store.getState().overlay).toMatchObject({ kind: 'page', subject: 'csr-7xk2p' });
  expect(app?.store.getState().runs.certificates.logPosition.isFullPage).toBe(false);
});
