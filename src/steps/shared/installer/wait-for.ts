import { readFile } from 'node:fs/promises';
import { getJobFiles, isBeingStarted } from '../../../host/jobs/job-files.ts';
import { findJob } from '../../../host/jobs/job-status.ts';
import { startJob } from '../../../host/jobs/jobs.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import type { LogLine, LogSource } from '../../../installer/log.ts';
import { createLogBuffer, createLogFollower, type LogSnapshot } from '../../../installer/log.ts';
import { buildWaitForArgv } from '../../../installer/openshift-install.ts';
import { getInstallerEnvironment } from '../../../installer/programs.ts';
import { registerSecrets } from '../../../platform/secrets.ts';
import type { Step, StepContext } from '../../contract.ts';
import type { InstallerLog } from '../../probe-cache.ts';
import { readCredentials } from '../files/credentials.ts';
import { workspace } from '../workspace.ts';
import { findInstaller } from './images.ts';

/**
 * Derives the state of a wait whose process is gone without a recorded end. It is being started, or it is lost, as
 * after a crash of the machine. A wait only observes the cluster, so it can start again.
 */
function deriveLostWaitState(jobs: string, wait: string): 'running' | 'none' {
  return isBeingStarted(getJobFiles(jobs, wait)) ? 'running' : 'none';
}

/** The targets that the installer waits for; the jobs that wait have these names. */
export const WAIT_TARGETS = ['bootstrap-complete', 'install-complete'] as const;
type WaitTarget = (typeof WAIT_TARGETS)[number];

/** The state of the installer's own wait. `none`: never started here, or lost without a record. */
export type WaitState =
  | { readonly state: 'none' | 'running' | 'complete' }
  | { readonly state: 'gave-up'; readonly code: number; readonly signal: string | null };

/**
 * Starts `openshift-install wait-for …` as a job that outlives the wizard. It only observes the cluster, so it can
 * start again after an earlier one gave up.
 */
async function startWait(context: StepContext, wait: WaitTarget): Promise<void> {
  const program = await findInstaller(context);
  if (program === null) {
    throw new UserErrorException({
      code: 'installer-missing',
      title: catalogue().diagnosis.prepare['installer-missing'].title,
      cause: context.programDirectories.join(', '),
      remedy: catalogue().steps.prepare.backToPrepare,
    });
  }
  const { jobsDir: jobs, dir } = workspace(context.dir);
  await startJob({
    dir: jobs,
    name: wait,
    argv: [program, ...buildWaitForArgv(dir, wait)],
    env: getInstallerEnvironment(),
    clock: context.clock,
    version: context.programs.version,
    restart: 'killed',
    exitReport: { executable: context.programs.executable, installDir: dir },
  });
}

/** Reads the state of the installer's own wait from the job that runs or ran here: `complete` is its exit code 0. */
export async function readWaitState(context: StepContext, wait: WaitTarget): Promise<WaitState> {
  const { jobsDir: jobs } = workspace(context.dir);
  const job = await findJob(jobs, wait);
  if (job === null) return { state: 'none' };
  if (job.state === 'lost') return { state: deriveLostWaitState(jobs, wait) };
  if (job.state === 'running') return { state: 'running' };
  if (job.exitCode === 0) return { state: 'complete' };
  return { state: 'gave-up', code: job.exitCode ?? 1, signal: job.signal };
}

/** Creates the actions of a step that only waits: starts the installer's own wait, which outlives the wizard. */
export function createWaitActions(
  wait: WaitTarget,
  getStartText: () => string,
  getEffectText: () => string,
): Pick<Step<unknown>, 'plan' | 'apply'> {
  return {
    plan: async () => ({
      changes: [{ object: getStartText(), what: getEffectText(), before: null, after: null }],
      isDangerous: false,
      instructions: [],
    }),
    async apply(context, report) {
      report(getStartText());
      await startWait(context, wait);
    },
  };
}

export type { LogLine, LogSnapshot, MarkedLogLine } from '../../../installer/log.ts';

/** Chunks (of 1 MiB) that one probe reads at most, so that it never delays keyboard input for long. */
const MAX_CHUNKS = 16;

/** Reads all lines of `.openshift_install.log` and those added from the bootstrap node, without secrets. */
export async function readInstallerLog(context: StepContext): Promise<LogSnapshot> {
  const log = getInstallerLog(context);
  log.pendingRead ??= readChunks(context, log).finally(() => {
    log.pendingRead = null;
  });
  await log.pendingRead;
  return log.buffer.getSnapshot();
}

/** Returns the last lines of `.openshift_install.log`. */
export async function tailInstallerLog(context: StepContext, lineCount: number): Promise<readonly LogLine[]> {
  const { lines: allLines } = await readInstallerLog(context);
  return allLines.filter(({ source }) => source === 'installer').slice(-lineCount);
}

/** Adds lines of the bootstrap node to the log, in the order of their arrival. */
export function addToLog(context: StepContext, source: LogSource, lines: readonly LogLine[]): void {
  getInstallerLog(context).buffer.add(source, lines, context.clock.now());
}

function getInstallerLog({ dir, probeCache }: StepContext): InstallerLog {
  if (probeCache.installerLog) return probeCache.installerLog;
  const log: InstallerLog = {
    buffer: createLogBuffer(),
    follower: createLogFollower(workspace(dir).installerLog),
    pendingRead: null,
  };
  probeCache.installerLog = log;
  return log;
}

async function readChunks(context: StepContext, log: InstallerLog): Promise<void> {
  await registerInstallationSecrets(context);
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const lines = await log.follower.next();
    if (lines.length === 0) return;
    log.buffer.add('installer', lines, context.clock.now());
  }
}

/**
 * Registers the exact secrets of this installation for redaction: the password here, those of the credential files in
 * `readCredentials`.
 */
async function registerInstallationSecrets({ dir, credentials }: StepContext): Promise<void> {
  const [password] = await Promise.all([
    readFile(workspace(dir).kubeadminPassword, 'utf8').catch(() => ''),
    readCredentials({ credentials }).catch(() => null),
  ]);
  registerSecrets([password]);
}
