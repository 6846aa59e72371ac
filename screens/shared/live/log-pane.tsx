import { Box } from 'ink';
import type { BookLine, BookPages } from '../../../src/steps/shared/installer/log.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { LETTERS } from '../../../src/text/letters.ts';
import { timeOfDay } from '../../../src/text/time-of-day.ts';
import { pad, widthOf, wrapBeside } from '../../../src/text/width.ts';
import { Label, Row } from '../../../src/ui/components/label.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import { LogView, type TextLine } from '../../../src/ui/components/text-views.tsx';
import type { Binding } from '../../../src/ui/keys/keymap.ts';
import { type Area, useArea } from '../../../src/ui/look.tsx';
import type { Tone } from '../../../src/ui/theme.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import { type Readable, type Reading, topOf } from '../../../src/wizard/live/reading.ts';
import type { KeyEvent } from '../../../src/wizard/typing/key-event.ts';
import { WHEEL_LINES } from '../bindings.ts';

const words = () => catalogue().screens.bootstrap.log;
const keys = () => catalogue().screens.keys;

export interface LogPaneProps {
  readonly log: BookPages;
  readonly reading: Reading;
  /** The text while there are no lines. */
  readonly empty: string;
}

/**
 * A long log: the place in it, and the visible lines. Reads only those, however many there are.
 *
 *     Log, following
 *     10:41 noise   Still waiting for the Kubernetes API: … connection refused
 *     10:42 info    API v1.31.6 up
 */
export function LogPane({ log, reading, empty }: LogPaneProps) {
  const { columns, rows } = useArea();
  // A heading alone says nothing: a single row has the newest line.
  const isHeaded = rows > 1 || reading.typing !== null;
  const room = Math.max(0, rows - (isHeaded ? 1 : 0));
  const { from, count, lines } = reading.isWhole
    ? wholeLines(log, reading, { columns, rows: room })
    : cutLines(log, reading, { columns, rows: room });
  drawn.rows = count;
  if (rows <= 0) return null;
  return (
    <>
      {reading.typing === null ? (
        isHeaded && (
          <Row>
            <Label tone="dim">{placeText(log, reading, from, count)}</Label>
          </Row>
        )
      ) : (
        <Box height={1} flexShrink={0}>
          <Label tone="accent">{words().typing}</Label>
          <TextField state={reading.typing} width={Math.max(4, columns - widthOf(words().typing))} isFocused />
        </Box>
      )}
      <LogView lines={lines} top={0} height={room} empty={empty} />
    </>
  );
}

interface InSight {
  /** The first line, from the first that there is on. */
  readonly from: number;
  /** Lines of the log in sight, which may take more rows. */
  readonly count: number;
  readonly lines: readonly TextLine[];
}

/** Beside other things, each line of the log takes one row. */
function cutLines(log: BookPages, reading: Reading, { columns, rows }: Area): InSight {
  const from = topOf(reading, { ...log, rows }) - log.first;
  const shown = log.lines.slice(from, from + rows);
  const lines = shown.map((line, index) => {
    const { head, text, tone } = partsOf(line, log.first + from + index === reading.found, columns * 4);
    return { text: head + text, tone };
  });
  return { from, count: rows, lines };
}

/** Where the log has the page, its lines are whole; one that is longer than the page is cut at its end. */
function wholeLines(log: BookPages, reading: Reading, { columns, rows }: Area): InSight {
  const isFollowing = reading.top === null;
  const first = isFollowing ? log.lines.length - 1 : topOf(reading, { ...log, rows: 1 }) - log.first;
  const step = isFollowing ? -1 : 1;
  let lines: TextLine[] = [];
  let count = 0;
  for (let at = first; lines.length < rows; at += step) {
    const line = log.lines[at];
    if (line === undefined) break;
    const { head, text, tone } = partsOf(line, log.first + at === reading.found, columns * rows);
    const own = wrapBeside(head, text, columns)
      .slice(0, rows)
      .map((row): TextLine => ({ text: row, tone }));
    lines = isFollowing ? [...own, ...lines] : [...lines, ...own];
    count += 1;
  }
  const from = isFollowing ? log.lines.length - count : first;
  return { from, count: Math.max(1, count), lines: isFollowing ? lines.slice(-rows) : lines.slice(0, rows) };
}

/** How many lines the last drawing had: the keys need it for the size of a page, and for the end. */
const drawn = { rows: 8 };

const readable = (log: BookPages): Readable => ({ lines: log.lines, first: log.first, rows: drawn.rows });

/** The keys that read in a log; a search goes on with n and N. */
export function logBindings(log: BookPages, { query, isWhole }: Reading): Binding<Intent>[] {
  if (log.lines.length === 0) return [];
  const page = Math.max(1, drawn.rows - 1);
  const scroll = (by: number): Intent => ({ type: 'log/scroll', by, log: readable(log) });
  const next = (step: 1 | -1): Intent => ({ type: 'log/next', step, log: readable(log) });
  return [
    { keys: [LETTERS.log], label: isWhole ? keys().stages : keys().wholeLog, intent: { type: 'log/whole' } },
    { keys: [LETTERS.search], label: keys().search, intent: { type: 'log/search' } },
    ...(query === ''
      ? []
      : [
          { keys: [LETTERS.nextFound], label: keys().nextFound, intent: next(1) },
          { keys: [LETTERS.previousFound], label: keys().previousFound, intent: next(-1), hidden: true },
        ]),
    { keys: ['up'], label: keys().log, intent: scroll(-1), hidden: true },
    { keys: ['down'], label: keys().log, intent: scroll(1), hidden: true },
    { keys: ['wheel-up'], label: keys().lines(WHEEL_LINES), intent: scroll(-WHEEL_LINES), hidden: true },
    { keys: ['wheel-down'], label: keys().lines(WHEEL_LINES), intent: scroll(WHEEL_LINES), hidden: true },
    { keys: ['page-up'], label: keys().page, intent: scroll(-page), hidden: true },
    { keys: ['page-down'], label: keys().page, intent: scroll(page), hidden: true },
    {
      keys: ['home'],
      label: keys().logEnds,
      intent: { type: 'log/jump', to: 'start', log: readable(log) },
      hidden: true,
    },
    { keys: ['end'], label: keys().logEnds, intent: { type: 'log/jump', to: 'end', log: readable(log) }, hidden: true },
  ];
}

/** While a search is typed. */
export function typingBindings(log: BookPages): Binding<Intent>[] {
  return [
    { keys: ['enter'], label: keys().searchNow, intent: { type: 'log/typed', log: readable(log) } },
    { keys: ['escape'], label: keys().close, intent: { type: 'log/typed', log: null } },
  ];
}

/** Text typed into the search. */
export function logText({ typing }: Reading, event: KeyEvent): Intent | null {
  return typing === null ? null : { type: 'log/type', event };
}

const MARK_TONES: Readonly<Record<NonNullable<BookLine['mark']>, Tone>> = {
  noise: 'dim',
  solved: 'dim',
  trouble: 'error',
};

/** The log's own levels have seven letters at most; a mark in another language may have more. */
const wordWidth = () => Math.max(7, ...Object.values(words().marks).map(widthOf));

/** @param most characters of its text at most: a message may be ten thousand long, and is not even measured beyond the edge */
function partsOf({ at, level, source, mark, text }: BookLine, isFound: boolean, most: number) {
  const word = mark === null ? (level === 'unknown' ? '' : level) : words().marks[mark];
  const time = at === null ? '     ' : timeOfDay(at);
  const sign = isFound ? '>' : ' ';
  const levelTone: Tone = level === 'error' || level === 'fatal' ? 'error' : level === 'warning' ? 'warn' : 'text';
  const tone = isFound ? 'focus' : mark !== null ? MARK_TONES[mark] : level === 'debug' ? 'dim' : levelTone;
  const shown = text.slice(0, most);
  return {
    head: `${time}${sign}${pad(word, wordWidth(), '')} `,
    text: `${source === 'installer' ? '' : `${source}: `}${shown}`,
    tone,
  };
}

function placeText(log: BookPages, { top, query, found }: Reading, from: number, count: number): string {
  const place =
    top === null || log.lines.length === 0
      ? words().following
      : words().at(log.first + from + 1, log.first + from + count, log.first + log.lines.length);
  if (query === '') return place;
  return `${place}; ${found === null ? words().notFound(query) : words().found(query, found + 1)}`;
}
