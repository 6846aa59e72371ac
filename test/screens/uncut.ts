// Shared helpers of the tests for cut text: the screens at three sizes, their bodies, and pages read to their end.
import { getActiveBindings } from '../../screens/app/app.ts';
import { hasSidebar, listSidebarItems } from '../../screens/shared/aside.ts';
import { getPageViewport } from '../../src/rows/frame.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';

export const SIZES = [
  [60, 20],
  [80, 24],
  [120, 40],
] as const;
export type Size = readonly [columns: number, rows: number];

let app: WizardApp | undefined;
let currentSize: Size = SIZES[0];

export async function closeApp(): Promise<void> {
  await app?.unmount();
  app = undefined;
}

export async function renderState(state: WizardState, size: Size): Promise<string[]> {
  const [cols, rows] = size;
  if (app && size !== currentSize) await app.resize(cols, rows);
  if (app) await app.setState(state);
  else app = await mountWizard(state, { cols, rows });
  currentSize = size;
  return app.lines();
}

/** Types into the current screen. */
export async function pressKeys(keys: string): Promise<void> {
  await app?.press(keys);
}

export const getLines = (): string[] => app?.lines() ?? [];

/** Returns the lines of the screen itself, without the frame and the sidebar. */
export function getBody(state: WizardState, lines: readonly string[], size: Size): string[] {
  const [columns] = size;
  const { columns: bodyColumns } = getViewport(state, size);
  const end = columns - (columns < 120 ? 1 : 2);
  return moveRightColumn(lines.slice(2, -2).map((line) => line.slice(end - bodyColumns, end).trimEnd()));
}

function getViewport(state: WizardState, [columns, rows]: Size) {
  const sidebar = hasSidebar(state, columns) ? listSidebarItems(state) : [];
  return getPageViewport({ ...VIEWPORT, columns, rows }, sidebar);
}

/** Puts what stands beside a body, behind bars in one column, after it. */
function moveRightColumn(body: readonly string[]): string[] {
  const from = body.findIndex((line) => / [│▐] /.test(line));
  const column = Math.max(...[' │ ', ' ▐ '].map((edge) => body[from]?.lastIndexOf(edge) ?? -1));
  const isEdge = (line: string) => / [│▐]/.test(line.slice(column, column + 2));
  const hasHelpColumn = column >= 0 && body.slice(from, from + 4).every(isEdge);
  if (!hasHelpColumn) return [...body];
  const parts = body.map((line) => (isEdge(line) ? [line.slice(0, column), line.slice(column + 3)] : [line]));
  return [0, 1].flatMap((part) => parts.map((texts) => (texts[part] ?? '').trimEnd()));
}

/** Removes all white space, so that wrapping does not matter. */
export const stripSpaces = (text: string) => text.replaceAll(/\s+/g, '');

/** Joins lines as a shell does. Lines that a shell would not join stay separate. */
export const joinShellLines = (lines: readonly string[]) =>
  lines
    .join('\n')
    .replaceAll(/'\\\n\s*'|\\\n/g, '')
    .replaceAll(/[^\S\n]+/g, '');

/** Scrolls a page to its end and returns all of its lines. */
async function readAll(
  state: WizardState,
  size: Size,
  open: Intent,
  scroll: (by: number) => Intent,
): Promise<string[]> {
  await renderState(state, size);
  app?.store.dispatch(open);
  const result: string[] = [];
  for (let before = ''; ; ) {
    await app?.waitUntilDrawn();
    const page = getBody(state, app?.frame() ?? [], size).slice(2);
    // The keys of the page stand under it.
    const body = page.slice(
      0,
      page.findLastIndex((line) => line.startsWith('Esc')),
    );
    if (body.join('\n') === before) return result;
    before = body.join('\n');
    // The last page begins with lines of the one before.
    const overlap = body.findIndex(
      (_, index) => body.slice(0, body.length - index).join('\n') === result.slice(index - body.length).join('\n'),
    );
    result.push(...(overlap < 0 ? body : body.slice(body.length - overlap)));
    app?.store.dispatch(scroll(body.length));
  }
}

/** Reads the help page to its end. */
export const readHelp = (state: WizardState, size: Size) =>
  readAll(state, size, { type: 'overlay/open', overlay: 'help' }, (by) => ({ type: 'help/scroll', by, count: 1000 }));

/** A safety limit: no page in these tests is longer. */
const MAX_FRAMES = 90;

/**
 * Scrolls a screen, or its overlay, a few lines at a time and returns each frame, until nothing changes. A text that
 * fits in one frame is complete in one of them.
 * @param key the key that scrolls there
 */
export async function readFrames(state: WizardState, size: Size, key: string): Promise<string[][]> {
  await renderState(state, size);
  const intent = getActiveBindings(state, getViewport(state, size)).find(({ keys }) => keys.includes(key))?.intent;
  const frames: string[][] = [];
  for (;;) {
    const body = getBody(state, app?.frame() ?? [], size);
    if (body.join('\n') === frames.at(-1)?.join('\n') || frames.length === MAX_FRAMES) return frames;
    frames.push(body);
    if (!intent || !('by' in intent)) return frames;
    app?.store.dispatch({ ...intent, by: Math.floor(size[1] / 8) } as Intent);
    await app?.waitUntilDrawn();
  }
}
