import { findJob, type JobStatus } from '../../bastion/jobs/job-status.ts';
import { startJob, stopJob } from '../../bastion/jobs/jobs.ts';
import { systemClock } from '../../ports/clock.ts';
import { languageOption } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from './workspace.ts';

/**
 * Approves expected requests in a job that outlives the wizard, for sites whose nodes come and go: the design is the
 * list of who may join. Its name under the jobs of the install directory.
 */
export const FOLLOW_JOB = 'csr-follow';

/** Its state now, found by its process and start time; null where nobody ever started it. */
export function followJob({ dir }: Pick<StepContext, 'dir'>): Promise<JobStatus | null> {
  return findJob(workspace(dir).jobs, FOLLOW_JOB);
}

/** Starts it; leaves a running one alone. @throws TroubleError `job-…` */
export async function startFollowJob({ dir, programs }: Pick<StepContext, 'dir' | 'programs'>) {
  const command = ['csr', 'approve', '--follow', '--forever', '--dir', dir, ...languageOption()];
  return await startJob({
    dir: workspace(dir).jobs,
    name: FOLLOW_JOB,
    argv: [process.execPath, programs.executable, ...command],
    clock: systemClock,
    tells: { executable: programs.executable, installDir: dir },
    restart: 'failed',
    // Wrong usage, and what waiting cannot help.
    finalCodes: [2, 4],
  });
}

/** Ends it, after the approval under way. @returns how it ended; null where nobody ever started one */
export async function stopFollowJob({ dir }: Pick<StepContext, 'dir'>): Promise<JobStatus | null> {
  return await stopJob(workspace(dir).jobs, FOLLOW_JOB, { clock: systemClock });
}
