import type { StepId } from '../steps/contract.ts';
import { catalogue } from '../text/catalogue.ts';
import { reviewProblems } from '../wizard/design/review.ts';
import { documentNodes } from '../wizard/design/update-nodes.ts';
import type { Intent } from '../wizard/intents.ts';
import { FROM_THE_END } from '../wizard/live/reading.ts';
import { isStep, type WizardState } from '../wizard/state.ts';
import type { Choice, PlainFace } from './face.ts';
import type { Item } from './turn.ts';

const words = () => catalogue().plain;

/** Keys that move through what a screen shows at once, and those for which the menu has entries of its own. */
const NOT_HERE =
  /^(?:commands|cell)\/copy$|^(?:row|log|palette|rail)\/|^(?:review|help)\/(?:scroll|move)$|^(?:welcome|node|import|choice|field)\/(?:move|fill-move)$|^node\/fill-move$|^overlay\/open$|^screen\/back$|^field\//;
/** They are about the selected node of the table. */
const OF_A_NODE = new Set(['node/edit', 'node/duplicate', 'node/delete', 'node/fill-open']);

const doing = (...intents: readonly Intent[]) => ({ kind: 'do', intents }) as const;

/** Everything that a person can do on this screen, the usual next thing first. */
export function menuOf(state: WizardState, face: PlainFace): Item[] {
  const entries = face
    .entries(state)
    .map(({ label, intents }): Item => ({ label, letter: null, act: doing(...intents) }));
  const choices = entries.length > 0 ? [] : usableChoices(face.choices(state));
  const own = isStep(state.screen) && state.overlay === null ? rowItems(state, face) : [];
  const known = new Set(own.map(({ letter }) => letter));
  return [
    ...entries,
    ...choices.filter(({ keys }) => !known.has(letterOf(keys) ?? '')).flatMap((choice) => itemsOf(choice, state)),
    ...own,
    ...(state.overlay === null ? showItems(state, face) : []),
    ...(state.overlay === null && state.screen !== 'welcome'
      ? [{ label: words().menu.back, letter: words().signs.back, act: doing({ type: 'screen/back' }) }]
      : []),
    ...(state.overlay === null ? [] : closing(state)),
    { label: words().menu.leave, letter: words().signs.leave, act: doing({ type: 'session/quit' }) },
  ];
}

/** Closes what lies over the screen, unless it is about leaving, which has choices of its own. */
function closing({ overlay }: WizardState): Item[] {
  if (overlay?.kind === 'quit' || overlay?.kind === 'unsaved') return [];
  const close: Intent = overlay?.kind === 'import' ? { type: 'import/close' } : { type: 'overlay/close' };
  return [{ label: words().menu.back, letter: words().signs.back, act: doing(close) }];
}

function usableChoices(choices: readonly Choice[]): Choice[] {
  return choices.filter(({ keys, intent, disabled }) => {
    if (disabled !== undefined || intent === null || NOT_HERE.test(intent.type)) return false;
    // The last entry leaves, wherever a person is; only where Enter does it too, it is the usual next thing.
    return intent.type !== 'session/quit' || keys.includes('enter');
  });
}

function itemsOf(choice: Choice, state: WizardState): Item[] {
  const { intent, label } = choice;
  if (intent === null) return [];
  const item = { label, letter: letterOf(choice.keys) };
  if (intent.type === 'review/jump') return [{ ...item, act: { kind: 'pick', items: () => problemItems(state) } }];
  if (OF_A_NODE.has(intent.type)) return [{ ...item, act: { kind: 'pick', items: () => nodeItems(state, intent) } }];
  if (intent.type === 'overlay/close' && state.overlay?.kind === 'page') return [];
  return [{ ...item, act: doing(intent) }];
}

/** The letter by which sentences on the screens name a key. */
function letterOf(keys: readonly string[]): string | null {
  return keys.find((key) => /^[a-zA-Z]$/.test(key)) ?? null;
}

function problemItems(state: WizardState): Item[] {
  return reviewProblems(state).map(({ subject, message }, row) => ({
    label: [...subject, message].join(': '),
    letter: null,
    act: doing({ type: 'review/move', by: row - state.reviewRow }, { type: 'review/jump' }),
  }));
}

function nodeItems(state: WizardState, intent: Intent): Item[] {
  return documentNodes(state).map(({ name, role, ip }, row) => ({
    label: [name, role, ip]
      .flat()
      .map((part) => String(part ?? ''))
      .join('  '),
    letter: null,
    act: doing({ type: 'node/move', by: row - state.nodes.row }, intent),
  }));
}

/** What can be done with single parts of a step: on the screens with the key of the selected row, here with all of them. */
function rowItems(state: WizardState, face: PlainFace): Item[] {
  const { screen } = state;
  if (!isStep(screen)) return [];
  const rows = Math.max(1, rowCount(face.choices(state)));
  const found = new Map<string, { letter: string | null; rows: number; intents: Map<string, Intent> }>();
  for (let row = 0; row < rows; row += 1) {
    for (const { keys, label, intent } of usableChoices(face.choices(withRow(state, screen, row)))) {
      if (intent === null || !('subject' in intent) || intent.subject === undefined) continue;
      const group = found.get(label) ?? { letter: letterOf(keys), rows: 0, intents: new Map<string, Intent>() };
      group.rows += 1;
      group.intents.set(intent.subject, intent);
      found.set(label, group);
    }
  }
  return [...found].map(([label, group]) => {
    const { letter, intents } = group;
    const parts = () => {
      const text = face.text(state);
      return [...intents].map(([subject, intent]): Item => {
        return { label: lineAbout(subject, text), letter: null, act: doing(intent) };
      });
    };
    if (intents.size > 1) return { label, letter, act: { kind: 'pick', items: parts } };
    // What only some rows offer is about a row, and has to name it.
    const name = group.rows < rows ? `: ${parts()[0]?.label ?? ''}` : '';
    return { label: `${label}${name}`, letter, act: doing(...intents.values()) };
  });
}

function withRow(state: WizardState, screen: StepId, row: number): WizardState {
  return { ...state, runs: { ...state.runs, [screen]: { ...state.runs[screen], row, top: 0 } } };
}

function rowCount(choices: readonly Choice[]): number {
  const counts = choices.map(({ intent }) => (intent?.type === 'row/move' ? intent.count : 0));
  return Math.max(0, ...counts);
}

/** The line in which the screen shows a part; its name where no line does. */
function lineAbout(subject: string, text: readonly string[]): string {
  const name =
    subject
      .split('/')
      .filter((part) => part !== '')
      .find((part) => !/^(?:events|missing)$/.test(part)) ?? subject;
  const line = text.find((each) => each.split(/[\s:,]+/).includes(name));
  return line?.replace(/^\s*>?\s*/, '').replace(/\s+/g, ' ') ?? name;
}

/** What can be read: all that the screen shows, one part of it, what would change, the log, what the step is about. */
function showItems(state: WizardState, face: PlainFace): Item[] {
  const { menu, signs } = words();
  const say = (label: string, lines: () => readonly string[], letter: string | null = null): Item => ({
    label,
    letter,
    act: { kind: 'say', lines },
  });
  const changes = isStep(state.screen) && state.runs[state.screen].phase === 'ready' ? face.changes(state) : [];
  const rows = isStep(state.screen) && state.screen !== 'report' ? rowCount(face.choices(state)) : 0;
  return [
    ...(changes.length > 0 ? [say(menu.changes, () => changes)] : []),
    ...(state.screen === 'welcome' ? [] : [say(menu.everything, () => face.text(state))]),
    ...(rows > 1 ? [rowPicker(state, face, rows)] : []),
    ...(state.screen === 'bootstrap' ? [say(menu.log, () => face.text(withWholeLog(state)))] : []),
    say(menu.explain, () => face.help(state), signs.help),
  ];
}

/** Reads about one row; the row stays selected, as on the screens. */
function rowPicker(state: WizardState, face: PlainFace, rows: number): Item {
  const { screen } = state;
  const items = () =>
    Array.from({ length: rows }, (_, row): Item => {
      const there = isStep(screen) ? withRow(state, screen, row) : state;
      return { label: selectedLine(there, face), letter: null, act: { kind: 'say', lines: () => face.text(there) } };
    });
  return { label: words().menu.oneOfThem, letter: null, act: { kind: 'pick', items } };
}

/** The line with the mark of the selection. */
function selectedLine(state: WizardState, face: PlainFace): string {
  return (
    face
      .text(state)
      .find((line) => /^\s*>\s/.test(line))
      ?.replace(/^\s*>\s*/, '')
      .replace(/\s+/g, ' ') ?? ''
  );
}

function withWholeLog(state: WizardState): WizardState {
  const run = { ...state.runs.bootstrap, reading: { ...FROM_THE_END, isWhole: true } };
  return { ...state, runs: { ...state.runs, bootstrap: run } };
}
