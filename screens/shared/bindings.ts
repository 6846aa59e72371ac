import { catalogue } from '../../src/text/catalogue.ts';
import { LETTERS } from '../../src/text/letters.ts';
import { drawnText } from '../../src/ui/components/text-views.tsx';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import type { KeyEvent } from '../../src/wizard/typing/key-event.ts';
import { nextOption } from '../../src/wizard/typing/type-ahead.ts';

const keys = () => catalogue().screens.keys;

/** Keys that work on every screen. `?` opens help only where no text is typed. */
export function commonBindings(options: { readonly isTyping: boolean }): Binding<Intent>[] {
  return [
    { keys: ['escape'], label: keys().back, intent: { type: 'screen/back' } },
    {
      keys: options.isTyping ? ['ctrl-g'] : ['ctrl-g', LETTERS.help],
      label: keys().help,
      intent: { type: 'overlay/open', overlay: 'help' },
    },
    { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } },
    {
      keys: options.isTyping ? ['ctrl-p'] : [LETTERS.goTo, 'ctrl-p'],
      label: keys().goTo,
      intent: { type: 'palette/open' },
    },
    { keys: ['ctrl-t'], label: keys().list, intent: { type: 'rail/open' } },
    { keys: ['ctrl-c'], label: keys().quit, intent: { type: 'overlay/open', overlay: 'quit' }, hidden: true },
  ];
}

/** Leaving, over a page where text is typed. */
export function overlayQuit(): Binding<Intent>[] {
  return [
    { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } },
    { keys: ['ctrl-c'], label: keys().quit, intent: { type: 'overlay/open', overlay: 'quit' }, hidden: true },
  ];
}

/** How the cursor moves in a list, or a text in its window. */
interface Moving<I> {
  readonly label: string;
  /** @param by rows downwards */
  readonly make: (by: number) => I;
  /** Rows of a page. */
  readonly page?: number;
  /** Rows of one step of the mouse wheel. */
  readonly wheel?: number;
  /** Tab and Shift-Tab go down and up as well. */
  readonly hasTab?: boolean;
  /** Text is typed beside the list: Home and End are of its caret. */
  readonly isTyping?: boolean;
}

/** Every key that moves: by a row, by a page, to either end, and the mouse wheel. No list and no text has others. */
export function listBindings<I>(moving: Moving<I>): Binding<I>[] {
  const { label, make, page = 10, wheel = 1, hasTab = false, isTyping = false } = moving;
  const down = wheel === 1 ? ['wheel-down'] : [];
  const up = wheel === 1 ? ['wheel-up'] : [];
  return [
    { keys: ['down', ...(hasTab ? ['tab'] : []), ...down], label, intent: make(1), hidden: true },
    { keys: ['up', ...(hasTab ? ['shift-tab'] : []), ...up], label, intent: make(-1) },
    { keys: ['page-down'], label: keys().page, intent: make(page), hidden: true },
    { keys: ['page-up'], label: keys().page, intent: make(-page), hidden: true },
    ...(isTyping
      ? []
      : [
          { keys: ['home'], label: keys().ends, intent: make(-FAR), hidden: true },
          { keys: ['end'], label: keys().ends, intent: make(FAR), hidden: true },
        ]),
    ...(wheel === 1
      ? []
      : [
          { keys: ['wheel-down'], label: keys().lines(wheel), intent: make(wheel), hidden: true },
          { keys: ['wheel-up'], label: keys().lines(wheel), intent: make(-wheel), hidden: true },
        ]),
  ];
}

/** Up and Down, by one and by a page, in a list with a selected row. */
export function moveBindings(label: string, make: (by: number) => Intent, page: number): Binding<Intent>[] {
  return listBindings({ label, make, page });
}

/** The same in a text, whose lines nobody selects. */
export function readBindings(make: (by: number) => Intent): Binding<Intent>[] {
  return listBindings({ label: keys().row, make, wheel: WHEEL_LINES });
}

/** The keys of a page of about `count` lines that is read from `top` on. */
export function pageTurning(top: number, count: number): Binding<Intent>[] {
  // How many lines it has is known where it is drawn: nobody turns back from beyond its end.
  const beyond = () => Math.max(0, top - drawnText.last);
  return readBindings((by) => ({ type: 'help/scroll', by: by < 0 ? by - beyond() : by, count: Math.max(1, count) }));
}

/** Lines of a text for one step of the wheel, as terminals have it. */
export const WHEEL_LINES = 3;

/** Takes back what was done in what lies over the screen; where no text is typed, by its letter too. */
export function overlayUndo(options: { readonly isTyping: boolean }): Binding<Intent>[] {
  const names = options.isTyping ? ['ctrl-z'] : [LETTERS.undo, 'ctrl-z'];
  return [{ keys: names, label: keys().undoLast, intent: { type: 'overlay/undo' } }];
}

/** How far a letter moves the cursor in a list without letters of its own: to the next option that begins with it. */
export function jumpBy(labels: readonly string[], index: number, event: KeyEvent): number {
  return event.kind === 'char' ? nextOption(labels, index, event.text) - index : 0;
}

/** About as many lines as these texts take in a narrow window: reading on always reaches the last of them. */
export const linesAbout = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + 1 + Math.floor(text.length / 40), 0);

/** More than any list has: a move stops at the end. */
export const FAR = 1_000_000;

/** How many lines one press reads on. */
const PAGE = 8;

/** Right and Left read on and back in what the selected row shows, which has `count` lines. */
export function scrollBindings(count: number, page = PAGE): Binding<Intent>[] {
  if (count === 0) return [];
  const scroll = (by: number): Intent => ({ type: 'row/scroll', by, count });
  return [
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(page) },
    { keys: ['left', LETTERS.readBack], label: keys().readBack, intent: scroll(-page), hidden: true },
  ];
}
