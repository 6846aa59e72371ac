import { stopJob } from '../../bastion/jobs.ts';
import { systemClock } from '../../ports/clock.ts';
import { FOLLOW_JOB } from './follow-job.ts';
import { WAITS } from './installer/wait-for.ts';
import { BOOT_SERVER_JOB } from './machines/serving.ts';
import { workspace } from './workspace.ts';

/** Ends all that runs for an install directory. */
export async function stopJobs(dir: string): Promise<void> {
  const { jobs } = workspace(dir);
  const names = [BOOT_SERVER_JOB, ...WAITS, FOLLOW_JOB];
  await Promise.all(names.map((name) => stopJob(jobs, name, { clock: systemClock })));
}
