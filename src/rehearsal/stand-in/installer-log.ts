import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error' | 'fatal';
const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warning', 'error', 'fatal'];
const COLOURS: Readonly<Record<LogLevel, number>> = { debug: 37, info: 36, warning: 33, error: 31, fatal: 31 };

/** Output of openshift-install: on standard error by level, and all of it in <dir>/.openshift_install.log. */
export interface InstallerLog {
  log(level: LogLevel, message: string): void;
}

/** Ends the program with the message and exit code of the real openshift-install; by default 1, as for fatal errors. */
export class ExitError extends Error {
  readonly code: number;

  constructor(message: string, code = 1) {
    super(message);
    this.code = code;
  }
}

/**
 * @param options `dir` null: no log file; `isQuoted`: whether to quote messages on standard error, as before 4.6
 */
export function createInstallerLog(options: {
  readonly clock: Clock;
  readonly dir: string | null;
  readonly level: LogLevel;
  readonly isQuoted: boolean;
}): InstallerLog {
  const { clock, dir, level: minimumLevel, isQuoted } = options;
  const isTerminal = process.stderr.isTTY === true;
  return {
    log(level, message) {
      if (dir !== null) {
        const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
        const line = `time="${time}" level=${level} msg=${JSON.stringify(message)}\n`;
        appendFileSync(join(dir, '.openshift_install.log'), line, { mode: 0o640 });
      }
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(minimumLevel)) return;
      const word = level.toUpperCase();
      const text = isQuoted ? JSON.stringify(message) : message;
      process.stderr.write(
        isTerminal ? `\u001b[${COLOURS[level]}m${word}\u001b[0m ${message}\n` : `level=${level} msg=${text}\n`,
      );
    },
  };
}
