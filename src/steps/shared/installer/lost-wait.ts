import { isBeingStarted, jobFiles } from '../../../host/jobs/job-files.ts';

/**
 * The state of a wait whose process is gone and whose end was not recorded: it is being started, or it is lost, as
 * after a crash of the machine. It only observes the cluster, so it can start again.
 */
export function deriveLostWaitState(jobs: string, wait: string): 'running' | 'none' {
  return isBeingStarted(jobFiles(jobs, wait)) ? 'running' : 'none';
}
