import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import type { ScreenEntry } from '../../src/plain/screen-text-model.ts';
import type { Binding } from '../../src/rows/bindings.ts';
import type { PageRow, Viewport } from '../../src/rows/page-rows.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import type { ScreenId, WizardState } from '../../src/wizard/state.ts';
import { findNextOption, type KeyEvent } from '../../src/wizard/text-input.ts';

const keys = () => catalogue().screens.keys;

/** Creates the keys that work on every screen. `?` opens help only where no text is typed. */
export function createCommonBindings(options: { readonly isTyping: boolean }): Binding<Intent>[] {
  return [
    { keys: ['escape'], label: keys().back, intent: { type: 'screen/back' } },
    {
      keys: options.isTyping ? ['ctrl-g'] : [SHORTCUTS.help, 'ctrl-g'],
      label: keys().help,
      staysVisible: 'help',
      intent: { type: 'overlay/open', overlay: 'help' },
    },
    {
      keys: ['ctrl-s'],
      label: keys().quit,
      shortLabel: keys().quitShort,
      intent: { type: 'session/quit' },
      ...(options.isTyping ? { staysVisible: true } : {}),
    },
    {
      keys: options.isTyping ? ['ctrl-p'] : [SHORTCUTS.goTo, 'ctrl-p'],
      label: keys().goTo,
      intent: { type: 'palette/open' },
    },
    // Hidden, because the palette goes to each page, too.
    { keys: ['ctrl-t'], label: keys().list, intent: { type: 'sidebar/open' }, isHidden: true },
    { keys: ['ctrl-c'], label: keys().quit, intent: { type: 'overlay/open', overlay: 'quit' }, isHidden: true },
    ...(options.isTyping
      ? []
      : [
          {
            keys: [SHORTCUTS.close],
            label: keys().quit,
            intent: { type: 'overlay/open', overlay: 'leave' } as const,
            isHidden: true,
          },
        ]),
  ];
}

/**
 * Returns the key that accepts every answer up to the review. On a page opened from the review, the key returns to the
 * review.
 */
export function createReviewBindings({ correctionPath }: Pick<WizardState, 'correctionPath'>): Binding<Intent>[] {
  return correctionPath === null
    ? [{ keys: ['ctrl-r'], label: keys().toReviewNow, intent: { type: 'screen/to-review' } }]
    : [{ keys: ['ctrl-r'], label: keys().toReviewNow, intent: { type: 'screen/next' }, isHidden: true }];
}

/** Creates the keys to quit from a page on which text is typed. */
export function createQuitBindings(): Binding<Intent>[] {
  return [
    { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } },
    { keys: ['ctrl-c'], label: keys().quit, intent: { type: 'overlay/open', overlay: 'quit' }, isHidden: true },
  ];
}

/** How keys move the cursor in a list, or scroll a text. */
interface ListBindingOptions<I> {
  readonly label: string;
  /** @param by rows downwards */
  readonly toIntent: (by: number) => I;
  /** Rows of a page. */
  readonly pageRows?: number;
  /** Rows of one step of the mouse wheel. */
  readonly wheelRows?: number;
  /** Tab and Shift-Tab also move down and up. */
  readonly hasTab?: boolean;
  /** Text is typed beside the list: Home and End move the text cursor. */
  readonly isTyping?: boolean;
}

/**
 * Creates all movement keys: by row, by page, to either end, and with the mouse wheel. Every list and every text uses
 * them.
 */
export function createListBindings<I>(options: ListBindingOptions<I>): Binding<I>[] {
  const { label, toIntent, pageRows = 10, wheelRows = 1, hasTab = false, isTyping = false } = options;
  const wheelDownKeys = wheelRows === 1 ? ['wheel-down'] : [];
  const wheelUpKeys = wheelRows === 1 ? ['wheel-up'] : [];
  return [
    { keys: ['down', ...(hasTab ? ['tab'] : []), ...wheelDownKeys], label, intent: toIntent(1), isHidden: true },
    { keys: ['up', ...(hasTab ? ['shift-tab'] : []), ...wheelUpKeys], label, intent: toIntent(-1), isUpAndDown: true },
    { keys: ['page-down'], label: keys().page, intent: toIntent(pageRows), isHidden: true },
    { keys: ['page-up'], label: keys().page, intent: toIntent(-pageRows), isHidden: true },
    ...(isTyping
      ? []
      : [
          { keys: ['home'], label: keys().ends, intent: toIntent(-BEYOND_ANY_LIST), isHidden: true },
          { keys: ['end'], label: keys().ends, intent: toIntent(BEYOND_ANY_LIST), isHidden: true },
        ]),
    ...(wheelRows === 1
      ? []
      : [
          { keys: ['wheel-down'], label: keys().lines(wheelRows), intent: toIntent(wheelRows), isHidden: true },
          { keys: ['wheel-up'], label: keys().lines(wheelRows), intent: toIntent(-wheelRows), isHidden: true },
        ]),
  ];
}

/** Creates the keys that move in a list with a selected row: arrows, Page Up and Down, Home and End. */
export function createMoveBindings(
  label: string,
  toIntent: (by: number) => Intent,
  pageRows: number,
): Binding<Intent>[] {
  return createListBindings({ label, toIntent, pageRows });
}

/** The part of a text that is visible: the keys need it to scroll. */
export interface ScrollRange {
  /** The first visible line. */
  readonly top: number;
  /** The first line of the last page. */
  readonly lastTop: number;
}

/**
 * Extends an upward distance by the lines that `top` is beyond the last page, so that a single key press moves the
 * text.
 */
export const skipExcess = (by: number, { top, lastTop }: ScrollRange) =>
  by < 0 ? by - Math.max(0, top - lastTop) : by;

/** Returns the rows that a page key scrolls: one less than are visible, so that one stays for orientation. */
export const getPageRows = (visibleRows: number) => Math.max(1, visibleRows - 1);

/** Creates the keys that scroll a text, which has no selected line. */
export function createTextScrollBindings(toIntent: (by: number) => Intent, visibleRows: number): Binding<Intent>[] {
  return createListBindings({
    label: keys().row,
    toIntent,
    pageRows: getPageRows(visibleRows),
    wheelRows: WHEEL_LINES,
  });
}

/** Lines per step of the mouse wheel, as in terminals. */
export const WHEEL_LINES = 3;

/** Returns the undo keys of an overlay: Ctrl-Z, and the undo letter where no text is typed. */
export function createOverlayUndoBindings(options: { readonly isTyping: boolean }): Binding<Intent>[] {
  const names = options.isTyping ? ['ctrl-z'] : [SHORTCUTS.undo, 'ctrl-z'];
  return [{ keys: names, label: keys().undoLast, intent: { type: 'overlay/undo' } }];
}

/**
 * Returns the distance to the next option that begins with the typed letter, for lists without letter keys of their
 * own.
 */
export function getJumpDistance(labels: readonly string[], index: number, event: KeyEvent): number {
  return event.kind === 'char' ? findNextOption(labels, index, event.text) - index : 0;
}

/** More rows than any list has: the move stops at the end. */
const BEYOND_ANY_LIST = 1_000_000;

/** Lines of the details that Right or Left scrolls. */
const PAGE_LINES = 8;

/** Creates the keys Right and Left, which scroll the details of the selected row (`count` lines). */
export function createScrollBindings(count: number, range: ScrollRange, page = PAGE_LINES): Binding<Intent>[] {
  if (count === 0) return [];
  const scroll = (by: number): Intent => ({ type: 'row/scroll', by: skipExcess(by, range), count });
  return [
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(page), isHidden: range.lastTop === 0 },
    { keys: ['left', SHORTCUTS.pageBack], label: keys().readBack, intent: scroll(-page), isHidden: true },
  ];
}

/** A screen: shows the state as rows, and binds keys to intents. It has no side effects. */
export interface Screen {
  readonly id: ScreenId;
  /** The breadcrumb of the title line: `Design > Networks`. */
  readonly breadcrumb: () => string;
  /** The keys that work now, the most important first. Scroll keys depend on the viewport in which `rows` draws. */
  readonly bindings: (state: WizardState, viewport: Viewport) => readonly Binding<Intent>[];
  /** The intent of an unbound key, usually text for the focused field. */
  readonly onText?: (state: WizardState, event: KeyEvent, viewport: Viewport) => Intent | null;
  /** The paragraphs of the help page (Ctrl-G). */
  readonly help: (state: WizardState) => readonly string[];
  readonly rows: (state: WizardState, viewport: Viewport) => readonly PageRow[];
  /**
   * Lists the lines that plain mode prints on entering the page; by default, the first paragraph of its help.
   * @param getText the page as text
   */
  readonly intro?: (state: WizardState, getText: () => readonly string[]) => readonly string[];
  /** Lists the lines that plain mode prints once the step of the page is done; missing: only its summary. */
  readonly doneText?: (state: WizardState) => readonly string[];
  /** The ways to continue, if the page is a list of them. */
  readonly entries?: (state: WizardState) => readonly ScreenEntry[];
  /** The state in which the page shows its whole log. */
  readonly openLog?: (state: WizardState) => WizardState;
}

/**
 * Caches the last result for each state, because the keys need the same layout as the drawing.
 * @param compute pure
 */
export function memoizePerState<Result>(compute: (state: WizardState, viewport: Viewport) => Result) {
  const cache = new WeakMap<WizardState, { readonly viewport: Viewport; readonly result: Result }>();
  return (state: WizardState, viewport: Viewport): Result => {
    const entry = cache.get(state);
    if (entry && isSameViewport(entry.viewport, viewport)) return entry.result;
    const result = compute(state, viewport);
    cache.set(state, { viewport, result });
    return result;
  };
}

const isSameViewport = (a: Viewport, b: Viewport) =>
  a.columns === b.columns &&
  a.rows === b.rows &&
  a.terminalColumns === b.terminalColumns &&
  a.hasUnicode === b.hasUnicode &&
  a.canAnimate === b.canAnimate;
