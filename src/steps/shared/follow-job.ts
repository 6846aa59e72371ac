import { findJob, type JobStatus, startJob, stopJob } from '../../bastion/jobs.ts';
import { systemClock } from '../../ports/clock.ts';
import { languageOption } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from './workspace.ts';

/**
 * Approving what is expected as a job that outlives us, for sites whose nodes come and go: the design is the list of who may
 * join. Its name under the jobs of the install directory.
 */
export const FOLLOW_JOB = 'csr-follow';

/** As it is now, found again by its process and when that began; null where it was never started. */
export function followJob({ dir }: Pick<StepContext, 'dir'>): Promise<JobStatus | null> {
  return findJob(workspace(dir).jobs, FOLLOW_JOB);
}

/** Starts it; one that runs is left alone. @throws TroubleError `job-…` */
export async function startFollowJob({ dir, programs }: Pick<StepContext, 'dir' | 'programs'>) {
  const command = ['csr', 'approve', '--follow', '--forever', '--dir', dir, ...languageOption()];
  return await startJob({
    dir: workspace(dir).jobs,
    name: FOLLOW_JOB,
    argv: [process.execPath, programs.executable, ...command],
    clock: systemClock,
  });
}

/** Ends it, after what it is approving. @returns how it ended; null where none was ever started */
export async function stopFollowJob({ dir }: Pick<StepContext, 'dir'>): Promise<JobStatus | null> {
  return await stopJob(workspace(dir).jobs, FOLLOW_JOB, { clock: systemClock });
}
