import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';

export type Level = 'debug' | 'info' | 'warning' | 'error' | 'fatal';
const ORDER: readonly Level[] = ['debug', 'info', 'warning', 'error', 'fatal'];
const COLOURS: Readonly<Record<Level, string>> = { debug: '37', info: '36', warning: '33', error: '31', fatal: '31' };

/** What openshift-install says: on standard error by level, and everything in <dir>/.openshift_install.log. */
export interface Console {
  say(level: Level, message: string): void;
}

/** Ends the program with what the real one would say and its exit code. */
export class ExitError extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/**
 * @param options `dir` null: no log file; `isQuoted`: 4.5 quotes messages on standard error
 */
export function createConsole(options: {
  readonly clock: Clock;
  readonly dir: string | null;
  readonly level: Level;
  readonly isQuoted: boolean;
}): Console {
  const { clock, dir, level: least, isQuoted } = options;
  const isTerminal = process.stderr.isTTY === true;
  return {
    say(level, message) {
      if (dir !== null) {
        const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
        const line = `time="${time}" level=${level} msg=${JSON.stringify(message)}\n`;
        appendFileSync(join(dir, '.openshift_install.log'), line, { mode: 0o640 });
      }
      if (ORDER.indexOf(level) < ORDER.indexOf(least)) return;
      const word = level.toUpperCase();
      const text = isQuoted ? JSON.stringify(message) : message;
      process.stderr.write(
        isTerminal ? `\u001b[${COLOURS[level]}m${word}\u001b[0m ${message}\n` : `level=${level} msg=${text}\n`,
      );
    },
  };
}
