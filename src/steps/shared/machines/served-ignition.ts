import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { DesignNode } from '../../../design/model.ts';
import { findJob } from '../../../host/jobs/job-status.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { formatTimeOfDay } from '../../../platform/clock.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { readBootRequests } from './boot-requests.ts';
import { BOOT_SERVER_JOB } from './boot-server-job.ts';
import { readIgnitionAccess, updateIgnitionAccess } from './ignition-access.ts';
import { allowIgnition, denyIgnition, isIgnitionDenied } from './node-facts.ts';

const words = () => catalogue().steps.servedIgnition;

/** An ignition file that our boot server serves now: it gives access to the secrets of the cluster. */
export interface ServedIgnitionFile {
  /** The name of the file, such as `bootstrap.ign`. */
  readonly file: string;
  /** The short names of the nodes that may fetch it. */
  readonly nodes: readonly string[];
  /** A sentence: which nodes may fetch it, since when, and how often and when last it was fetched. */
  readonly line: string;
}

/**
 * Lists the ignition files that are served now, by the boot server's configuration; empty while it does not run, or
 * while another web server serves the files.
 */
export async function listServedIgnitionFiles(context: StepContext): Promise<readonly ServedIgnitionFile[]> {
  const { design, dir } = context;
  const job = await findJob(workspace(dir).jobsDir, BOOT_SERVER_JOB);
  if (job?.state !== 'running') return [];
  const requests = await readBootRequests(context);
  const entries = (await readIgnitionAccess(context)).filter(({ file, allow }) => allow.length > 0 && existsSync(file));
  return entries.flatMap(({ role, file, allow }) => {
    const nodes = design.nodes.filter((node) =>
      resolveAddresses(context, node).some((address) => allow.includes(address)),
    );
    const [firstAddress, ...otherAddresses] = nodes.map(({ ip, name }) => ip[0] ?? name);
    if (firstAddress === undefined) return [];
    const ignitionFetches = requests.filter(
      ({ client, method, path, status, complete }) =>
        allow.includes(client) && method === 'GET' && path === `/ignition/${role}.ign` && complete && status < 300,
    );
    const lastFetch = ignitionFetches.at(-1);
    const line = words().served(
      basename(file),
      words().clients(firstAddress, otherAddresses.length),
      formatTimeOfDay(job.startedAt),
      lastFetch ? words().fetched(ignitionFetches.length, formatTimeOfDay(lastFetch.at)) : words().notFetched,
    );
    return [{ file: basename(file), nodes: nodes.map(({ name }) => name), line }];
  });
}

/**
 * Revokes these nodes' access to their ignition files at once; if all of them are denied already, grants access again.
 * Marking a machine as reinstalled also grants access.
 */
export async function toggleIgnitionAccess(
  context: StepContext,
  names: readonly string[],
  report: (line: string) => void,
): Promise<void> {
  const areAllDenied = names.every((name) => isIgnitionDenied(context, name));
  if (areAllDenied) allowIgnition(context, names);
  else denyIgnition(context, names);
  await updateIgnitionAccess(context);
  report(areAllDenied ? words().servedAgain(names.join(', ')) : words().notServed(names.join(', ')));
}

function resolveAddresses(context: StepContext, { ip }: DesignNode): string[] {
  return ip.map((address) => context.resolveEndpoint(address, 0).host);
}
