import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import { formatTimeOfDay } from '../../src/platform/clock.ts';
import { fitToWidth, getDisplayWidth, truncate, wrapBeside } from '../../src/platform/text.ts';
import type { Binding } from '../../src/rows/bindings.ts';
import { createTextFieldRow } from '../../src/rows/form.ts';
import { createRow, getGlyphs, type PageRow, type Tone, type Viewport } from '../../src/rows/page-rows.ts';
import { markWindow } from '../../src/rows/scroll.ts';
import { createTextRows, type LongText, type TextLine } from '../../src/rows/text.ts';
import type { LogSnapshot, MarkedLogLine } from '../../src/steps/shared/installer/wait-for.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import { getTopLine, type LogPosition, type LogWindow } from '../../src/wizard/live/log-position.ts';
import type { KeyEvent } from '../../src/wizard/text-input.ts';
import { WHEEL_LINES } from './bindings.ts';
import type { DrawnBody } from './step/step-bindings.ts';

const words = () => catalogue().screens.bootstrap.log;
const keys = () => catalogue().screens.keys;

/**
 * Lays out a long log: a heading with the position, and the visible lines. Formats only the visible lines, however long
 * the log is.
 *
 *     Log, following
 *     10:41 noise   Still waiting for the Kubernetes API: … connection refused
 *     10:42 info    API v1.31.6 up
 * @param emptyText the text while there are no lines
 */
export function layOutLog(
  log: LogSnapshot,
  logPosition: LogPosition,
  emptyText: string,
  viewport: Viewport,
): DrawnBody {
  const { rows } = viewport;
  const { searchField } = logPosition;
  // A single row shows the newest line: a heading alone would be useless.
  const hasHeading = rows > 1 || searchField !== null;
  const lineRows = { ...viewport, rows: Math.max(0, rows - (hasHeading ? 1 : 0)) };
  const { startIndex, count, lines } = logPosition.isFullPage
    ? wrapLogLines(log, logPosition, lineRows)
    : truncateLogLines(log, logPosition, lineRows);
  if (rows <= 0) return { rows: [], logRows: count };
  const prompt = createSearchPrompt(logPosition, viewport);
  const heading = createRow(formatPosition(log, logPosition), 'muted');
  const firstLine = log.firstNumber + startIndex;
  const total = log.firstNumber + log.lines.length;
  const window = { first: firstLine, end: firstLine + count, total, hasWrappedLines: logPosition.isFullPage };
  const shownRows = markWindow(createTextRows({ lines, top: 0, emptyText }, lineRows), window);
  return {
    rows: [...(hasHeading ? [prompt === null ? heading : { ...heading, prompt }] : []), ...shownRows],
    // Away from the end, where no lines are folded, each line takes a row.
    logRows: logPosition.isFullPage ? count : Math.max(1, lineRows.rows),
  };
}

/** Creates the row in which the search text is typed; null if no search is open. */
function createSearchPrompt({ searchField }: LogPosition, viewport: Viewport): PageRow | null {
  if (searchField === null) return null;
  const width = Math.max(4, viewport.columns - getDisplayWidth(words().searchPrompt));
  return createTextFieldRow({ text: words().searchPrompt, tone: 'accent' }, searchField, viewport, { width });
}

/**
 * Lays out a complete text that can be searched. The frame shows the search or its result, so that no line of the text
 * moves.
 * @param options the key that scrolls the text (by default Down), and how a visible line changes before it is drawn
 */
export function layOutText(
  lines: readonly TextLine[],
  position: LogPosition,
  viewport: Viewport,
  options: Pick<LongText, 'decorate' | 'key'> = {},
): { readonly rows: readonly PageRow[]; readonly text: LogWindow } {
  const prompt =
    createSearchPrompt(position, viewport) ??
    (position.query === '' ? null : createRow(formatSearchResult(position), 'muted'));
  const window = { lines, firstNumber: 0, rows: Math.max(1, viewport.rows) };
  const top = getTopLine(position, window);
  const shownLines = lines.map(
    (line, index): TextLine => (index === position.hitLine ? { text: line.text, tone: 'focus' } : line),
  );
  return {
    rows: createTextRows({ lines: shownLines, top, key: 'down', ...options }, { ...viewport, rows: window.rows }).map(
      (row, index) => (index === 0 && prompt !== null ? { ...row, prompt } : row),
    ),
    text: window,
  };
}

interface VisibleLines {
  /** Index of the first visible line among the available lines. */
  readonly startIndex: number;
  /** Number of visible log lines; each may take several rows. */
  readonly count: number;
  readonly lines: readonly TextLine[];
}

/** Beside other content, each line of the log takes one row. At the end of the log, so do equal lines that follow each other. */
function truncateLogLines(log: LogSnapshot, logPosition: LogPosition, viewport: Viewport): VisibleLines {
  const { columns, rows } = viewport;
  const isFollowing = logPosition.top === null;
  const startIndex = isFollowing
    ? findFoldedStart(log.lines, rows)
    : getTopLine(logPosition, { ...log, rows }) - log.firstNumber;
  const lines: TextLine[] = [];
  let index = startIndex;
  while (lines.length < rows) {
    const line = log.lines[index];
    if (line === undefined) break;
    const firstIndex = index;
    do index += 1;
    while (isFollowing && isRepeated(log.lines, index));
    const { head, text, tone } = formatLogLine(line, log.firstNumber + firstIndex === logPosition.hitLine, columns * 4);
    const lastAt = log.lines[index - 1]?.at ?? null;
    const repeatText =
      index - firstIndex === 1
        ? ''
        : ` ${words().repeated(index - firstIndex, lastAt === null ? null : formatTimeOfDay(lastAt))}`;
    const textColumns = Math.max(1, columns - getDisplayWidth(head) - getDisplayWidth(repeatText));
    lines.push({
      text:
        repeatText === ''
          ? head + text
          : `${head}${truncate(text, textColumns, getGlyphs(viewport).ellipsis)}${repeatText}`,
      tone,
    });
  }
  return { startIndex, count: index - startIndex, lines };
}

/** Whether a line repeats the one before it. */
function isRepeated(lines: readonly MarkedLogLine[], index: number): boolean {
  const [previous, line] = [lines[index - 1], lines[index]];
  return (
    line !== undefined && line.text === previous?.text && line.source === previous.source && line.mark === previous.mark
  );
}

/** Finds the first of the lines at the end of a log that fit into `rows`, equal lines that follow each other in one. */
function findFoldedStart(lines: readonly MarkedLogLine[], rows: number): number {
  let index = lines.length;
  for (let row = 0; row < rows && index > 0; row += 1) {
    index -= 1;
    while (isRepeated(lines, index)) index -= 1;
  }
  return index;
}

/** On a page of its own, the log shows complete lines; a line longer than the page is truncated. */
function wrapLogLines(log: LogSnapshot, logPosition: LogPosition, viewport: Viewport): VisibleLines {
  const { columns, rows } = viewport;
  const isFollowing = logPosition.top === null;
  const first = isFollowing ? log.lines.length - 1 : getTopLine(logPosition, { ...log, rows: 1 }) - log.firstNumber;
  const step = isFollowing ? -1 : 1;
  let lines: TextLine[] = [];
  let count = 0;
  for (let index = first; lines.length < rows; index += step) {
    const line = log.lines[index];
    if (line === undefined) break;
    const { head, text, tone } = formatLogLine(line, log.firstNumber + index === logPosition.hitLine, columns * rows);
    const wrappedLines = wrapBeside(head, text, columns)
      .slice(0, rows)
      .map((row): TextLine => ({ text: row, tone }));
    lines = isFollowing ? [...wrappedLines, ...lines] : [...lines, ...wrappedLines];
    count += 1;
  }
  // At the end of the log, the lines before it fill the page.
  if (!isFollowing && lines.length < rows && first > 0)
    return wrapLogLines(log, { ...logPosition, top: null }, viewport);
  const startIndex = isFollowing ? log.lines.length - count : first;
  return { startIndex, count: Math.max(1, count), lines: isFollowing ? lines.slice(-rows) : lines.slice(0, rows) };
}

/**
 * Returns the keys that scroll and search a log; n and N repeat the search.
 * @param log with the number of its visible lines
 */
export function createLogBindings(log: LogWindow, position: LogPosition): Binding<Intent>[] {
  if (log.lines.length === 0) return [];
  const label = position.isFullPage ? keys().stages : keys().wholeLog;
  // Esc ends a search first, then the log on the whole page.
  const closesLog = position.isFullPage && position.query === '';
  return [
    { keys: closesLog ? [SHORTCUTS.log, 'escape'] : [SHORTCUTS.log], label, intent: { type: 'log/whole' } },
    ...createSearchableTextBindings(log, position, { row: keys().log, ends: keys().logEnds }),
  ];
}

/** Returns the keys that search a text and jump between matches. */
export function createFindBindings(log: LogWindow, { query }: Pick<LogPosition, 'query'>): Binding<Intent>[] {
  const createNextIntent = (step: 1 | -1): Intent => ({ type: 'log/next', step, log });
  const searchBinding: Binding<Intent> = {
    keys: [SHORTCUTS.search],
    label: keys().search,
    intent: { type: 'log/search' },
  };
  if (query === '') return [searchBinding];
  return [
    { keys: ['escape'], label: keys().endSearch, intent: { type: 'log/clear' } },
    { keys: [SHORTCUTS.nextMatch], label: keys().nextFound, intent: createNextIntent(1) },
    { keys: [SHORTCUTS.previousMatch], label: keys().previousFound, intent: createNextIntent(-1), isHidden: true },
    searchBinding,
  ];
}

/**
 * Returns the keys that scroll and search a text.
 * @param labels of the keys that move by a row, and to either end
 */
export function createSearchableTextBindings(
  log: LogWindow,
  position: LogPosition,
  labels = { row: keys().row, ends: keys().ends },
): Binding<Intent>[] {
  const page = Math.max(1, log.rows - 1);
  const scroll = (by: number): Intent => ({ type: 'log/scroll', by, log });
  return [
    ...createFindBindings(log, position),
    { keys: ['up'], label: labels.row, intent: scroll(-1), isHidden: true },
    { keys: ['down'], label: labels.row, intent: scroll(1), isHidden: true },
    { keys: ['wheel-up'], label: keys().lines(WHEEL_LINES), intent: scroll(-WHEEL_LINES), isHidden: true },
    { keys: ['wheel-down'], label: keys().lines(WHEEL_LINES), intent: scroll(WHEEL_LINES), isHidden: true },
    { keys: ['page-up'], label: keys().page, intent: scroll(-page), isHidden: true },
    { keys: ['page-down'], label: keys().page, intent: scroll(page), isHidden: true },
    {
      keys: ['home'],
      label: labels.ends,
      intent: { type: 'log/jump', to: 'start', log },
      isHidden: true,
    },
    {
      keys: ['end'],
      label: labels.ends,
      intent: { type: 'log/jump', to: 'end', log },
      isHidden: true,
    },
  ];
}

/**
 * Creates the keys while a search text is typed.
 * @param isForward whether Enter searches down from the visible lines; a log is searched up
 */
export function createSearchTypingBindings(log: LogWindow, isForward = false): Binding<Intent>[] {
  const intent: Intent = { type: 'log/submit', log, ...(isForward ? { isForward } : {}) };
  return [
    { keys: ['enter'], label: keys().searchNow, intent },
    { keys: ['escape'], label: keys().close, intent: { type: 'log/submit', log: null } },
  ];
}

/** Returns the intent of a key typed into the search field. Null: no search is typed. */
export function getSearchIntent({ searchField }: Pick<LogPosition, 'searchField'>, event: KeyEvent): Intent | null {
  return searchField === null ? null : { type: 'log/type', event };
}

const MARK_TONES: Readonly<Record<NonNullable<MarkedLogLine['mark']>, Tone>> = {
  noise: 'muted',
  solved: 'muted',
  failure: 'error',
};

/** Log levels have at most seven letters; translated marks may have more. */
const getLevelWidth = () => Math.max(7, ...Object.values(words().marks).map(getDisplayWidth));

/**
 * Splits a log line into head, text and tone.
 * @param maxLength maximum characters of the text, so that the width of a very long message is not measured
 */
function formatLogLine({ at, level, source, mark, text }: MarkedLogLine, isHit: boolean, maxLength: number) {
  const label = mark === null ? (level === 'unknown' ? '' : level) : words().marks[mark];
  const time = at === null ? '     ' : formatTimeOfDay(at);
  const marker = isHit ? '>' : ' ';
  const levelTone: Tone = level === 'error' || level === 'fatal' ? 'error' : level === 'warning' ? 'warn' : 'text';
  const tone = isHit ? 'focus' : mark !== null ? MARK_TONES[mark] : level === 'debug' ? 'muted' : levelTone;
  const shownText = text.slice(0, maxLength);
  return {
    head: `${time}${marker}${fitToWidth(label, getLevelWidth(), '')} `,
    text: `${source === 'installer' ? '' : `${source}: `}${shownText}`,
    tone,
  };
}

function formatPosition(log: LogSnapshot, logPosition: LogPosition): string {
  const heading = logPosition.top === null || log.lines.length === 0 ? words().following : words().title;
  return logPosition.query === '' ? heading : `${heading}; ${formatSearchResult(logPosition)}`;
}

function formatSearchResult({ query, hitLine, matches }: LogPosition): string {
  return hitLine === null
    ? words().notFound(query)
    : words().found(query, hitLine + 1, matches.position, matches.count);
}
