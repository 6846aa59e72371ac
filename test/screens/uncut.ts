// What the tests of cut text share: the screens at three sizes, what their bodies show, and pages read to their end.
import { bindingsOf } from '../../screens/app/app.tsx';
import { SCREENS } from '../../screens/app/registry.ts';
import { hasRail, railOf } from '../../screens/shared/rail.ts';
import { frameArea } from '../../src/ui/components/app-frame.tsx';
import type { Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';

export const SIZES = [
  [60, 20],
  [80, 24],
  [120, 40],
] as const;
export type Size = (typeof SIZES)[number];

let app: WizardApp | undefined;
let sizeNow: Size = SIZES[0];

export async function closeApp(): Promise<void> {
  await app?.unmount();
  app = undefined;
}

export async function shown(state: WizardState, size: Size): Promise<string[]> {
  const [cols, rows] = size;
  if (app && size !== sizeNow) await app.resize(cols, rows);
  if (app) await app.become(state);
  else app = await mountWizard(state, { cols, rows });
  sizeNow = size;
  return app.lines();
}

/** Types into what was shown last. */
export async function press(keys: string): Promise<void> {
  await app?.press(keys);
}

export const lines = (): string[] => app?.lines() ?? [];

/** The lines of the screen itself, without the frame and the list at the left. */
export function bodyOf(state: WizardState, lines: readonly string[], [columns, rows]: Size): string[] {
  const rail = hasRail(state, columns, SCREENS[state.screen]) ? railOf(state) : [];
  const { columns: room } = frameArea({ columns, rows }, rail);
  return withoutAside(lines.slice(2, -2).map((line) => line.slice(columns - 1 - room)));
}

/** Without the help that stands beside a body behind bars in one column. */
function withoutAside(body: readonly string[]): string[] {
  const from = body.findIndex((line) => line.includes(' | '));
  const column = body[from]?.lastIndexOf(' | ') ?? -1;
  const isAside = column >= 0 && body.slice(from, from + 4).every((line) => line.startsWith(' |', column));
  return isAside
    ? body.map((line) => (line.startsWith(' |', column) ? line.slice(0, column).trimEnd() : line))
    : [...body];
}

/** A text without what wrapping changes. */
export const squeezed = (text: string) => text.replaceAll(/\s+/g, '');

/** Lines put together as a shell does it: what it would not join stays apart. */
export const unfolded = (lines: readonly string[]) =>
  lines
    .join('\n')
    .replaceAll(/'\\\n\s*'|\\\n/g, '')
    .replaceAll(/[^\S\n]+/g, '');

/** Every line that a page has, read to its end. */
export async function readAll(
  state: WizardState,
  size: Size,
  open: Intent,
  scroll: (by: number) => Intent,
): Promise<string[]> {
  await shown(state, size);
  app?.store.dispatch(open);
  const seen: string[] = [];
  for (let before = ''; ; ) {
    await app?.settled();
    const whole = bodyOf(state, app?.lines() ?? [], size).slice(2);
    // The keys of the page stand under it.
    const body = whole.slice(
      0,
      whole.findLastIndex((line) => line.startsWith('Esc')),
    );
    if (body.join('\n') === before) return seen;
    before = body.join('\n');
    // The last page begins with lines of the one before.
    const overlap = body.findIndex(
      (_, index) => body.slice(0, body.length - index).join('\n') === seen.slice(index - body.length).join('\n'),
    );
    seen.push(...(overlap < 0 ? body : body.slice(body.length - overlap)));
    app?.store.dispatch(scroll(body.length));
  }
}

/** The help page, read to its end. */
export const helpOf = (state: WizardState, size: Size) =>
  readAll(state, size, { type: 'overlay/open', overlay: 'help' }, (by) => ({ type: 'help/scroll', by, count: 1000 }));

/** Nothing that is read here is longer. */
const MOST_FRAMES = 90;

/**
 * What a screen and what lies over it show while it is read on, frame by frame, a few lines at a time, until nothing new comes: a text
 * that is whole somewhere on the way is in one of them.
 * @param key the one that reads on there
 */
export async function framesOf(state: WizardState, size: Size, key: string): Promise<string[][]> {
  await shown(state, size);
  const intent = bindingsOf(state).find(({ keys }) => keys.includes(key))?.intent;
  const frames: string[][] = [];
  for (;;) {
    const body = bodyOf(state, app?.lines() ?? [], size);
    if (body.join('\n') === frames.at(-1)?.join('\n') || frames.length === MOST_FRAMES) return frames;
    frames.push(body);
    if (!intent || !('by' in intent)) return frames;
    app?.store.dispatch({ ...intent, by: Math.floor(size[1] / 8) } as Intent);
    await app?.settled();
  }
}
