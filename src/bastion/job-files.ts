import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { isAlive, ownIdentity, parseStat } from '../ports/process-identity.ts';
import * as z from '../ports/zod.ts';

/** What was asked for: written before the process is started, so that no job runs unknown. */
export interface JobIntent {
  readonly name: string;
  readonly argv: readonly string[];
  /** Milliseconds of the clock. */
  readonly startedAt: number;
}

/** How a program ended. A shell reports a signal as 128 plus its number, and so does a program that exits that way itself. */
export interface JobExit {
  readonly code: number;
  readonly signal: string | null;
}

const intentSchema = z.object({ name: z.string(), argv: z.array(z.string()).min(1), startedAt: z.number() });
const identitySchema = z.object({ pid: z.number(), start: z.string() });

/** The files of one job. `process` and `exit` are written by the job's own shell and are complete when they end in a newline. */
export function jobFiles(dir: string, name: string) {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw new TypeError(`not a job name: ${name}`);
  return {
    intent: join(dir, `${name}.json`),
    log: join(dir, `${name}.log`),
    process: join(dir, `${name}.process`),
    exit: join(dir, `${name}.exit`),
    starting: join(dir, `${name}.starting`),
  } as const;
}

export type JobFiles = ReturnType<typeof jobFiles>;

/** Makes the job directory, for its owner only. */
export function makeJobDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
}

/** Records what is about to start and empties the records of the run before. */
export function writeIntent(files: JobFiles, intent: JobIntent): void {
  for (const file of [files.process, files.exit]) {
    rmSync(file, { force: true });
    writePrivate(file, '');
  }
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
  const code = Number(line);
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
  if (isClaimAlive(files.starting)) return null;
  rmSync(files.starting, { force: true });
  return claimStart(files);
}

function isClaimAlive(file: string): boolean {
  try {
    return isAlive(identitySchema.parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch {
    return false;
  }
}

function completeLine(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8');
    return text.endsWith('\n') ? text.slice(0, -1) : null;
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
