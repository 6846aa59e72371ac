import { type Clock, SECOND } from '../../ports/clock.ts';
import { keepHeapSmall } from '../../ports/small-heap.ts';
import type { StatusLook } from '../../steps/status/look.ts';
import { catalogue } from '../../text/catalogue.ts';
import { proseRows } from '../../text/command-lines.ts';
import { jsonText } from '../../text/json-text.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { cutLine, Interrupted, type LiveIo } from '../shared/live-io.ts';
import { statusText } from './text.ts';
import { openWatchScreen, type WatchScreen } from './watch-screen.ts';

const words = () => catalogue().live;

/** How often to look, in milliseconds of the clock. */
const EVERY = 3 * SECOND;

/**
 * Looks again and again, and shows changes: on a terminal in place, elsewhere as a new block, or as one JSON document
 * per line. Shows an API that is away as away; only a person or a signal ends it.
 * @returns 0 for `q`, 130 for Ctrl-C, and the code of another signal
 */
export async function watchStatus(
  clock: Clock,
  look: (past: StatusLook['past']) => Promise<StatusLook>,
  io: LiveIo,
  isJson: boolean,
): Promise<number> {
  keepHeapSmall();
  const ending = new AbortController();
  const end = (code: number) => ending.abort(new Interrupted(code));
  io.signal.addEventListener('abort', () =>
    end(io.signal.reason instanceof Interrupted ? io.signal.reason.exitCode : 130),
  );
  const screen = !isJson && io.hasScreen ? openWatchScreen(end) : null;
  const show = screen ? inPlace(screen) : appended(io, isJson);
  let past: StatusLook['past'];
  try {
    while (!ending.signal.aborted) {
      const seen = await Promise.race([look(past), aborted(ending.signal)]);
      if (seen === null) break;
      past = seen.past;
      show(seen);
      await clock.sleep(EVERY, ending.signal).catch(() => undefined);
    }
  } finally {
    screen?.close();
  }
  return ending.signal.reason instanceof Interrupted ? ending.signal.reason.exitCode : 130;
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

/** On a terminal: draws the last look again when it says something new or the window changes. */
function inPlace(screen: WatchScreen): (look: StatusLook) => void {
  return (look) =>
    screen.draw(({ columns, rows }) => {
      const told = [...look.troubles, ...(look.skew ? [look.skew] : [])].flatMap(({ title, cause, whatToDo }) => [
        `${title}: ${sanitizeLine(cause)}`,
        ...proseRows(whatToDo, '  ').map(({ text }) => text),
      ]);
      const lines = [
        ...statusText(look.status, look.waits, columns).map((line) => line.trimEnd()),
        ...told.map((line) => cutLine(line, columns)),
      ];
      return [...lines.slice(0, Math.max(1, rows - 2)), '', cutLine(words().status.watching(look.status.at), columns)];
    }, stable(look));
}

/** Elsewhere: writes a new block with its time, or a line of JSON, when something changed. */
function appended(io: LiveIo, isJson: boolean): (look: StatusLook) => void {
  let before = '';
  return (look) => {
    const now = stable(look);
    if (now === before) return;
    before = now;
    if (isJson) return io.stdout(jsonText(look.status, 0));
    const told = look.troubles.map(
      ({ title, cause }) => `${cutLine(`${title}: ${sanitizeLine(cause)}`, io.columns)}\n`,
    );
    io.stdout(`${[`${look.status.at}\n`, ...statusText(look.status, look.waits, io.columns), ...told].join('')}\n`);
  };
}

/** What makes two looks differ: not their time, and not the words in which an absent API refuses. */
function stable({ status, waits, troubles }: StatusLook): string {
  const { at: _at, api, ...rest } = status;
  return JSON.stringify([rest, api.state, [...waits], troubles.map(({ code }) => code)]);
}
