import { catalogue } from '../../i18n/catalogue.ts';
import { formatProse } from '../../i18n/prose.ts';
import { type Clock, SECOND } from '../../platform/clock.ts';
import { formatJson } from '../../platform/format-json.ts';
import { limitHeapGrowth } from '../../platform/process.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { StatusProbe } from '../../steps/status/probe.ts';
import { InterruptedError, type LiveIo, truncateLine } from '../shared/live-io.ts';
import { formatStatus } from './text.ts';
import { openWatchScreen, type WatchScreen } from './watch-screen.ts';

const words = () => catalogue().live;

/** Probe interval, in milliseconds of the clock. */
const PROBE_INTERVAL = 3 * SECOND;

/**
 * Probes again and again, and shows changes: in place on a terminal, otherwise as a new block or as one JSON document
 * per line. An API that is down is shown as such; only the user or a signal ends it.
 * @returns 0 for `q`, 130 for Ctrl-C, and the code of another signal
 */
export async function watchStatus(
  clock: Clock,
  probe: (apiHealth: StatusProbe['health']) => Promise<StatusProbe>,
  io: LiveIo,
  isJson: boolean,
): Promise<number> {
  limitHeapGrowth();
  const controller = new AbortController();
  const end = (code: number) => controller.abort(new InterruptedError(code));
  io.signal.addEventListener('abort', () =>
    end(io.signal.reason instanceof InterruptedError ? io.signal.reason.exitCode : 130),
  );
  const screen = !isJson && io.hasScreen ? openWatchScreen(end) : null;
  const show = screen ? createScreenView(screen) : createBlockPrinter(io, isJson);
  let apiHealth: StatusProbe['health'];
  try {
    while (!controller.signal.aborted) {
      const result = await Promise.race([probe(apiHealth), waitForAbort(controller.signal)]);
      if (result === null) break;
      apiHealth = result.health;
      show(result);
      await clock.sleep(PROBE_INTERVAL, controller.signal).catch(() => undefined);
    }
  } finally {
    screen?.close();
  }
  return controller.signal.reason instanceof InterruptedError ? controller.signal.reason.exitCode : 130;
}

function waitForAbort(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

/** On a terminal: draws the last result again when it has something new, or when the window changes. */
function createScreenView(screen: WatchScreen): (result: StatusProbe) => void {
  return (result) =>
    screen.draw(({ columns, rows }) => {
      const errorLines = [...result.userErrors, ...(result.skew ? [result.skew] : [])].flatMap(
        ({ title, cause, remedy }) => [
          `${title}: ${sanitizeLine(cause)}`,
          ...formatProse(remedy, '  ').map(({ text }) => text),
        ],
      );
      const lines = [
        ...formatStatus(result.status, result.waits, columns).map((line) => line.trimEnd()),
        ...errorLines.map((line) => truncateLine(line, columns)),
      ];
      return [
        ...lines.slice(0, Math.max(1, rows - 2)),
        '',
        truncateLine(words().status.watchFooter(result.status.at), columns),
      ];
    }, getComparisonKey(result));
}

/** Otherwise: writes a new block with its time, or a line of JSON, when something has changed. */
function createBlockPrinter(io: LiveIo, isJson: boolean): (result: StatusProbe) => void {
  let previousKey = '';
  return (result) => {
    const key = getComparisonKey(result);
    if (key === previousKey) return;
    previousKey = key;
    if (isJson) return io.stdout(formatJson(result.status, 0));
    const errorLines = result.userErrors.map(
      ({ title, cause }) => `${truncateLine(`${title}: ${sanitizeLine(cause)}`, io.columns)}\n`,
    );
    io.stdout(
      `${[`${result.status.at}\n`, ...formatStatus(result.status, result.waits, io.columns), ...errorLines].join('')}\n`,
    );
  };
}

/** Comparison key: ignores timestamps and error wording. */
function getComparisonKey({ status, waits, userErrors }: StatusProbe): string {
  const { at: _at, api, ...rest } = status;
  return JSON.stringify([rest, api.state, [...waits], userErrors.map(({ code }) => code)]);
}
