import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { findJob } from '../../../bastion/jobs/job-status.ts';
import type { DesignNode } from '../../../design/model.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { timeOfDay } from '../../../text/time-of-day.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { bootRequests } from './boot-requests.ts';
import { closeDoors, openDoors } from './doors.ts';
import { allowIgnition, denyIgnition, isDenied } from './later-nodes.ts';
import { BOOT_SERVER_JOB } from './serving.ts';

const words = () => catalogue().steps.exposure;

/** An ignition file that our boot server serves now: it leads to the secrets of the cluster. */
export interface Exposure {
  /** `bootstrap.ign`. */
  readonly file: string;
  /** The short names of the nodes that may fetch it. */
  readonly nodes: readonly string[];
  /** To whom, since when, and who fetched it, in a sentence. */
  readonly line: string;
}

/** What is served at this moment, by the boot server's own file; empty while it does not run, or another web server serves. */
export async function exposures(context: StepContext): Promise<readonly Exposure[]> {
  const { design, dir } = context;
  const job = await findJob(workspace(dir).jobs, BOOT_SERVER_JOB);
  if (job?.state !== 'running') return [];
  const requests = await bootRequests(context);
  const doors = (await openDoors(context)).filter(({ file, allow }) => allow.length > 0 && existsSync(file));
  return doors.flatMap(({ role, file, allow }) => {
    const nodes = design.nodes.filter((node) => reached(context, node).some((address) => allow.includes(address)));
    const [first, ...others] = nodes.map(({ ip, name }) => ip[0] ?? name);
    if (first === undefined) return [];
    const fetched = requests.filter(
      ({ method, path, status, complete }) =>
        method === 'GET' && path === `/ignition/${role}.ign` && complete && status < 300,
    );
    const last = fetched.at(-1);
    const line = words().served(
      basename(file),
      words().to(first, others.length),
      timeOfDay(job.startedAt),
      last ? words().fetched(fetched.length, timeOfDay(last.at)) : words().notFetched,
    );
    return [{ file: basename(file), nodes: nodes.map(({ name }) => name), line }];
  });
}

/**
 * Ends at once that these nodes may fetch their ignition files; asked again for nodes that are shut out, it lets them in again.
 * Powering a machine on as new lets it in as well.
 */
export async function toggleIgnition(
  context: StepContext,
  names: readonly string[],
  report: (line: string) => void,
): Promise<void> {
  const isOver = names.every((name) => isDenied(context, name));
  if (isOver) allowIgnition(context, names);
  else denyIgnition(context, names);
  await closeDoors(context);
  report(isOver ? words().again(names.join(', ')) : words().ended(names.join(', ')));
}

function reached(context: StepContext, { ip }: DesignNode): string[] {
  return ip.map((address) => context.reach(address, 0).host);
}
