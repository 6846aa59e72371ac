import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isCopied } from '../../ports/directory-identity.ts';
import { isAlive, livingProcess } from '../../ports/process-identity.ts';
import {
  type JobFiles,
  type JobIntent,
  type JobRestart,
  jobFiles,
  readExit,
  readIntent,
  readProcess,
  readRestart,
} from './job-files.ts';

/** A program that outlives the terminal. */
export interface JobStatus {
  readonly name: string;
  /**
   * `running`: also while its supervisor waits before it starts the program again. `lost`: it no longer runs, and how it ended
   * is not recorded (the machine went down, or its shell was killed).
   */
  readonly state: 'running' | 'ended' | 'lost';
  /** The shell that starts it again is there; without it a running program is not started again when it ends. */
  readonly isSupervised: boolean;
  /** The program has ended and will be started again. */
  readonly isPausing: boolean;
  /** The unit of the user's manager that it was started in; null: it is a process of its own. */
  readonly unit: string | null;
  /** The last end after which it was started again, or will be; null where there was none. */
  readonly restarted: JobRestart | null;
  readonly pid: number | null;
  /** Field 22 of /proc/<pid>/stat. */
  readonly processStart: string | null;
  readonly argv: readonly string[];
  /** Milliseconds of the clock. */
  readonly startedAt: number;
  /** null until it has ended; 128 plus the number for one that a signal ended. */
  readonly exitCode: number | null;
  /** The signal that ended it ("SIGKILL"), or null. */
  readonly signal: string | null;
  /** What it printed, both streams. */
  readonly logFile: string;
}

/** The name that the supervisor of a job has for itself, beside the files of the job. */
export const MARK = 'upi-wizard-job';

/** The job of this name as it is now, found again by process number and start time; null where none was ever started. */
export async function findJob(dir: string, name: string): Promise<JobStatus | null> {
  return statusOf(jobFiles(dir, name));
}

/** The job with these files as it is now; null where none was ever started. */
export function statusOf(files: JobFiles): JobStatus | null {
  const intent = readIntent(files);
  if (!intent) return null;
  // Read first: once it is there, the program that ended is gone.
  const restarted = readRestart(files);
  const found = processOf(files, intent);
  // Asked before the exit record is read: a program that ends in between has written it by then or its shell still lives.
  const isUp = found !== null && isAlive(found);
  const isSupervised = found !== null && isShellAtWork(found, files);
  const exit = readExit(files);
  return {
    name: intent.name,
    state: exit ? 'ended' : isUp || isSupervised ? 'running' : 'lost',
    isSupervised: !exit && isSupervised,
    isPausing: !exit && !isUp && isSupervised && intent.restart !== 'never',
    restarted,
    unit: intent.unit,
    pid: found?.pid ?? null,
    processStart: found?.start ?? null,
    argv: intent.argv,
    startedAt: intent.startedAt,
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    logFile: files.log,
  };
}

/** The process of the program; null also in a copy of the directory, whose job is the other one's. */
export function processOf(files: JobFiles, intent: JobIntent | null): ReturnType<typeof readProcess> {
  return isCopied(intent?.home, dirname(files.intent)) ? null : readProcess(files);
}

/** The shell leads the group, and is there before the program, between its runs, and until its end is recorded. */
export function isShellAtWork(
  { pid, group }: { readonly pid: number; readonly group: number },
  files: JobFiles,
): boolean {
  const shell = group === pid ? null : livingProcess(group);
  return shell !== null && shell.group === group && isSupervisor(group, files);
}

function isSupervisor(pid: number, files: JobFiles): boolean {
  try {
    const [, record] = /\0upi-wizard-job\0([^\0]+)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? [];
    // By its name only: the directory may have moved since.
    return record !== undefined && basename(record) === basename(files.process);
  } catch {
    return false;
  }
}
