import { findJob, type JobStatus } from '../../host/jobs/job-status.ts';
import { startJob, stopJob } from '../../host/jobs/jobs.ts';

import { languageArgs } from '../../i18n/catalogue.ts';
import { systemClock } from '../../platform/clock.ts';

import type { StepContext } from '../contract.ts';
import { workspace } from './workspace.ts';

/**
 * The name, under the jobs of the install directory, of the job that approves expected requests and outlives the
 * wizard. It serves sites whose nodes come and go: only nodes of the design may join.
 */
export const FOLLOW_JOB = 'csr-follow';

/** Finds the job by its process and start time; null if it was never started. */
export function findFollowJob({ dir }: Pick<StepContext, 'dir'>): Promise<JobStatus | null> {
  return findJob(workspace(dir).jobs, FOLLOW_JOB);
}

/**
 * Starts the job; a running one is left alone.
 * @throws UserErrorException `job-…`
 */
export async function startFollowJob({ dir, programs }: Pick<StepContext, 'dir' | 'programs'>) {
  const command = ['csr', 'approve', '--follow', '--forever', '--dir', dir, ...languageArgs()];
  return await startJob({
    dir: workspace(dir).jobs,
    name: FOLLOW_JOB,
    argv: [process.execPath, programs.executable, ...command],
    clock: systemClock,
    exitReport: { executable: programs.executable, installDir: dir },
    restart: 'failed',
    // Wrong usage, and errors that waiting does not resolve.
    finalCodes: [2, 4],
  });
}

/**
 * Stops the job after the approval in progress.
 * @returns how it ended; null if it was never started
 */
export async function stopFollowJob({ dir }: Pick<StepContext, 'dir'>): Promise<JobStatus | null> {
  return await stopJob(workspace(dir).jobs, FOLLOW_JOB, { clock: systemClock });
}
