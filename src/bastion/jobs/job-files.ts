import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '../../ports/make-directory.ts';
import { isAlive, ownIdentity, parseStat } from '../../ports/process-identity.ts';
import * as z from '../../ports/zod.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { RECORD_SIZES, type Restart } from './job-supervisor.ts';

/** What was asked for: written before the process is started, so that no job runs unknown. */
export interface JobIntent {
  readonly name: string;
  readonly argv: readonly string[];
  /** Milliseconds of the clock. */
  readonly startedAt: number;
  readonly restart: Restart;
  /** The unit of the user's manager that it runs in; null: it is a process of its own. */
  readonly unit: string | null;
  /** Which directory it was started for: a copy of the directory has no job that runs. */
  readonly home: string | null;
}

/** An end of the program after which it was started again, or will be. */
export interface JobRestart {
  readonly code: number;
  readonly signal: string | null;
  /** Milliseconds of the machine's own clock, to the second. */
  readonly at: number;
  /** How long the log was then. */
  readonly logSize: number;
  /** How often it was started again since a person started it, this time included. */
  readonly count: number;
  /** How often it ended in a row without having run for a minute. */
  readonly inARow: number;
  /** Seconds from its end to its next start. */
  readonly pause: number;
}

/** How a program ended. A shell reports a signal as 128 plus its number, and so does a program that exits that way itself. */
export interface JobExit {
  readonly code: number;
  readonly signal: string | null;
}

const intentSchema = z.object({
  name: z.string(),
  argv: z.array(z.string()).min(1),
  startedAt: z.number(),
  restart: z.enum(['never', 'killed', 'failed']).default('never'),
  unit: z.string().nullable().default(null),
  home: z.string().nullable().default(null),
});
const identitySchema = z.object({ pid: z.number(), start: z.string() });

/**
 * The files of one job. `process`, `exit` and `last` are written by the job's own shell and are complete when they end in a
 * newline; `runs` has a line for each start and each end.
 */
export function jobFiles(dir: string, name: string) {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw new TypeError(`not a job name: ${name}`);
  return {
    intent: join(dir, `${name}.json`),
    log: join(dir, `${name}.log`),
    process: join(dir, `${name}.process`),
    exit: join(dir, `${name}.exit`),
    last: join(dir, `${name}.last`),
    runs: join(dir, `${name}.runs`),
    starting: join(dir, `${name}.starting`),
  } as const;
}

export type JobFiles = ReturnType<typeof jobFiles>;

/** Makes the job directory, for its owner only. */
export function makeJobDirectory(dir: string): void {
  makeDirectory(dir);
  chmodSync(dir, 0o700);
}

/** Records what is about to start and empties the records of the run before; the new ones have their size from the start. */
export function writeIntent(files: JobFiles, intent: JobIntent): void {
  for (const record of ['process', 'exit', 'last'] as const) {
    rmSync(files[record], { force: true });
    writePrivate(files[record], ' '.repeat(RECORD_SIZES[record]));
  }
  writePrivate(files.runs, '', 'a');
  writePrivate(`${files.intent}.new`, `${JSON.stringify(intent)}\n`);
  renameSync(`${files.intent}.new`, files.intent);
}

/** What the job was started to do; null where none was, or where what is there cannot be read. */
export function readIntent(files: JobFiles): JobIntent | null {
  try {
    return intentSchema.parse(JSON.parse(readFileSync(files.intent, 'utf8')));
  } catch {
    return null;
  }
}

/** The process that the job's shell recorded for the program, and its process group. */
export function readProcess(files: JobFiles): ReturnType<typeof parseStat> {
  const line = completeLine(files.process);
  return line === null ? null : parseStat(line);
}

/** How the program ended; null while it runs, and for good where its shell was killed before it could write it down. */
export function readExit(files: JobFiles): JobExit | null {
  const line = completeLine(files.exit);
  if (line === null || !/^\d+$/.test(line)) return null;
  return exitOf(Number(line));
}

/** The last end after which the program was started again; null where it never was. */
export function readRestart(files: JobFiles): JobRestart | null {
  const [code, seconds, logSize, count, inARow, pause] = (completeLine(files.last) ?? '').split(' ').map(Number);
  // A line that is being written over may be read in part; the next look has it.
  if (code === undefined || seconds === undefined || logSize === undefined) return null;
  if (!count || !inARow || !pause) return null;
  return { ...exitOf(code), at: seconds * 1000, logSize, count, inARow, pause };
}

/** A start or an end (`code` is not null) of the program. `at`: ms of the machine's own clock, to the second. */
interface JobRun {
  readonly at: number;
  readonly code: number | null;
}

/** All starts and ends of the program that were noted, oldest first. */
export function readRuns({ runs }: JobFiles): JobRun[] {
  try {
    return [...readFileSync(runs, 'utf8').matchAll(/^(\d+) (started|ended) (\d+)$/gm)].map(([, at, what, number]) => ({
      at: Number(at) * 1000,
      code: what === 'ended' ? Number(number) : null,
    }));
  } catch {
    return [];
  }
}

/** Of a log, at most this much is read to find its last line. */
const LAST_BYTES = 8192;

/** The last line that says something of the first `size` bytes of a log, made safe to show; empty where there is none. */
export function lastLineOf(log: string, size: number): string {
  try {
    const fd = openSync(log, 'r');
    try {
      const start = Math.max(0, size - LAST_BYTES);
      const buffer = Buffer.alloc(Math.max(0, size - start));
      const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, start));
      // Of an uncaught error the message says something, and what Node prints below it does not.
      const lines = text.split('\n').filter((line) => /^(?!Node\.js v|[{}]$)\S/.test(line));
      return sanitizeLine(redact(lines.at(-1) ?? ''));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

function exitOf(code: number): JobExit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] ?? null;
  return { code, signal };
}

/**
 * Takes the right to start this job, so that two of us never start it twice.
 * @returns what gives it back, or null while another living process has it
 */
export function claimStart(files: JobFiles): (() => void) | null {
  try {
    writePrivate(files.starting, JSON.stringify(ownIdentity()), 'wx');
    return () => rmSync(files.starting, { force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  if (isBeingStarted(files)) return null;
  rmSync(files.starting, { force: true });
  return claimStart(files);
}

/** Somebody is starting this job now: its records are empty so far. */
export function isBeingStarted({ starting }: Pick<JobFiles, 'starting'>): boolean {
  try {
    return isAlive(identitySchema.parse(JSON.parse(readFileSync(starting, 'utf8'))));
  } catch {
    return false;
  }
}

function completeLine(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8');
    return text.endsWith('\n') ? text.trimEnd() : null;
  } catch {
    return null;
  }
}

function writePrivate(file: string, text: string, flag = 'w'): void {
  const fd = openSync(file, flag, 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
