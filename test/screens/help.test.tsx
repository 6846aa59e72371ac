import { afterEach, expect, test } from 'vitest';
import { SCREENS } from '../../screens/app/registry.ts';
import { keyLabel } from '../../src/ui/keys/keymap.ts';
import { after, START, wizardState } from '../support/wizard-state.ts';
import { app, close, show } from './show.ts';
import { STATES, stepState, unknownMac } from './views.ts';

afterEach(close);

const SHOWN = Map.groupBy(Object.entries(STATES), ([, make]) => make().screen);

test('help on every screen lists each key that works there', async () => {
  for (const make of Object.values(STATES)) {
    const state = make();
    const helped = after(state, { type: 'overlay/open', overlay: 'help' });
    // All of it at once; that it pages is another test's matter.
    if (app) await app.become(helped);
    else await show(helped, [80, 100]);
    const seen = app?.screen() ?? '';
    for (const { keys, label } of SCREENS[state.screen].bindings(state))
      expect(seen).toMatch(
        new RegExp(`${keys.map(keyLabel).join(', ').replace(/[?]/g, '\\?').slice(0, 24)} +${label}`),
      );
  }
});

test.each([...SHOWN])('Ctrl-G on %s opens its help, and Esc leads back', async (_screen, states) => {
  for (const [name, make] of [states[0], states.at(-1)].filter((state) => state !== undefined)) {
    // One application goes through them: what one leaves behind would be seen on the next.
    if (app) await app.become(make());
    else await show(make());
    const before = app?.lines() ?? [];
    await app?.press('\u0007');
    const lines = app?.lines() ?? [];
    expect(lines[1], name).toBe('-'.repeat(80));
    expect(lines[2], name).toMatch(/Help: \S/);
    expect(lines.at(-1), name).toContain('Esc close');
    await app?.escape();
    expect(app?.lines().slice(0, -1), name).toEqual(before.slice(0, -1));
  }
});

test('the help page explains the question under the cursor and its keys', async () => {
  await show(after(wizardState(), { type: 'screen/go', screen: 'networks', field: 'networks.machine.0.cidr' }));
  await app?.press('\u0007');
  const screen = app?.screen() ?? '';
  expect(screen).toContain('Every node address must be inside it.');
  // A long explanation leaves the keys for the next page.
  await app?.press('\u001b[6~');
  const keys = app?.screen() ?? '';
  expect(keys).toContain('Keys that work here');
  expect(keys).toMatch(/Tab, Down +field/);
  expect(keys).toMatch(/Ctrl-S +save and quit/);
});

test('the footer of a question says how to go on, back and leave at 80 columns, and how to clear it where there is room', async () => {
  const networks = after(wizardState(), { type: 'screen/go', screen: 'networks', field: 'networks.machine.0.cidr' });
  const at = { ...networks, savedAt: START };
  const first = ' Enter next  Tab field  Esc back  Ctrl-G help  Ctrl-S save and quit ';
  expect((await show(at)).at(-1)).toMatch(new RegExp(`^${first}saved`));
  await app?.resize(100, 24);
  expect(app?.lines().at(-1)).toMatch(new RegExp(`^${first} Ctrl-U clear `));
  // Nothing is to be cleared in an empty one.
  await app?.press('\u0015');
  expect(app?.lines().at(-1)).not.toContain('Ctrl-U');
});

test('what failed is in the help page as well, before what was found', async () => {
  const trouble = { code: 'x', title: 'It broke', cause: 'no room', whatToDo: 'Make room.' };
  const failed = { type: 'step/failed', step: 'boot', during: 'run', trouble } as const;
  const lines = await show(
    after(after(stepState('boot', 'waiting'), failed), { type: 'overlay/open', overlay: 'help' }),
  );
  expect(lines.join('\n')).toContain('It broke: no room');
});

test('findings that do not fit are said to be in the help page, and are there in full', async () => {
  const findings = ['w1', 'w2', 'w3'].map((node) => ({ ...unknownMac, subject: node, title: `${node} is silent` }));
  const screen = (await show(stepState('certificates', 'needed', { findings }))).join('\n');
  expect(screen).not.toContain('w3 is silent');
  expect(screen).toContain('There is more: Ctrl-G shows all of it.');
  await app?.press('\u0007');
  let seen = app?.screen() ?? '';
  await app?.press('\u001b[6~');
  seen += app?.screen();
  for (const { title } of findings) expect(seen).toContain(title);
});

test('the terms of a page stand below its keys, each with where to read on; a step says what can go wrong and what is next', async () => {
  await show(stepState('certificates', 'waiting'));
  await app?.press('\u0007');
  let seen = app?.screen() ?? '';
  for (let page = 0; page < 9; page += 1) {
    await app?.press('\u001b[6~');
    seen += app?.screen();
  }
  const at = ['What can go wrong:', 'Next: The operators', 'Keys that work here', 'Serving certificate:'];
  expect(at.map((text) => seen.indexOf(text))).toEqual(at.map((text) => seen.indexOf(text)).toSorted((a, b) => a - b));
  expect(seen).toContain('https://docs.');
  await app?.press('\u001b[H');
  expect(app?.screen()).toContain('Help: Certificates');
});

test('Ctrl-C asks whether to leave, and Ctrl-S leaves, from the help page as from every other', async () => {
  const helped = after(wizardState({}, { screen: 'networks' }), { type: 'overlay/open', overlay: 'help' });
  await show(helped);
  await app?.press('\u0003');
  expect(app?.store.getState().overlay).toEqual({ kind: 'quit' });
  await show(helped);
  await app?.press('\u0013');
  expect(app?.store.getState().isLeaving).toBe('quit');
});
