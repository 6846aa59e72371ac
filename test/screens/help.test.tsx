import { afterEach, expect, test } from 'vitest';
import { SCREENS } from '../../screens/app/app.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { getKeyLabel } from '../../src/rows/bindings.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { applyInputs, START, wizardState } from '../support/wizard-state.ts';
import { app, closeWizard, showState } from './show-state.ts';
import { STATES, stepState, unknownMac } from './views.ts';

afterEach(closeWizard);

const STATES_BY_SCREEN = Map.groupBy(Object.entries(STATES), ([, make]) => make().screen);

test('help on every screen lists each key that works there', async () => {
  for (const make of Object.values(STATES)) {
    const state = make();
    const helpState = applyInputs(state, { type: 'overlay/open', overlay: 'help' });
    // All of it on one page: paging has its own test.
    if (app) await app.setState(helpState);
    else await showState(helpState, [80, 100]);
    const lines = app?.lines() ?? [];
    for (const { keys, label, isHidden, disabledReason } of SCREENS[state.screen].bindings(state, VIEWPORT)) {
      const names = lines.flatMap((line) => {
        const [, keyNames = '', effect = ''] = / {2}(\S.*?) {2,}(.*)/.exec(line) ?? [];
        return effect.startsWith(label) ? keyNames.split(', ') : [];
      });
      // A key that only gives the reason why it has no effect is no key that works.
      if (!(isHidden && disabledReason !== undefined))
        expect(names, label).toEqual(expect.arrayContaining(keys.map(getKeyLabel)));
    }
  }
});

test.each([...STATES_BY_SCREEN])('Ctrl-G on %s opens its help, and Esc leads back', async (_screen, states) => {
  for (const [name, make] of [states[0], states.at(-1)].filter((state) => state !== undefined)) {
    // One application shows all of them, so that leftovers of one would be visible on the next.
    if (app) await app.setState(make());
    else await showState(make());
    const before = app?.lines() ?? [];
    await app?.press('\u0007');
    const lines = app?.lines() ?? [];
    expect(lines[1], name).toMatch(/^┌.*┐$/);
    expect(lines[2], name).toMatch(/Help: \S/);
    expect(lines.at(-1), name).toContain('Esc close');
    await app?.escape();
    expect(app?.lines().slice(0, -1), name).toEqual(before.slice(0, -1));
  }
});

test('Page Down shows the next page of a text, with one row of the last', async () => {
  await showState(STATES_BY_SCREEN.get('operators')?.[0]?.[1]() ?? wizardState(), [80, 24]);
  await app?.press('\u0007');
  const readRange = () =>
    /(\d+)–(\d+) of \d+/
      .exec(app?.screen() ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  const [first, last] = readRange();
  expect(first).toBe(1);
  await app?.press('\u001b[6~');
  expect(readRange()[0]).toBe(last);
});

test('the help page explains the question under the cursor and its keys', async () => {
  await showState(
    applyInputs(wizardState(), { type: 'screen/go', screen: 'networks', field: 'networks.machine.0.cidr' }),
  );
  await app?.press('\u0007');
  const screen = app?.screen() ?? '';
  expect(screen).toContain('Every node address must be inside it.');
  // A long explanation leaves the keys for the next page.
  await app?.press('\u001b[6~');
  const keys = app?.screen() ?? '';
  expect(keys).toContain('Keys that work here');
  expect(keys).toMatch(/Down, Tab, wheel, Up, Shift-Tab +field/);
  expect(keys).toMatch(/Ctrl-S +save and quit/);
});

test('the footer of a question has the keys to continue, get help and leave at 80 columns, and the key to clear it if it fits', async () => {
  const networks = applyInputs(wizardState(), {
    type: 'screen/go',
    screen: 'networks',
    field: 'networks.machine.0.cidr',
  });
  const state = { ...networks, savedAt: START };
  // At a default: how to keep it, and how to accept the others as well.
  expect((await showState(state)).at(-1)).toMatch(
    /^ Enter next {2}Right edit {2}Esc back {2}Ctrl-G help {2}Ctrl-S quit {2}… \d more.* +saved$/,
  );
  await app?.press('\u001b[C');
  expect(app?.lines().at(-1)).toMatch(
    /^ Enter next {2}↑↓ field {2}Esc back {2}Ctrl-G help {2}Ctrl-S quit {2}… \d more.* +saved$/,
  );
  await app?.resize(150, 24);
  expect(app?.lines().at(-1)).toContain('Ctrl-N accept page  Ctrl-R to Review  Ctrl-U clear');
  // An empty field has nothing to clear.
  await app?.press('\u0015');
  expect(app?.lines().at(-1)).not.toContain('Ctrl-U');
});

test('a failure is on the help page too, before the findings', async () => {
  const userError = { code: 'x', title: 'It broke', cause: 'no room', remedy: 'Make room.' };
  const failed = { type: 'step/failed', step: 'boot', during: 'run', userError } as const;
  const lines = await showState(
    applyInputs(applyInputs(stepState('boot', 'waiting'), failed), { type: 'overlay/open', overlay: 'help' }),
  );
  expect(lines.join('\n')).toContain('It broke: no room');
});

test('the screen refers to the help page for findings that do not fit, and the page has them in full', async () => {
  const findings = ['w1', 'w2', 'w3'].map((node) => ({ ...unknownMac, subject: node, title: `${node} is silent` }));
  const screen = (await showState(stepState('certificates', 'needed', { findings }))).join('\n');
  expect(screen).not.toContain('w3 is silent');
  expect(screen).toContain('There is more: Ctrl-G shows all of it.');
  await app?.press('\u0007');
  let text = app?.screen() ?? '';
  await app?.press('\u001b[6~');
  text += app?.screen();
  for (const { title } of findings) expect(text).toContain(title);
});

test('the terms of a page are below its keys, each with a link; a step lists what can go wrong and what is next', async () => {
  await showState(stepState('certificates', 'waiting'));
  await app?.press('\u0007');
  let pageText = app?.screen() ?? '';
  for (let page = 0; page < 9; page += 1) {
    await app?.press('\u001b[6~');
    pageText += app?.screen();
  }
  const headings = ['What can go wrong:', 'Next: The operators', 'Keys that work here', 'Serving certificate:'];
  expect(headings.map((text) => pageText.indexOf(text))).toEqual(
    headings.map((text) => pageText.indexOf(text)).toSorted((a, b) => a - b),
  );
  expect(pageText).toContain('https://docs.');
  await app?.press('\u001b[H');
  expect(app?.screen()).toContain('Help: Certificates');
});

test('every help page begins with the explanation, and the keys follow', async () => {
  await showState(applyInputs(stepState('hosts', 'done'), { type: 'overlay/open', overlay: 'help' }), [80, 60]);
  const text = (app?.lines() ?? []).join(' ').replaceAll(/[ │]+/g, ' ');
  const [intro, action, keys] = [
    catalogue().steps.intros.hosts.slice(0, 30),
    catalogue().stepHelp.steps.hosts.action.slice(0, 30),
    'Keys that work here',
  ].map((part) => text.indexOf(part));
  expect(intro).toBeGreaterThan(0);
  expect(action).toBeGreaterThan(intro ?? 0);
  expect(keys).toBeGreaterThan(action ?? 0);
});

test('the help of the report names rows, for it has no log', async () => {
  await showState(
    applyInputs(STATES_BY_SCREEN.get('report')?.at(-1)?.[1]() ?? wizardState(), {
      type: 'overlay/open',
      overlay: 'help',
    }),
    [80, 100],
  );
  expect(app?.screen()).toMatch(/Up, Down +row/);
  expect(app?.screen()).not.toMatch(/ {2}(?:log|start and end of the log)/);
});

test('Ctrl-C asks whether to leave, and Ctrl-S leaves, from the help page as from every other', async () => {
  const helped = applyInputs(wizardState({}, { screen: 'networks' }), { type: 'overlay/open', overlay: 'help' });
  await showState(helped);
  await app?.press('\u0003');
  expect(app?.store.getState().overlay).toEqual({ kind: 'quit', isInterrupt: true });
  await showState(helped);
  await app?.press('\u0013');
  expect(app?.store.getState().leaveReason).toBe('quit');
});

test('the help page shows the reason why a key has no effect now', async () => {
  const state = wizardState({}, { screen: 'nodes' });
  // Nothing was changed yet, so there is nothing to undo.
  const disabledBinding = SCREENS[state.screen]
    .bindings(state, VIEWPORT)
    .find((binding) => binding.disabledReason !== undefined);
  await showState(state, [200, 60]);
  await app?.press('\u0007');
  expect(app?.screen()).toContain('Help: ');
  expect(disabledBinding?.disabledReason ?? '').not.toBe('');
  expect(app?.screen()).toContain(`${disabledBinding?.label} (${disabledBinding?.disabledReason})`);
});
