import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Clock, uptime } from '../../ports/clock.ts';
import { directoryIdentity } from '../../ports/directory-identity.ts';
import { isAlive, livingProcess } from '../../ports/process-identity.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import { type UserUnit, userUnit } from '../logout.ts';
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
import { isShellAtWork, type JobStatus, MARK, processOf, statusOf } from './job-status.ts';
import { type Restart, SUPERVISOR } from './job-supervisor.ts';

const words = () => catalogue().bastion;

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
  /** When it is started again after its program ended; default `never`. */
  readonly restart?: Restart;
  /** Codes after which it is not started again all the same, besides 0. */
  readonly finalCodes?: readonly number[];
  /** Who is told how the program ended: our executable, about an install directory. Left out: nobody. */
  readonly tells?: { readonly executable: string; readonly installDir: string };
  /** The whole environment of the program; default PATH and HOME of ours, and LANG=C. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

const POLL_MS = 50;

/**
 * Starts a program detached from us and from the terminal, with its output in a log of its own; a job of this name that
 * still runs is left alone and returned (but for one that is to be restarted and has lost its supervisor: that is begun anew).
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
  const running = statusOf(files);
  const { name, argv, clock, restart = 'never', finalCodes = [], tells } = options;
  const isKept = running?.isSupervised || restart === 'never';
  if (running?.state === 'running' && isKept) return { ...running, wasRunning: true };
  // One that nobody would start again makes room for one that somebody does.
  if (running?.state === 'running') await stopJob(options.dir, name, { clock });
  const told = tells ? [process.execPath, tells.executable, tells.installDir, name] : ['', '', '', name];
  const how = [restart, finalCodes.join(' '), ...told];
  const supervisor = ['/bin/sh', '-c', SUPERVISOR, MARK, ...recordsOf(files), ...how, ...argv];
  const unit = await userUnit(name);
  // Where the user's manager refuses it, it is a process of its own.
  for (const way of unit === null ? [null] : [unit, null]) {
    writeIntent(files, {
      name,
      argv,
      startedAt: clock.now(),
      restart,
      unit: way?.name ?? null,
      home: directoryIdentity(options.dir),
    });
    await spawnDetached([...(way?.argv ?? []), ...supervisor], { ...options, more: way?.env }, files);
    const status = statusOf(files);
    if (status && (status.pid !== null || status.exitCode !== null)) return { ...status, wasRunning: false };
  }
  throw notRecorded(name, files.log);
}

const recordsOf = ({ process, exit, last, runs, log }: JobFiles) => [process, exit, last, runs, log];

/** Starts it; returns when it has recorded its process, or has ended. */
async function spawnDetached(
  [program = '', ...argv]: readonly string[],
  { cwd, env, more, clock }: Pick<JobOptions, 'cwd' | 'env' | 'clock'> & { readonly more: UserUnit['env'] | undefined },
  files: JobFiles,
): Promise<void> {
  // Loaded when a job is started: most programs only look at them.
  const { spawn } = await import('node:child_process');
  const log = openSync(files.log, 'a', 0o600);
  let hasEnded = false;
  try {
    const child = spawn(program, argv, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...(env ?? defaultEnvironment()), ...more },
      cwd,
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
  while (readProcess(files) === null && readExit(files) === null && !hasEnded) await clock.sleep(POLL_MS);
}

/**
 * Ends a job: SIGTERM to its process group, and SIGKILL to the program when it still lives after the grace.
 * @param graceMs milliseconds of the machine: however fast a rehearsal plays, a program needs its time to end
 * @returns the job after it ended; null: no such job
 */
export async function stopJob(
  dir: string,
  name: string,
  { clock, graceMs = 10_000 }: { readonly clock: Clock; readonly graceMs?: number },
): Promise<JobStatus | null> {
  const files = jobFiles(dir, name);
  const deadline = uptime() + graceMs;
  let hasKilled = false;
  signalJob(files, 'SIGTERM');
  for (;;) {
    const status = statusOf(files);
    if (status?.state !== 'running') return status;
    if (!hasKilled && uptime() >= deadline) {
      signalJob(files, 'SIGKILL');
      hasKilled = true;
    }
    // The first signal may have come just before the pause began.
    if (status.isPausing) signalJob(files, 'SIGTERM');
    await clock.sleep(POLL_MS);
  }
}

function signalJob(files: JobFiles, signal: 'SIGTERM' | 'SIGKILL'): void {
  const found = processOf(files, readIntent(files));
  if (!found) return;
  const living = isAlive(found) ? livingProcess(found.pid) : null;
  const isLed = living ? living.group === found.group : isShellAtWork(found, files);
  // A killed shell could not record the end, so only the program itself is killed for good.
  const target = signal === 'SIGTERM' && isLed ? -found.group : living?.pid;
  if (target === undefined) return;
  try {
    process.kill(target, signal);
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
