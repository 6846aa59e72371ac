import { jobFiles, readRuns } from '../../bastion/jobs/job-files.ts';
import { findJob } from '../../bastion/jobs/job-status.ts';
import { catalogue } from '../../text/catalogue.ts';
import { JOB_NAMES } from '../shared/jobs.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().back.jobs;

/** What became of the jobs of an install directory since a time (ms of the machine's clock), a sentence for each. */
export async function jobsSince(dir: string, since: number, when: (at: number) => string): Promise<string[]> {
  const { jobs } = workspace(dir);
  const told = JOB_NAMES.map(async (name) => {
    const job = await findJob(jobs, name);
    if (job === null) return [];
    const ends = readRuns(jobFiles(jobs, name)).filter(({ at, code }) => code !== null && at >= since);
    const last = ends.at(-1);
    const title = words().names[name];
    switch (job.state) {
      case 'running':
        return [last ? words().restarted(title, ends.length, when(last.at)) : words().running(title)];
      case 'ended':
        return last ? [words().ended(title, last.code ?? 0, when(last.at))] : [];
      case 'lost':
        return [words().lost(title)];
    }
  });
  return (await Promise.all(told)).flat();
}
