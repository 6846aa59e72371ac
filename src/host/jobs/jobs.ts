import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { type Clock, getUptime } from '../../platform/clock.ts';
import { getDirectoryIdentity } from '../../platform/files.ts';
import { findLiveProcess, isAlive } from '../../platform/process.ts';
import type { UserUnit } from '../user-unit.ts';
import {
  claimStart,
  createJobDirectory,
  getJobFiles,
  type JobFiles,
  readExit,
  readRecordedProcess,
  readStartRecord,
  writeStartRecord,
} from './job-files.ts';
import { isSupervisorAlive, type JobStatus, readJobProcess, readJobStatus, SUPERVISOR_MARK } from './job-status.ts';
import { type RestartPolicy, SUPERVISOR_SCRIPT } from './job-supervisor.ts';

const words = () => catalogue().bastion;

/** Result of `startJob`. */
interface StartJobResult extends JobStatus {
  /** Whether the job was running already and was left unchanged. */
  readonly wasRunning: boolean;
}

interface JobOptions {
  /** The job directory; created with mode 0700. */
  readonly dir: string;
  /** Lowercase letters, digits and hyphens. */
  readonly name: string;
  /** The program (absolute path) and its arguments. No secrets: anyone on the machine can read them. */
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** When it is restarted after its program ended; default `never`. */
  readonly restart?: RestartPolicy;
  /** Exit codes, besides 0, after which it is never restarted. */
  readonly finalCodes?: readonly number[];
  /** Reports each exit to the event command of an install directory, with our executable. Omitted: no report. */
  readonly exitReport?: { readonly executable: string; readonly installDir: string };
  /** The whole environment of the program; default: our PATH and HOME, and LANG=C. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The version of upi-wizard, for the record of the start; missing or null: unknown. */
  readonly version?: string | null | undefined;
}

const POLL_MS = 50;

/**
 * Starts a program detached from us and from the terminal, with its output in its own log. A running job of this name
 * is left unchanged and returned; if it should be restarted but has lost its supervisor, it is started again.
 * @throws UserErrorException `job-program-missing`, `job-not-recorded`
 */
export async function startJob(options: JobOptions): Promise<StartJobResult> {
  const files = getJobFiles(options.dir, options.name);
  createJobDirectory(options.dir);
  assertExecutable(options.argv[0] ?? '');
  for (;;) {
    const release = claimStart(files);
    if (release) {
      try {
        return await startClaimedJob(options, files);
      } finally {
        release();
      }
    }
    await options.clock.sleep(POLL_MS);
  }
}

async function startClaimedJob(options: JobOptions, files: JobFiles): Promise<StartJobResult> {
  const previousJob = readJobStatus(files);
  const { name, argv, clock, restart = 'never', finalCodes = [], exitReport } = options;
  const canKeepRunning = previousJob?.isSupervised || restart === 'never';
  if (previousJob?.state === 'running' && canKeepRunning) return { ...previousJob, wasRunning: true };
  // A job without a supervisor is replaced by one that has a supervisor.
  if (previousJob?.state === 'running') await stopJob(options.dir, name, { clock });
  const reportArgs = exitReport
    ? [process.execPath, exitReport.executable, exitReport.installDir, name]
    : ['', '', '', name];
  const policyArgs = [restart, finalCodes.join(' '), ...reportArgs];
  const supervisor = [
    '/bin/sh',
    '-c',
    SUPERVISOR_SCRIPT,
    SUPERVISOR_MARK,
    ...listRecordPaths(files),
    ...policyArgs,
    ...argv,
  ];
  // Imported when a job is started, as in spawnSupervisor.
  const { createUserUnit } = await import('../user-unit.ts');
  const unit = await createUserUnit(name);
  // If the user's service manager refuses the unit, the job runs as a plain process.
  for (const launcher of unit === null ? [null] : [unit, null]) {
    writeStartRecord(files, {
      name,
      argv,
      startedAt: clock.now(),
      restart,
      unit: launcher?.name ?? null,
      home: getDirectoryIdentity(options.dir),
      version: options.version ?? null,
    });
    await spawnSupervisor([...(launcher?.argv ?? []), ...supervisor], { ...options, unitEnv: launcher?.env }, files);
    const status = readJobStatus(files);
    if (status && (status.pid !== null || status.exitCode !== null)) return { ...status, wasRunning: false };
  }
  throw createNotRecordedError(name, files.log);
}

const listRecordPaths = ({ process, exit, lastRestart, runEvents, log }: JobFiles) => [
  process,
  exit,
  lastRestart,
  runEvents,
  log,
];

/** Spawns the supervisor; resolves when it has recorded its process, or has ended. */
async function spawnSupervisor(
  [program = '', ...argv]: readonly string[],
  {
    cwd,
    env,
    unitEnv,
    clock,
  }: Pick<JobOptions, 'cwd' | 'env' | 'clock'> & { readonly unitEnv: UserUnit['env'] | undefined },
  files: JobFiles,
): Promise<void> {
  // Imported when a job is started: most programs only read its status.
  const { spawn } = await import('node:child_process');
  const log = openSync(files.log, 'a', 0o600);
  let hasEnded = false;
  try {
    const child = spawn(program, argv, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...(env ?? getDefaultEnvironment()), ...unitEnv },
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
  // No timeout: the shell either records the process or ends.
  while (readRecordedProcess(files) === null && readExit(files) === null && !hasEnded) await clock.sleep(POLL_MS);
}

/**
 * Stops a job: SIGTERM to its process group, and SIGKILL to the program if it is still alive after the grace period.
 * @param graceMs real milliseconds: however fast a rehearsal is, a program needs its time to end
 * @returns the job after it ended; null: no such job
 */
export async function stopJob(
  dir: string,
  name: string,
  { clock, graceMs = 10_000 }: { readonly clock: Clock; readonly graceMs?: number },
): Promise<JobStatus | null> {
  const files = getJobFiles(dir, name);
  const deadline = getUptime() + graceMs;
  let hasKilled = false;
  signalJob(files, 'SIGTERM');
  for (;;) {
    const status = readJobStatus(files);
    if (status?.state !== 'running') return status;
    if (!hasKilled && getUptime() >= deadline) {
      signalJob(files, 'SIGKILL');
      hasKilled = true;
    }
    // The first signal may have arrived just before the pause began, and would then not end the pause.
    if (status.isAwaitingRestart) signalJob(files, 'SIGTERM');
    await clock.sleep(POLL_MS);
  }
}

function signalJob(files: JobFiles, signal: 'SIGTERM' | 'SIGKILL'): void {
  const recordedProcess = readJobProcess(files, readStartRecord(files));
  if (!recordedProcess) return;
  const liveProcess = isAlive(recordedProcess) ? findLiveProcess(recordedProcess.pid) : null;
  const isGroupIntact = liveProcess
    ? liveProcess.group === recordedProcess.group
    : isSupervisorAlive(recordedProcess, files);
  // A killed shell could not record the exit, so SIGKILL goes to the program only.
  const target = signal === 'SIGTERM' && isGroupIntact ? -recordedProcess.group : liveProcess?.pid;
  if (target === undefined) return;
  try {
    process.kill(target, signal);
  } catch {
    // The process has already ended.
  }
}

function getDefaultEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: process.env.HOME ?? '/', LANG: 'C' };
}

function assertExecutable(program: string): void {
  try {
    if (!isAbsolute(program)) throw new TypeError('not absolute');
    accessSync(program, constants.X_OK);
  } catch (error) {
    const { title, cause, remedy } = words().jobProgramMissing;
    throw new UserErrorException(
      { code: 'job-program-missing', title, cause: cause(program), remedy },
      { cause: error },
    );
  }
}

function createNotRecordedError(name: string, log: string): UserErrorException {
  const { title, cause, remedy } = words().jobNotRecorded;
  return new UserErrorException({ code: 'job-not-recorded', title, cause: cause(name, log), remedy });
}
