import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bindingsOf } from '../../screens/app/app.tsx';
import { LETTERS } from '../../src/text/letters.ts';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import { after, wizardState } from '../support/wizard-state.ts';
import { STATES } from './views.ts';

const SCREENS_DIR = join(import.meta.dirname, '../../screens');
const WORDS_DIR = join(import.meta.dirname, '../../src/text/en');

const rehearsal = { speed: 60, isPaused: false };
const nodes = wizardState({}, { screen: 'nodes' });
const report = wizardState({}, { screen: 'report' });
const OVERLAYS = {
  help: after(nodes, { type: 'overlay/open', overlay: 'help' }),
  page: after(nodes, { type: 'overlay/show', page: { title: 'A page', lines: ['one', 'two'] } }),
  fill: after(nodes, { type: 'node/fill-open' }),
  offered: after(nodes, { type: 'import/paste', text: 'w9 compute 172.16.0.39 00:50:56:96:11:99' }),
  palette: after(nodes, { type: 'palette/open' }),
  rail: after(nodes, { type: 'rail/open' }),
  install: after({ ...report, welcome: { ...report.welcome, rehearsal } }, { type: 'install/open' }),
};
const ALL = { ...Object.fromEntries(Object.entries(STATES).map(([name, make]) => [name, make()])), ...OVERLAYS };

const keysOf = (bindings: readonly Binding<Intent>[]) => new Set(bindings.flatMap(({ keys }) => keys));

test('wherever Up moves in a list or a text, so do PgUp, PgDn, Home, End and the wheel', () => {
  let lists = 0;
  for (const [name, state] of Object.entries(ALL)) {
    const bindings = bindingsOf(state);
    const up = bindings.find(({ keys }) => keys.includes('up'));
    // In a form, Up goes to the question above, and Home and End are of the caret.
    if (up === undefined || up.intent?.type === 'field/move') continue;
    lists += 1;
    const isTyping = name === 'palette';
    const wanted = ['down', 'page-up', 'page-down', 'wheel-up', 'wheel-down', ...(isTyping ? [] : ['home', 'end'])];
    for (const key of wanted) expect(keysOf(bindings), `${name}: ${key}`).toContain(key);
  }
  expect(lists).toBeGreaterThan(20);
});

test('? opens help wherever no text is typed, and Ctrl-Z undoes wherever text is typed over a page', () => {
  for (const [name, state] of Object.entries(STATES)) {
    const bindings = bindingsOf(state());
    const help = bindings.find(({ keys }) => keys.includes('ctrl-g'));
    const isTyping = bindings.some(({ keys, intent }) => keys.includes('ctrl-u') && intent?.type === 'field/edit');
    if (help && !isTyping) expect(keysOf(bindings), name).toContain('?');
  }
  for (const name of ['fill', 'offered', 'palette', 'install'] as const)
    expect(keysOf(bindingsOf(OVERLAYS[name])), name).toContain('ctrl-z');
});

test('w writes the commands of the page, and y copies what the selected row is about', () => {
  const plan = { changes: [], isDangerous: false, instructions: ['lb1:', '  scp a b'] };
  const probe = {
    state: 'needed',
    summary: '',
    view: { nodes: [], refusedMacs: [], exposures: [], checks: [] },
    findings: [],
  } as const;
  const boot = after(wizardState({}, { screen: 'boot' }), { type: 'step/looked', step: 'boot', probe, plan });
  const intentOf = (state: typeof boot, key: string) =>
    bindingsOf(state).find(({ keys }) => keys.includes(key))?.intent;
  expect(intentOf(boot, 'w')).toEqual({ type: 'commands/write', lines: plan.instructions });
  expect(intentOf(boot, 'y')).toEqual({ type: 'commands/copy', commands: ['scp a b'] });
  expect(intentOf(nodes, 'y')).toEqual({ type: 'cell/copy', text: '172.16.0.11' });
  const copied = after(nodes, { type: 'cell/copy', text: '172.16.0.11' });
  expect(copied.notice?.text).toContain('172.16.0.11: sent to the clipboard');
});

/** Answers of a question are a meaning of their own: it shows them. */
const ANSWERS = new Set(['y', 'n']);
const isQuestion = (bindings: readonly Binding<Intent>[]) =>
  bindings.some(({ keys }) => keys.includes('y')) && bindings.some(({ keys }) => keys.includes('n'));

test('one key has one meaning: letters come from their table alone, each under one name', () => {
  const letters: readonly string[] = Object.values(LETTERS);
  expect(letters.filter((letter, index) => letters.indexOf(letter) !== index)).toEqual([]);
  // A second key for the same: the sign under `+`, and the bar that chooses.
  const known = new Set([...letters, '=', ' ']);
  for (const [name, state] of Object.entries(ALL)) {
    const bindings = bindingsOf(state);
    for (const key of keysOf(bindings))
      if (key.length === 1 && !(isQuestion(bindings) && ANSWERS.has(key)))
        expect(known, `${name}: ${key}`).toContain(key);
  }
  const typed = readdirSync(SCREENS_DIR, { recursive: true, encoding: 'utf8' }).flatMap((file) =>
    /\.tsx?$/.test(file)
      ? (readFileSync(join(SCREENS_DIR, file), 'utf8').match(
          /^.*\bkeys: [^\n]*?\['[^' =]'.*$|^.*\bkeys: [^\n]*?, '[^' =]'.*$/gm,
        ) ?? [])
      : [],
  );
  expect(typed.filter((line) => !/'[yn]'\]|\['[yn]'/.test(line))).toEqual([]);
});

test('no sentence calls a letter by itself: it names what the letter does, and so says the right one', () => {
  const said = readdirSync(WORDS_DIR, { recursive: true, encoding: 'utf8' }).flatMap((file) =>
    /\.ts$/.test(file)
      ? (
          readFileSync(join(WORDS_DIR, file), 'utf8').match(
            /(?<=[.:;,(] |`)[b-zB-HJ-Z] [a-z]+s\b|[Pp]ress [a-zA-Z]\b(?!-)|(?<=page |it )\([a-zA-Z]\)/g,
          ) ?? []
        ).map((what) => `${file}: ${what}`)
      : [],
  );
  expect(said).toEqual([]);
});
