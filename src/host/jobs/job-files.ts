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
import { ensureDirectory } from '../../platform/files.ts';
import { getOwnIdentity, isAlive, parseProcStat } from '../../platform/process.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import * as z from '../../platform/zod.ts';
import { RECORD_SIZES, type RestartPolicy } from './job-supervisor.ts';

/** The requested start of a job: written before the process is started, so that no job runs unrecorded. */
export interface JobStartRecord {
  readonly name: string;
  readonly argv: readonly string[];
  /** Milliseconds of the clock. */
  readonly startedAt: number;
  readonly restart: RestartPolicy;
  /** The systemd user unit that runs the job; null: a plain process. */
  readonly unit: string | null;
  /**
   * Identity of the directory that it was started for. In a copy of the directory, the job does not count as
   * running.
   */
  readonly home: string | null;
  /** The version of upi-wizard that started it; null: an older version, which did not record it. */
  readonly version: string | null;
}

/** An exit of the program that is followed by a restart. */
export interface JobRestart {
  readonly code: number;
  readonly signal: string | null;
  /** Milliseconds of the machine's own clock, to the second. */
  readonly at: number;
  /** Size of the log at that time, in bytes. */
  readonly logSize: number;
  /** Restarts since the user started the job, including this one. */
  readonly count: number;
  /** Number of consecutive exits, each within a minute of the start before it. */
  readonly consecutiveFailures: number;
  /** Seconds from its end to its next start. */
  readonly restartDelay: number;
}

/** Exit of a program. A shell reports a signal as 128 plus its number; a program may also exit with such a code. */
interface JobExit {
  readonly code: number;
  readonly signal: string | null;
}

const startRecordSchema = z.object({
  name: z.string(),
  argv: z.array(z.string()).min(1),
  startedAt: z.number(),
  restart: z.enum(['never', 'killed', 'failed']).default('never'),
  unit: z.string().nullable().default(null),
  home: z.string().nullable().default(null),
  version: z.string().nullable().default(null),
});
const identitySchema = z.object({ pid: z.number(), start: z.string() });

/**
 * Returns the paths of the files of one job. `process`, `exit` and `lastRestart` are written by the job's own shell and
 * are complete when they end in a newline; `runEvents` has a line for each start and each end.
 */
export function getJobFiles(dir: string, name: string) {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw new TypeError(`not a job name: ${name}`);
  return {
    startRecord: join(dir, `${name}.json`),
    log: join(dir, `${name}.log`),
    process: join(dir, `${name}.process`),
    exit: join(dir, `${name}.exit`),
    lastRestart: join(dir, `${name}.last`),
    runEvents: join(dir, `${name}.runs`),
    startClaim: join(dir, `${name}.starting`),
  } as const;
}

export type JobFiles = ReturnType<typeof getJobFiles>;

/** Creates the job directory, for its owner only. */
export function createJobDirectory(dir: string): void {
  ensureDirectory(dir);
  chmodSync(dir, 0o700);
}

/**
 * Records a start and clears the records of the previous run. The new records have their final size at once, so that
 * a full disk cannot prevent their update.
 */
export function writeStartRecord(files: JobFiles, startRecord: JobStartRecord): void {
  for (const name of ['process', 'exit', 'lastRestart'] as const) {
    rmSync(files[name], { force: true });
    writePrivate(files[name], ' '.repeat(RECORD_SIZES[name]));
  }
  writePrivate(files.runEvents, '', 'a');
  writePrivate(`${files.startRecord}.new`, `${JSON.stringify(startRecord)}\n`);
  renameSync(`${files.startRecord}.new`, files.startRecord);
}

/** Reads the recorded start of the job; null if there is none or it is unreadable. */
export function readStartRecord(files: JobFiles): JobStartRecord | null {
  try {
    return startRecordSchema.parse(JSON.parse(readFileSync(files.startRecord, 'utf8')));
  } catch {
    return null;
  }
}

/** Reads the process that the job's shell recorded for the program, and its process group. */
export function readRecordedProcess(files: JobFiles): ReturnType<typeof parseProcStat> {
  const line = readCompleteLine(files.process);
  return line === null ? null : parseProcStat(line);
}

/**
 * Reads how the program ended; null while it runs, and permanently if its shell was killed before it recorded the exit.
 */
export function readExit(files: JobFiles): JobExit | null {
  const line = readCompleteLine(files.exit);
  if (line === null || !/^\d+$/.test(line)) return null;
  return toJobExit(Number(line));
}

/** Reads the last exit that was followed by a restart; null if there was none. */
export function readRestart(files: JobFiles): JobRestart | null {
  const [code, seconds, logSize, count, consecutiveFailures, restartDelay] = (readCompleteLine(files.lastRestart) ?? '')
    .split(' ')
    .map(Number);
  // A line that is being overwritten may be read in part; the next call reads it whole.
  if (code === undefined || seconds === undefined || logSize === undefined) return null;
  if (!count || !consecutiveFailures || !restartDelay) return null;
  return {
    ...toJobExit(code),
    at: seconds * 1000,
    logSize,
    count,
    consecutiveFailures,
    restartDelay,
  };
}

/** A start or an end (`code` is not null) of the program. `at`: ms of the machine's own clock, to the second. */
interface JobRunEvent {
  readonly at: number;
  readonly code: number | null;
}

/** Reads all recorded starts and ends of the program, oldest first. */
export function readRunEvents({ runEvents }: JobFiles): JobRunEvent[] {
  try {
    return [...readFileSync(runEvents, 'utf8').matchAll(/^(\d+) (started|ended) (\d+)$/gm)].map(
      ([, at, event, number]) => ({
        at: Number(at) * 1000,
        code: event === 'ended' ? Number(number) : null,
      }),
    );
  } catch {
    return [];
  }
}

/** Bytes read from the end of a log to find its last line. */
const MAX_TAIL_BYTES = 8192;

/** Reads the last meaningful line in the first `size` bytes of a log, made safe to show; empty if there is none. */
export function readLastLine(log: string, size: number): string {
  try {
    const fd = openSync(log, 'r');
    try {
      const start = Math.max(0, size - MAX_TAIL_BYTES);
      const buffer = Buffer.alloc(Math.max(0, size - start));
      const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, start));
      // Of an uncaught error the message is meaningful; the lines that Node.js prints below it are not.
      const lines = text.split('\n').filter((line) => /^(?!Node\.js v|[{}]$)\S/.test(line));
      return sanitizeLine(redact(lines.at(-1) ?? ''));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

function toJobExit(code: number): JobExit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] ?? null;
  return { code, signal };
}

/**
 * Claims the start of this job, so that two processes never start it twice.
 * @returns the function that releases the claim; null while another living process holds it
 */
export function claimStart(files: JobFiles): (() => void) | null {
  try {
    writePrivate(files.startClaim, JSON.stringify(getOwnIdentity()), 'wx');
    return () => rmSync(files.startClaim, { force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  if (isBeingStarted(files)) return null;
  rmSync(files.startClaim, { force: true });
  return claimStart(files);
}

/** Whether another process is starting this job, so that its records may still be empty. */
export function isBeingStarted({ startClaim }: Pick<JobFiles, 'startClaim'>): boolean {
  try {
    return isAlive(identitySchema.parse(JSON.parse(readFileSync(startClaim, 'utf8'))));
  } catch {
    return false;
  }
}

function readCompleteLine(file: string): string | null {
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
