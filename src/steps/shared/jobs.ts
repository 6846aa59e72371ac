import { stopJob } from '../../bastion/jobs/jobs.ts';
import { systemClock } from '../../ports/clock.ts';
import { FOLLOW_JOB } from './follow-job.ts';
import { WAITS } from './installer/wait-for.ts';
import { BOOT_SERVER_JOB } from './machines/serving.ts';
import { workspace } from './workspace.ts';

/** The names of all jobs that there can be. */
export const JOB_NAMES = [BOOT_SERVER_JOB, ...WAITS, FOLLOW_JOB] as const;

/** Ends all that runs for an install directory. */
export async function stopJobs(dir: string): Promise<void> {
  const { jobs } = workspace(dir);
  await Promise.all(JOB_NAMES.map((name) => stopJob(jobs, name, { clock: systemClock })));
}
