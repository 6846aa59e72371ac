import { stopJob } from '../../host/jobs/jobs.ts';
import { systemClock } from '../../platform/clock.ts';
import { FOLLOW_JOB } from './follow-job.ts';
import { WAIT_TARGETS } from './installer/wait-for.ts';
import { BOOT_SERVER_JOB } from './machines/boot-server-job.ts';
import { workspace } from './workspace.ts';

/** The names of all jobs that can exist. */
export const JOB_NAMES = [BOOT_SERVER_JOB, ...WAIT_TARGETS, FOLLOW_JOB] as const;

/** Stops everything that runs for an install directory. */
export async function stopJobs(dir: string): Promise<void> {
  const { jobs } = workspace(dir);
  await Promise.all(JOB_NAMES.map((name) => stopJob(jobs, name, { clock: systemClock })));
}
