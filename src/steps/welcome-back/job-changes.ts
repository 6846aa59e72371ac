import { jobFiles, readRuns } from '../../host/jobs/job-files.ts';
import { findJob } from '../../host/jobs/job-status.ts';

import { catalogue } from '../../i18n/catalogue.ts';
import { JOB_NAMES } from '../shared/jobs.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().back.jobs;

/**
 * Describes what happened to the jobs of an install directory since a time (ms of the machine's clock), a sentence for
 * each.
 */
export async function describeJobChanges(
  dir: string,
  since: number,
  formatTime: (at: number) => string,
): Promise<string[]> {
  const { jobs } = workspace(dir);
  const sentences = JOB_NAMES.map(async (name) => {
    const job = await findJob(jobs, name);
    if (job === null) return [];
    const ends = readRuns(jobFiles(jobs, name)).filter(({ at, code }) => code !== null && at >= since);
    const last = ends.at(-1);
    const title = words().names[name];
    switch (job.state) {
      case 'running':
        return [last ? words().restarted(title, ends.length, formatTime(last.at)) : words().running(title)];
      case 'ended':
        return last ? [words().ended(title, last.code ?? 0, formatTime(last.at))] : [];
      case 'lost':
        return [words().lost(title)];
    }
  });
  return (await Promise.all(sentences)).flat();
}
