import { catalogue } from '../../src/text/catalogue.ts';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import type { Intent } from '../../src/wizard/intents.ts';

const keys = () => catalogue().screens.keys;

/** Keys that work on every screen. `?` opens help only where no text is typed. */
export function commonBindings(options: { readonly isTyping: boolean }): Binding<Intent>[] {
  return [
    { keys: ['escape'], label: keys().back, intent: { type: 'screen/back' } },
    {
      keys: options.isTyping ? ['ctrl-g'] : ['ctrl-g', '?'],
      label: keys().help,
      intent: { type: 'overlay/open', overlay: 'help' },
    },
    { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } },
    { keys: options.isTyping ? ['ctrl-p'] : [':', 'ctrl-p'], label: keys().goTo, intent: { type: 'palette/open' } },
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

/** Up and Down, by one and by a page. */
export function moveBindings(label: string, make: (by: number) => Intent, page: number): Binding<Intent>[] {
  return [
    { keys: ['down'], label, intent: make(1), hidden: true },
    { keys: ['up'], label, intent: make(-1) },
    { keys: ['page-down'], label: keys().page, intent: make(page), hidden: true },
    { keys: ['page-up'], label: keys().page, intent: make(-page), hidden: true },
    { keys: ['home'], label: keys().ends, intent: make(-FAR), hidden: true },
    { keys: ['end'], label: keys().ends, intent: make(FAR), hidden: true },
  ];
}

/** More than any list has: a move stops at the end. */
const FAR = 1_000_000;

/** How many lines one press reads on. */
const PAGE = 8;

/** Right and Left read on and back in what the selected row shows, which has `count` lines. */
export function scrollBindings(count: number, page = PAGE): Binding<Intent>[] {
  const scroll = (by: number): Intent => ({ type: 'row/scroll', by, count });
  return [
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(page) },
    { keys: ['left', 'b'], label: keys().readBack, intent: scroll(-page), hidden: true },
  ];
}
