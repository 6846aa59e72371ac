import type { Background } from '../platform/theme.ts';
import type { TerminalCapabilities } from './capabilities.ts';
import { supportsControlStrings } from './control-strings.ts';
import {
  BACKGROUND_QUERY,
  detectBackground,
  parseBackgroundReport,
  parseWidthReport,
  readSavedReports,
  saveReport,
  WIDTH_QUERY,
} from './terminal-reports.ts';

type MeasuredCapabilities = TerminalCapabilities & { readonly background: Background };

/** The capabilities of the terminal, which its reports may still change. */
export interface MeasuredStyle {
  readonly get: () => MeasuredCapabilities;
  /** Queries the terminal, once. */
  readonly query: () => void;
  /** Handles a report of the cursor's column; returns true if the style has changed. */
  readonly recordColumn: (column: number) => boolean;
  /** Handles a report of the background's colour. */
  readonly recordBackground: (colour: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** A report after this time is only saved for the next start: the colours must not change while the user reads. */
const BACKGROUND_TIMEOUT_MS = 1_000;

/**
 * Creates the style of the terminal: its background, and whether typographic characters are avoided, as
 * reported now or on the last start.
 */
export function createMeasuredStyle(terminal: TerminalCapabilities): MeasuredStyle {
  const listeners = new Set<() => void>();
  const savedReports = readSavedReports(process.env);
  const background = detectBackground(process.env, savedReports);
  let style: MeasuredCapabilities = {
    ...terminal,
    hasUnicode: terminal.hasUnicode && savedReports.width !== 'wide',
    background,
  };
  let isQueried = !terminal.canAnimate;
  let queriedAt = 0;
  const setStyle = (newStyle: MeasuredCapabilities) => {
    style = newStyle;
    for (const listener of listeners) listener();
  };
  return {
    get: () => style,
    query() {
      if (isQueried) return;
      isQueried = true;
      queriedAt = performance.now();
      if (style.hasColour && supportsControlStrings(process.env.TERM ?? '')) process.stdout.write(BACKGROUND_QUERY);
      if (terminal.hasUnicode) process.stdout.write(WIDTH_QUERY);
    },
    recordColumn(column) {
      const width = parseWidthReport(column);
      if (width === null) return false;
      saveReport(process.env, { width });
      const hasUnicode = terminal.hasUnicode && width === 'narrow';
      if (hasUnicode === style.hasUnicode) return false;
      setStyle({ ...style, hasUnicode });
      return true;
    },
    recordBackground(colour) {
      const reportedBackground = parseBackgroundReport(colour);
      if (reportedBackground === null) return;
      saveReport(process.env, { background: reportedBackground });
      const isInTime = performance.now() - queriedAt < BACKGROUND_TIMEOUT_MS;
      if (isInTime && reportedBackground !== style.background) setStyle({ ...style, background: reportedBackground });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
