import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getActiveBindings } from '../../screens/app/app.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import { type Binding, resolveKey } from '../../src/rows/bindings.ts';
import { getFocusedField } from '../../src/wizard/design/active-form.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import type { KeyName } from '../../src/wizard/text-input.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { applyInputs, wizardState } from '../support/wizard-state.ts';
import { STATES } from './views.ts';

const SCREENS_DIR = join(import.meta.dirname, '../../screens');
const TEXT_DIR = join(import.meta.dirname, '../../src/i18n/en');

const rehearsal = { speed: 60, isPaused: false };
const nodes = wizardState({}, { screen: 'nodes' });
const report = wizardState({}, { screen: 'report' });
const OVERLAYS = {
  help: applyInputs(nodes, { type: 'overlay/open', overlay: 'help' }),
  page: applyInputs(nodes, { type: 'overlay/show', page: { title: 'A page', lines: ['one', 'two'] } }),
  fill: applyInputs(nodes, { type: 'node/fill-open' }),
  offered: applyInputs(nodes, { type: 'import/paste', text: 'w9 compute 172.16.0.39 00:50:56:96:11:99' }),
  palette: applyInputs(nodes, { type: 'palette/open' }),
  sidebar: applyInputs(nodes, { type: 'sidebar/open' }),
  install: applyInputs({ ...report, welcome: { ...report.welcome, rehearsal } }, { type: 'install/open' }),
};
const ALL = { ...Object.fromEntries(Object.entries(STATES).map(([name, make]) => [name, make()])), ...OVERLAYS };

const collectKeys = (bindings: readonly Binding<Intent>[]) => new Set(bindings.flatMap(({ keys }) => keys));

test('wherever Up moves in a list or a text, so do PgUp, PgDn, Home, End and the wheel', () => {
  let lists = 0;
  for (const [name, state] of Object.entries(ALL)) {
    const bindings = getActiveBindings(state, VIEWPORT);
    const up = bindings.find(({ keys }) => keys.includes('up'));
    if (up === undefined) continue;
    lists += 1;
    // While text is typed, Home and End move the caret.
    const isTyping = name === 'palette' || bindings.some(({ keys }) => keys.includes('ctrl-u'));
    const expectedKeys = [
      'down',
      'page-up',
      'page-down',
      'wheel-up',
      'wheel-down',
      ...(isTyping ? [] : ['home', 'end']),
    ];
    for (const key of expectedKeys) expect(collectKeys(bindings), `${name}: ${key}`).toContain(key);
  }
  expect(lists).toBeGreaterThan(20);
});

test('on a form, PgUp, PgDn, Home and End move the cursor: they accept no page and change no option', () => {
  const resolve = (state: typeof nodes, name: KeyName) => {
    const resolution = resolveKey(getActiveBindings(state, VIEWPORT), { kind: 'key', name });
    return applyInputs(
      state,
      resolution.kind === 'intent' ? resolution.intent : { type: 'field/edit', event: { kind: 'key', name } },
    );
  };
  const describe = (state: typeof nodes) => [state.screen, getFocusedField(state)?.path];
  const first = wizardState({}, { screen: 'services' });
  const middle = resolve(first, 'page-down');
  expect(describe(middle)).toEqual(['services', 'services.loadBalancer.servers.0.name']);
  const last = resolve(middle, 'page-down');
  expect(describe(last)).toEqual(['services', 'infra.registry.storageClass']);
  expect(describe(resolve(resolve(last, 'page-up'), 'page-up'))).toEqual(['services', 'services.bastion.name']);
  const choice = applyInputs(first, { type: 'screen/go', screen: 'services', field: 'services.dns.kind' });
  expect(describe(resolve(choice, 'end'))).toEqual(describe(last));
  expect(describe(resolve(choice, 'home'))).toEqual(describe(first));
  for (const name of ['home', 'end', 'page-up', 'page-down'] as const)
    expect(resolve(choice, name).document).toBe(choice.document);
});

test('at a choice, where no text is typed, the key for undo undoes and refuses only when nothing was changed', () => {
  const start = wizardState({}, { screen: 'cluster' });
  const isAtChoice = (state: typeof start) =>
    getActiveBindings(state, VIEWPORT).some(({ intent }) => intent?.type === 'choice/move');
  let state = start;
  for (let fields = 0; fields < 20 && !isAtChoice(state); fields += 1)
    state = applyInputs(state, { type: 'field/move', by: 1 });
  const findUndo = (from: typeof start) =>
    getActiveBindings(from, VIEWPORT).find(({ keys }) => keys.includes(SHORTCUTS.undo));
  expect(findUndo(state)).toMatchObject({ disabledReason: expect.any(String) });
  const changed = applyInputs(state, { type: 'choice/move', by: 1 });
  const undo = findUndo(changed);
  expect(undo?.disabledReason).toBeUndefined();
  if (!undo?.intent) throw new Error('no intent');
  expect(applyInputs(changed, undo.intent).document).toEqual(start.document);
});

test('? opens help wherever no text is typed, and Ctrl-Z undoes wherever text is typed over a page', () => {
  for (const [name, state] of Object.entries(STATES)) {
    const bindings = getActiveBindings(state(), VIEWPORT);
    const help = bindings.find(({ keys }) => keys.includes('ctrl-g'));
    const isTyping = bindings.some(({ keys, intent }) => keys.includes('ctrl-u') && intent?.type === 'field/edit');
    if (help && !isTyping) expect(collectKeys(bindings), name).toContain('?');
  }
  for (const name of ['fill', 'offered', 'palette', 'install'] as const)
    expect(collectKeys(getActiveBindings(OVERLAYS[name], VIEWPORT)), name).toContain('ctrl-z');
});

test('u and Ctrl-Z say what they undo', () => {
  let labels = 0;
  for (const [name, state] of Object.entries(ALL))
    for (const { keys, label } of getActiveBindings(state, VIEWPORT))
      if (keys.includes('u') || keys.includes('ctrl-z')) {
        labels += 1;
        expect(label, name).toMatch(/^undo \S/);
      }
  expect(labels).toBeGreaterThan(10);
});

test('where / is text, no key filters or searches', () => {
  let forms = 0;
  for (const [name, state] of Object.entries(ALL)) {
    const keys = collectKeys(getActiveBindings(state, VIEWPORT));
    if (!keys.has('ctrl-g') || keys.has('?')) continue;
    forms += 1;
    expect(keys, name).not.toContain('/');
  }
  expect(forms).toBeGreaterThan(4);
});

test('an empty list has no keys that move in it', () => {
  const text = { kind: 'paste', text: 'nothing has this name' } as const;
  const empty = applyInputs(OVERLAYS.palette, { type: 'palette/edit', event: text });
  expect(collectKeys(getActiveBindings(empty, VIEWPORT))).not.toContain('up');
});

test('w writes the commands of the page, and y copies what the selected row is about', () => {
  const plan = { changes: [], isDangerous: false, instructions: ['lb1:', '  scp a b'] };
  const probe = {
    state: 'needed',
    summary: '',
    view: { nodes: [], refusedMacs: [], servedIgnitionFiles: [], checks: [], unavailableHostLines: [] },
    findings: [],
  } as const;
  const boot = applyInputs(wizardState({}, { screen: 'boot' }), { type: 'step/probed', step: 'boot', probe, plan });
  const findIntent = (state: typeof boot, key: string) =>
    getActiveBindings(state, VIEWPORT).find(({ keys }) => keys.includes(key))?.intent;
  expect(findIntent(boot, 'w')).toEqual({ type: 'commands/write', lines: plan.instructions });
  expect(findIntent(boot, 'y')).toEqual({ type: 'commands/copy', commands: ['scp a b'] });
  expect(findIntent(nodes, 'y')).toEqual({ type: 'cell/copy', text: '172.16.0.11' });
  const copied = applyInputs(nodes, { type: 'cell/copy', text: '172.16.0.11' });
  expect(copied.notice?.text).toContain('172.16.0.11: sent to the clipboard');
});

/** The answer keys of a question. The question shows them. */
const ANSWERS = new Set(['y', 'n']);
const isQuestion = (bindings: readonly Binding<Intent>[]) =>
  bindings.some(({ keys }) => keys.includes('y')) && bindings.some(({ keys }) => keys.includes('n'));

test('one key has one meaning: letters come from their table alone, each under one name', () => {
  const letters: readonly string[] = Object.values(SHORTCUTS);
  expect(letters.filter((letter, index) => letters.indexOf(letter) !== index)).toEqual([]);
  // Second keys for the same action: `=` for `+`, and the space bar that chooses.
  const known = new Set([...letters, '=', ' ']);
  for (const [name, state] of Object.entries(ALL)) {
    const bindings = getActiveBindings(state, VIEWPORT);
    for (const key of collectKeys(bindings))
      if (key.length === 1 && !(isQuestion(bindings) && ANSWERS.has(key)))
        expect(known, `${name}: ${key}`).toContain(key);
  }
  const hardCodedKeys = readdirSync(SCREENS_DIR, { recursive: true, encoding: 'utf8' }).flatMap((file) =>
    /\.tsx?$/.test(file)
      ? (readFileSync(join(SCREENS_DIR, file), 'utf8').match(
          /^.*\bkeys: [^\n]*?\['[^' =]'.*$|^.*\bkeys: [^\n]*?, '[^' =]'.*$/gm,
        ) ?? [])
      : [],
  );
  expect(hardCodedKeys.filter((line) => !/'[yn]'\]|\['[yn]'/.test(line))).toEqual([]);
});

test('no sentence contains a literal key letter: it takes the letter from the key table', () => {
  const violations = readdirSync(TEXT_DIR, { recursive: true, encoding: 'utf8' }).flatMap((file) =>
    /\.ts$/.test(file)
      ? (
          readFileSync(join(TEXT_DIR, file), 'utf8').match(
            /(?<=[.:;,(] |`)[b-zB-HJ-Z] [a-z]+s\b|[Pp]ress [a-zA-Z]\b(?!-)|(?<=page |it )\([a-zA-Z]\)/g,
          ) ?? []
        ).map((what) => `${file}: ${what}`)
      : [],
  );
  expect(violations).toEqual([]);
});

test('wherever letters are actions, the keys that diagnose and undo work, or say why they do not', () => {
  let pages = 0;
  for (const [name, state] of Object.entries(ALL)) {
    if (state.overlay !== null) continue;
    const keys = collectKeys(getActiveBindings(state, VIEWPORT));
    if (!keys.has('?') || (keys.has('y') && keys.has('n'))) continue;
    pages += 1;
    for (const key of [SHORTCUTS.diagnose, SHORTCUTS.undo]) expect(keys, `${name}: ${key}`).toContain(key);
  }
  expect(pages).toBeGreaterThan(20);
});

test('a page that copies with y has the keys for the time of a rehearsal, and a question has not', () => {
  const inRehearsal = (name: string) => {
    const state = STATES[name]?.() ?? nodes;
    return collectKeys(getActiveBindings({ ...state, welcome: { ...state.welcome, rehearsal } }, VIEWPORT));
  };
  const names = Object.keys(STATES).filter((name) => inRehearsal(name).has('y') && inRehearsal(name).has('?'));
  const [asking, copying] = [
    names.filter((name) => inRehearsal(name).has('n')),
    names.filter((name) => !inRehearsal(name).has('n')),
  ];
  expect(asking.length).toBeGreaterThan(0);
  expect(copying.length).toBeGreaterThan(0);
  for (const name of copying) expect(inRehearsal(name), name).toContain(SHORTCUTS.faster);
  for (const name of asking) expect(inRehearsal(name), name).not.toContain(SHORTCUTS.faster);
});
