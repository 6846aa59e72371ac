import { evaluateRules, type Finding } from '../../checks/check.ts';
import { type BackgroundJob, JOB_RULES, type JobEvidence, LOGOUT_RULES } from '../../checks/jobs.ts';
import { toSiteTime } from '../../host/boot-server/boot-config.ts';
import { readLastLine } from '../../host/jobs/job-files.ts';
import { findJob } from '../../host/jobs/job-status.ts';
import { readLogoutRules } from '../../host/programs.ts';

import { SECOND } from '../../platform/clock.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from './workspace.ts';

/**
 * Checks a job that should run until the user stops it: it was restarted, keeps ending, or is gone without a record of
 * its end.
 */
export async function checkJob(
  { dir, clock, clockAnchorFile }: Pick<StepContext, 'dir' | 'clock' | 'clockAnchorFile'>,
  name: BackgroundJob,
): Promise<Finding[]> {
  const job = await findJob(workspace(dir).jobs, name);
  if (job === null || job.state === 'ended') return [];
  const { state, isSupervised, isPausing, restarted: lastRestart, logFile } = job;
  const restarted: JobEvidence['restarted'] = lastRestart && {
    ...lastRestart,
    // The supervisor knows the machine's own time only.
    at: toSiteTime(clockAnchorFile, lastRestart.at),
    pause: lastRestart.pause * SECOND,
    lastLine: readLastLine(logFile, lastRestart.logSize),
  };
  return evaluateRules(JOB_RULES, {
    now: clock.now(),
    jobs: [{ job: name, state, isSupervised, isPausing, restarted, logFile }],
  });
}

/** Checks with systemd-logind whether a running job ends when its user logs out, though it should run on. */
export async function checkLogout({ dir }: Pick<StepContext, 'dir'>, name: BackgroundJob): Promise<Finding[]> {
  const job = await findJob(workspace(dir).jobs, name);
  const rules = job?.state === 'running' ? await readLogoutRules() : null;
  if (job === null || rules === null) return [];
  return evaluateRules(LOGOUT_RULES, { ...rules, job: name, isUnit: job.unit !== null, pid: job.pid });
}
