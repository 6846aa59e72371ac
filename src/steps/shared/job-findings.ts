import { timeAt } from '../../bastion/boot/boot-config.ts';
import { lastLineOf } from '../../bastion/jobs/job-files.ts';
import { findJob } from '../../bastion/jobs/job-status.ts';
import { logoutRules } from '../../bastion/logout.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { JOBS, type JobEvidence, type KeptJob, LOGOUT } from '../../diagnosis/jobs.ts';
import { judge } from '../../diagnosis/rule.ts';
import { SECOND } from '../../ports/clock.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from './workspace.ts';

/**
 * What a person should know of a job that is to run until somebody stops it: that it was restarted, keeps ending, or is
 * gone without a record of how it ended.
 */
export async function jobFindings(
  { dir, clock, clockAnchorFile }: Pick<StepContext, 'dir' | 'clock' | 'clockAnchorFile'>,
  name: KeptJob,
): Promise<Finding[]> {
  const job = await findJob(workspace(dir).jobs, name);
  if (job === null || job.state === 'ended') return [];
  const { state, isSupervised, isPausing, restarted: last, logFile } = job;
  const restarted: JobEvidence['restarted'] = last && {
    ...last,
    // The supervisor knows the machine's own time only.
    at: timeAt(clockAnchorFile, last.at),
    pause: last.pause * SECOND,
    lastLine: lastLineOf(logFile, last.logSize),
  };
  return judge(JOBS, {
    now: clock.now(),
    jobs: [{ job: name, state, isSupervised, isPausing, restarted, logFile }],
  });
}

/** A running job that ends when its user logs out, though it is to run on: asks systemd-logind. */
export async function logoutFindings({ dir }: Pick<StepContext, 'dir'>, name: KeptJob): Promise<Finding[]> {
  const job = await findJob(workspace(dir).jobs, name);
  const rules = job?.state === 'running' ? await logoutRules() : null;
  if (job === null || rules === null) return [];
  return judge(LOGOUT, { ...rules, job: name, isUnit: job.unit !== null, pid: job.pid });
}
