import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isCopiedDirectory } from '../../platform/files.ts';
import { findLiveProcess, isAlive } from '../../platform/process.ts';
import {
  getJobFiles,
  type JobFiles,
  type JobRestart,
  type JobStartRecord,
  readExit,
  readRecordedProcess,
  readRestart,
  readStartRecord,
} from './job-files.ts';

/** Status of a job: a program that outlives the terminal. */
export interface JobStatus {
  readonly name: string;
  /**
   * `running`: also while its supervisor waits before it restarts the program. `lost`: it no longer runs and its exit
   * is not recorded (the machine went down, or its shell was killed).
   */
  readonly state: 'running' | 'ended' | 'lost';
  /** Whether its supervisor shell is alive; without the shell, a running program is not restarted when it ends. */
  readonly isSupervised: boolean;
  /** Whether the program has ended and will be restarted. */
  readonly isAwaitingRestart: boolean;
  /** The unit of the user's service manager that it was started in; null: a plain process. */
  readonly unit: string | null;
  /** The last exit that was followed by a restart; null if there was none. */
  readonly lastRestart: JobRestart | null;
  readonly pid: number | null;
  /** Field 22 of /proc/<pid>/stat. */
  readonly processStart: string | null;
  readonly argv: readonly string[];
  /** The version of upi-wizard that started it; null: an older version, which did not record it. */
  readonly version: string | null;
  /** Milliseconds of the clock. */
  readonly startedAt: number;
  /** Null until it has ended; 128 plus the number for an exit by a signal. */
  readonly exitCode: number | null;
  /** The signal that ended it ("SIGKILL"), or null. */
  readonly signal: string | null;
  /** Output of the program, both streams. */
  readonly logFile: string;
}

/** Name of the supervisor in its own command line, before the files of the job. */
export const SUPERVISOR_MARK = 'upi-wizard-job';

/** Finds the job of this name and reads its current status; null if it was never started. */
export async function findJob(dir: string, name: string): Promise<JobStatus | null> {
  return readJobStatus(getJobFiles(dir, name));
}

/** Reads the current status of the job with these files; null if it was never started. */
export function readJobStatus(files: JobFiles): JobStatus | null {
  const startRecord = readStartRecord(files);
  if (!startRecord) return null;
  // The restart is read first: once it is recorded, the run of the program before it has ended.
  const lastRestart = readRestart(files);
  const recordedProcess = readJobProcess(files, startRecord);
  // Checked before the exit record: a program that ends in between has recorded its exit by then, or its shell is still
  // alive.
  const isRunning = recordedProcess !== null && isAlive(recordedProcess);
  const isSupervised = recordedProcess !== null && isSupervisorAlive(recordedProcess, files);
  const exit = readExit(files);
  return {
    name: startRecord.name,
    state: exit ? 'ended' : isRunning || isSupervised ? 'running' : 'lost',
    isSupervised: !exit && isSupervised,
    isAwaitingRestart: !exit && !isRunning && isSupervised && startRecord.restart !== 'never',
    lastRestart,
    unit: startRecord.unit,
    pid: recordedProcess?.pid ?? null,
    processStart: recordedProcess?.start ?? null,
    argv: startRecord.argv,
    version: startRecord.version,
    startedAt: startRecord.startedAt,
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    logFile: files.log,
  };
}

/** Reads the process of the program; null also in a copied directory, because the job belongs to the original one. */
export function readJobProcess(
  files: JobFiles,
  startRecord: JobStartRecord | null,
): ReturnType<typeof readRecordedProcess> {
  return isCopiedDirectory(startRecord?.home, dirname(files.startRecord)) ? null : readRecordedProcess(files);
}

/**
 * Whether the supervisor shell is alive. It leads the process group: before the program starts, between the runs of the
 * program, and until the exit is recorded.
 */
export function isSupervisorAlive(
  { pid, group }: { readonly pid: number; readonly group: number },
  files: JobFiles,
): boolean {
  const shell = group === pid ? null : findLiveProcess(group);
  return shell !== null && shell.group === group && isSupervisor(group, files);
}

function isSupervisor(pid: number, files: JobFiles): boolean {
  try {
    const [, record] = /\0upi-wizard-job\0([^\0]+)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? [];
    // By name only: the directory may have moved since.
    return record !== undefined && basename(record) === basename(files.process);
  } catch {
    return false;
  }
}
