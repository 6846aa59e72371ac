import { accessSync, closeSync, constants, openSync, readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Clock } from '../ports/clock.ts';
import { isAlive, livingProcess } from '../ports/process-identity.ts';
import { catalogue } from '../text/catalogue.ts';
import { TroubleError } from '../text/trouble.ts';
import {
  claimStart,
  type JobFiles,
  jobFiles,
  makeJobDirectory,
  readExit,
  readIntent,
  readProcess,
  writeIntent,
} from './job-files.ts';

const words = () => catalogue().bastion;

/** A program that outlives the terminal. */
export interface JobStatus {
  readonly name: string;
  /** `lost`: it no longer runs, and how it ended is not recorded (the machine went down, or its shell was killed). */
  readonly state: 'running' | 'ended' | 'lost';
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

/** A job as startJob hands it over. */
export interface Job extends JobStatus {
  /** It was running already, and was left alone. */
  readonly wasRunning: boolean;
}

export interface JobOptions {
  /** The job directory; made with mode 0700. */
  readonly dir: string;
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** The program (absolute path) and its arguments. No secrets: anyone on the machine can read them. */
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the program; default PATH and HOME of ours, and LANG=C. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

// The outer shell waits and records how the program ended; the inner one records who it is and becomes the program. The
// handlers are empty, not ignored: a signal to the whole group ends the program (its handlers are reset), and the outer
// shell lives on to record it.
const SUPERVISOR = `trap : HUP INT QUIT TERM
process=$1; exit=$2; shift 2
/bin/sh -c 'read -r stat </proc/$$/stat; printf "%s\\n" "$stat" >"$0"; exec "$@"' "$process" "$@"
printf "%s\\n" "$?" >"$exit"`;

const POLL_MS = 50;

/**
 * Starts a program detached from us and from the terminal, with its output in a log of its own; a job of this name that
 * still runs is left alone and returned.
 * @throws TroubleError `job-program-missing`, `job-not-recorded`
 */
export async function startJob(options: JobOptions): Promise<Job> {
  const files = jobFiles(options.dir, options.name);
  makeJobDirectory(options.dir);
  assertExecutable(options.argv[0] ?? '');
  for (;;) {
    const release = claimStart(files);
    if (release) {
      try {
        return await startClaimed(options, files);
      } finally {
        release();
      }
    }
    await options.clock.sleep(POLL_MS);
  }
}

async function startClaimed(options: JobOptions, files: JobFiles): Promise<Job> {
  // Loaded when a job is started: most programs only look at them.
  const { spawn } = await import('node:child_process');
  const running = statusOf(files);
  if (running?.state === 'running') return { ...running, wasRunning: true };
  writeIntent(files, { name: options.name, argv: options.argv, startedAt: options.clock.now() });
  const log = openSync(files.log, 'a', 0o600);
  let hasEnded = false;
  try {
    const shell = ['-c', SUPERVISOR, 'upi-wizard-job', files.process, files.exit, ...options.argv];
    const child = spawn('/bin/sh', shell, {
      detached: true,
      stdio: ['ignore', log, log],
      env: options.env ?? defaultEnvironment(),
      cwd: options.cwd,
    });
    child.unref();
    for (const event of ['exit', 'error']) {
      child.once(event, () => {
        hasEnded = true;
      });
    }
  } finally {
    closeSync(log);
  }
  // No time-out: either the shell records the process, or it ends.
  while (readProcess(files) === null && readExit(files) === null && !hasEnded) await options.clock.sleep(POLL_MS);
  const status = statusOf(files);
  if (!status || (status.pid === null && status.exitCode === null)) throw notRecorded(options.name, files.log);
  return { ...status, wasRunning: false };
}

/** The job of this name as it is now, found again by process number and start time; null where none was ever started. */
export async function findJob(dir: string, name: string): Promise<JobStatus | null> {
  return statusOf(jobFiles(dir, name));
}

/**
 * Ends a job: SIGTERM to its process group, and SIGKILL to the program when it still lives after the grace.
 * @param graceMs milliseconds of the clock
 * @returns the job after it ended; null: no such job
 */
export async function stopJob(
  dir: string,
  name: string,
  { clock, graceMs = 10_000 }: { readonly clock: Clock; readonly graceMs?: number },
): Promise<JobStatus | null> {
  const files = jobFiles(dir, name);
  const deadline = clock.now() + graceMs;
  let hasKilled = false;
  signalJob(files, 'SIGTERM');
  for (;;) {
    const status = statusOf(files);
    if (status?.state !== 'running') return status;
    if (!hasKilled && clock.now() >= deadline) {
      signalJob(files, 'SIGKILL');
      hasKilled = true;
    }
    await clock.sleep(POLL_MS);
  }
}

function statusOf(files: JobFiles): JobStatus | null {
  const intent = readIntent(files);
  if (!intent) return null;
  const found = readProcess(files);
  // Asked before the exit record is read: a program that ends in between has written it by then or its shell still lives.
  const isRunning = found !== null && (isAlive(found) || isShellAtWork(found.group, found.pid));
  const exit = readExit(files);
  return {
    name: intent.name,
    state: exit ? 'ended' : isRunning ? 'running' : 'lost',
    pid: found?.pid ?? null,
    processStart: found?.start ?? null,
    argv: intent.argv,
    startedAt: intent.startedAt,
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    logFile: files.log,
  };
}

/** Between the end of the program and its record: the shell, leader of the group, is still there. */
function isShellAtWork(group: number, program: number): boolean {
  const shell = group === program ? null : livingProcess(group);
  return shell !== null && shell.group === group && isSupervisor(group);
}

function isSupervisor(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0upi-wizard-job\0');
  } catch {
    return false;
  }
}

function signalJob(files: JobFiles, signal: 'SIGTERM' | 'SIGKILL'): void {
  const found = readProcess(files);
  const living = found && isAlive(found) ? livingProcess(found.pid) : null;
  if (!found || !living) return;
  // A killed shell could not record the end, so only the program itself is killed for good.
  const isWholeGroup = signal === 'SIGTERM' && living.group === found.group;
  try {
    process.kill(isWholeGroup ? -living.group : living.pid, signal);
  } catch {
    // It ended in between.
  }
}

function defaultEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: process.env.HOME ?? '/', LANG: 'C' };
}

function assertExecutable(program: string): void {
  try {
    if (!isAbsolute(program)) throw new TypeError('not absolute');
    accessSync(program, constants.X_OK);
  } catch (error) {
    const { title, cause, whatToDo } = words().jobProgramMissing;
    throw new TroubleError({ code: 'job-program-missing', title, cause: cause(program), whatToDo }, { cause: error });
  }
}

function notRecorded(name: string, log: string): TroubleError {
  const { title, cause, whatToDo } = words().jobNotRecorded;
  return new TroubleError({ code: 'job-not-recorded', title, cause: cause(name, log), whatToDo });
}
