import { catalogue } from '../text/catalogue.ts';
import { wrapLines } from '../text/width.ts';
import type { Intent } from '../wizard/intents.ts';
import type { WizardState } from '../wizard/state.ts';
import type { WizardStore } from '../wizard/store.ts';
import type { PlainFace } from './face.ts';
import type { LineInput } from './line-input.ts';
import { NOTHING_TOLD, newsSince } from './news.ts';
import { toldLines } from './told-lines.ts';
import type { Item, Turn } from './turn.ts';
import { goneTo, turnOf, waitingMenu } from './turns.ts';

const words = () => catalogue().plain;

export interface DialogOptions {
  readonly store: WizardStore;
  readonly face: PlainFace;
  readonly input: LineInput;
  readonly write: (text: string) => void;
  /** Sentences are folded to it. Indented lines hold tables and commands to copy: those stay whole. */
  readonly columns: number;
  /** Settles when the person has left. */
  readonly ended: Promise<unknown>;
  /** Calls back when the terminal was somebody else's meanwhile: the question has to be seen again. */
  readonly onReturn?: (again: () => void) => void;
}

/**
 * Leads a person through the wizard line by line, for screen readers, serial lines and dumb terminals: says what changed, once,
 * and asks with numbered choices. It draws nothing twice, and moves no cursor. The state, and what can be done, are those of the
 * screens. Ends with `ended`, or with the input.
 */
export async function converse({ store, face, input, write, columns, ended, onReturn }: DialogOptions): Promise<void> {
  const print = (told: string) => {
    for (const line of toldLines(told)) write(`${line.startsWith(' ') ? line : wrapLines(line, columns).join('\n')}\n`);
  };
  let told = NOTHING_TOLD;
  /** The prompt that stands at the end of the output. */
  let standing: string | null = null;
  let lastIntro = '';
  let lastWait: string | null = null;
  /** A menu within the turn: what Enter opened while something runs, or which one of several. */
  let inner: Extract<Turn, { kind: 'menu' }> | null = null;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const say = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    if (standing !== null) write('\n');
    standing = null;
    lines.forEach(print);
  };
  const ask = (turn: Turn) => {
    if (turn.kind === 'wait') {
      if (turn.said !== null && turn.said !== lastWait) say([words().doing(turn.said)]);
      lastWait = turn.said ?? lastWait;
      return;
    }
    lastWait = null;
    const intro = turn.kind === 'menu' ? menuLines(turn) : [turn.id, ...turn.intro];
    const prompt = turn.kind === 'menu' ? words().choose : turn.prompt;
    const key = intro.join('\n');
    if (key !== lastIntro) {
      say(turn.kind === 'menu' ? intro : turn.intro);
      lastIntro = key;
    }
    if (standing !== prompt) write(prompt);
    standing = prompt;
  };
  const perform = (intents: readonly Intent[]) => {
    const { screen, nodes, overlay } = store.getState();
    for (const intent of intents) {
      store.dispatch(intent);
      const now = store.getState();
      // What follows was meant for where the person was.
      if (
        now.screen !== screen ||
        (now.nodes.edit === null) !== (nodes.edit === null) ||
        now.overlay?.kind !== overlay?.kind
      )
        break;
    }
  };
  const choose = (items: readonly Item[], line: string) => {
    const item = chosen(items, line);
    if (item === null) return say([words().chooseOne(items.length)]);
    inner = null;
    switch (item.act.kind) {
      case 'do':
        lastIntro = '';
        return perform(item.act.intents);
      case 'say':
        return say(item.act.lines());
      case 'pick': {
        const back: Item = { label: words().menu.back, letter: words().signs.back, act: { kind: 'nothing' } };
        inner = { kind: 'menu', title: [item.label], items: [...item.act.items(), back] };
        return;
      }
      case 'nothing':
        lastIntro = '';
    }
  };
  onReturn?.(() => {
    if (standing !== null) write(`\n${standing}`);
  });
  while (!isOver) {
    const state = store.getState();
    const before = told.state;
    const news = newsSince(told, state, face);
    told = news.told;
    if (isElsewhere(before, state)) inner = null;
    say(news.lines);
    const turn: Turn = inner ?? turnOf(state, face);
    ask(turn);
    if (turn.kind === 'wait' && turn.said === null) {
      await Promise.race([changeOf(store, state), ended]);
      continue;
    }
    const isTyped = await Promise.race([
      input.ready().then(() => true),
      changeOf(store, state).then(() => false),
      ended.then(() => false),
    ]);
    if (!isTyped) continue;
    const line = input.take();
    if (line === null) return;
    standing = null;
    const gone = goneTo(state, line);
    if (gone !== null) {
      inner = null;
      lastIntro = '';
      if ('say' in gone) say(gone.say);
      else perform(gone.intents);
    } else if (turn.kind === 'wait') {
      const waiting = waitingMenu(state, face);
      inner = waiting.kind === 'menu' ? waiting : null;
    } else if (turn.kind === 'menu') choose(turn.items, line);
    else {
      const answer = turn.accept(line);
      if ('say' in answer) say(answer.say);
      else perform(answer.intents);
    }
  }
}

/** The person is somewhere else now: a menu from before has nothing to say here. */
function isElsewhere(before: WizardState | null, { screen, overlay, runs }: WizardState): boolean {
  if (before === null) return false;
  const phase = (state: Pick<WizardState, 'runs'>) =>
    screen in state.runs ? state.runs[screen as keyof typeof runs].phase : null;
  return before.screen !== screen || before.overlay?.kind !== overlay?.kind || phase(before) !== phase({ runs });
}

function menuLines({ title, items }: Extract<Turn, { kind: 'menu' }>): string[] {
  const lines = items.map(({ label, letter }, index) =>
    words().numbered(index + 1, letter === null ? label : words().lettered(label, letter)),
  );
  return ['', ...title, ...lines];
}

/** By its number, its letter or its name; an empty line is the first. */
function chosen(items: readonly Item[], line: string): Item | null {
  const text = line.trim();
  if (text === '') return items[0] ?? null;
  if (/^\d+$/.test(text)) return items[Number(text) - 1] ?? null;
  return items.find(({ letter }) => letter === text) ?? items.find(({ label }) => label === text) ?? null;
}

/** Resolves when the state is no longer this one. */
function changeOf(store: WizardStore, state: WizardState): Promise<void> {
  return new Promise((resolve) => {
    if (store.getState() !== state) return resolve();
    const stop = store.subscribe(() => {
      stop();
      resolve();
    });
  });
}
