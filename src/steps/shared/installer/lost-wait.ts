import { isBeingStarted, jobFiles } from '../../../bastion/jobs/job-files.ts';

/**
 * What a wait is whose program is not there and whose end nobody wrote down: it begins just now, or it is gone, as after a crash
 * of the machine. It only looks, so it can be begun again.
 */
export function lostWait(jobs: string, wait: string): 'running' | 'none' {
  return isBeingStarted(jobFiles(jobs, wait)) ? 'running' : 'none';
}
