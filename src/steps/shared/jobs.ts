import { type Finding, runChecks } from '../../checks/check.ts';
import { type BackgroundJob, JOB_CHECKS, type JobEvidence, LOGOUT_CHECKS } from '../../checks/jobs.ts';
import { toSiteTime } from '../../host/boot-server/boot-config.ts';
import { readLastLine } from '../../host/jobs/job-files.ts';
import { findJob, type JobStatus } from '../../host/jobs/job-status.ts';
import { startJob, stopJob } from '../../host/jobs/jobs.ts';
import { readLogoutRules } from '../../host/user-unit.ts';
import { getLanguageArgs } from '../../i18n/catalogue.ts';
import { SECOND, systemClock } from '../../platform/clock.ts';
import type { StepContext } from '../contract.ts';
import { WAIT_TARGETS } from './installer/wait-for.ts';
import { BOOT_SERVER_JOB } from './machines/boot-server-job.ts';
import { MOVES_JOB } from './moves/move-run.ts';
import { workspace } from './workspace.ts';

/**
 * Name of the job that approves expected CSRs and outlives the wizard. It is for sites whose nodes come and go: only
 * nodes of the design may join.
 */
export const CSR_APPROVAL_JOB = 'csr-follow';

/** Finds the job that approves CSRs; null if it was never started. */
export function findCsrApprovalJob({ dir }: Pick<StepContext, 'dir'>): Promise<JobStatus | null> {
  return findJob(workspace(dir).jobsDir, CSR_APPROVAL_JOB);
}

/**
 * Starts the job; a running one is left alone.
 * @throws UserErrorException `job-…`
 */
export async function startCsrApprovalJob({ dir, programs }: Pick<StepContext, 'dir' | 'programs'>) {
  const command = ['csr', 'approve', '--follow', '--forever', '--dir', dir, ...getLanguageArgs()];
  return await startJob({
    dir: workspace(dir).jobsDir,
    name: CSR_APPROVAL_JOB,
    argv: [process.execPath, programs.executable, ...command],
    clock: systemClock,
    version: programs.version,
    exitReport: { executable: programs.executable, installDir: dir },
    restart: 'failed',
    // Exit codes for wrong usage, and for errors that a restart does not resolve.
    finalCodes: [2, 4],
  });
}

/**
 * Stops the job after the approval in progress.
 * @returns how it ended; null if it was never started
 */
export async function stopCsrApprovalJob({ dir }: Pick<StepContext, 'dir'>): Promise<JobStatus | null> {
  return await stopJob(workspace(dir).jobsDir, CSR_APPROVAL_JOB, { clock: systemClock });
}

/** The names of all jobs that can exist. */
export const JOB_NAMES = [BOOT_SERVER_JOB, ...WAIT_TARGETS, CSR_APPROVAL_JOB, MOVES_JOB] as const;

/** Stops everything that runs for an install directory. */
export async function stopJobs(dir: string): Promise<void> {
  const { jobsDir } = workspace(dir);
  await Promise.all(JOB_NAMES.map((name) => stopJob(jobsDir, name, { clock: systemClock })));
}

/**
 * Checks a job that should run until the user stops it: it was restarted, keeps ending, or is gone without a record of
 * its end.
 */
export async function checkJob(
  { dir, clock, clockAnchorFile, programs }: Pick<StepContext, 'dir' | 'clock' | 'clockAnchorFile' | 'programs'>,
  name: BackgroundJob,
): Promise<Finding[]> {
  const job = await findJob(workspace(dir).jobsDir, name);
  if (job === null || job.state === 'ended') return [];
  const { state, isSupervised, isAwaitingRestart, lastRestart, logFile, pid } = job;
  const restartEvidence: JobEvidence['lastRestart'] = lastRestart && {
    ...lastRestart,
    // The supervisor records the time of this machine: converts it to the time of the site.
    at: toSiteTime(clockAnchorFile, lastRestart.at),
    restartDelay: lastRestart.restartDelay * SECOND,
    lastLine: readLastLine(logFile, lastRestart.logSize),
  };
  return runChecks(JOB_CHECKS, {
    now: clock.now(),
    jobs: [
      {
        job: name,
        dir,
        state,
        isSupervised,
        isAwaitingRestart,
        lastRestart: restartEvidence,
        logFile,
        pid,
        version: job.version,
      },
    ],
    version: programs.version ?? null,
  });
}

/** Checks with systemd-logind whether a running job ends when its user logs out, although it should continue. */
export async function checkLogout({ dir }: Pick<StepContext, 'dir'>, name: BackgroundJob): Promise<Finding[]> {
  const job = await findJob(workspace(dir).jobsDir, name);
  const rules = job?.state === 'running' ? await readLogoutRules() : null;
  if (job === null || rules === null) return [];
  return runChecks(LOGOUT_CHECKS, { ...rules, job: name, dir, isUnit: job.unit !== null, pid: job.pid });
}
