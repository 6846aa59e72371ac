import { statSync } from 'node:fs';
import { jobFiles, readExit } from '../jobs/job-files.ts';
import { type BootServerConfig, toSiteTime } from './boot-config.ts';
import { type BootRequest, readRequests } from './boot-log.ts';
import { resolveRoute } from './boot-routes.ts';

/** Script that replaces a machine's own boot script; null: it gets its own script, and installs. */
type ReplacementScript = 'installed' | 'closed' | null;

/**
 * Machines that have fetched their ignition file. A machine fetches it right before it writes its disk, so it counts as
 * installed from then on. A recreated ignition file, or a request to reinstall the machine, starts a new installation.
 */
export interface InstalledMachines {
  record(request: BootRequest): void;
  /**
   * `installed` for an address that has fetched its current ignition file. `closed` for one that fetched a file but has
   * no access any more: another installation would fail.
   */
  findReplacement(client: string, config: BootServerConfig): ReplacementScript;
}

/** Restores the state from the log of earlier runs. */
export async function readInstalledMachines(logFile: string): Promise<InstalledMachines> {
  const fetched = new Map<string, { readonly path: string; readonly at: number }>();
  const record = ({ client, method, path, status, complete, at }: BootRequest) => {
    if (method === 'GET' && status === 200 && complete && path.startsWith('/ignition/')) {
      fetched.set(client, { path, at });
    }
  };
  for (let offset = 0; ; ) {
    // An unreadable log is no reason not to serve.
    const read = await readRequests(logFile, offset).catch(() => null);
    read?.requests.forEach(record);
    if (read === null || read.offset === offset) break;
    offset = read.offset;
  }
  return {
    record,
    findReplacement(client, config) {
      const last = fetched.get(client);
      if (last === undefined || last.at < (config.anew?.[client] ?? 0)) return null;
      const route = resolveRoute(last.path, client, config);
      const modified =
        route.kind === 'file' ? statSync(`${route.root}/${route.path}`, { throwIfNoEntry: false })?.mtime : undefined;
      if (route.kind === 'refused' || modified === undefined || isAccessEnded(route.until, modified)) return 'closed';
      return last.at >= toSiteTime(config.clockAnchorFile, modified.getTime()) ? 'installed' : null;
    },
  };
}

/** True if the job succeeded after the file was written. An earlier job belongs to an earlier installation. */
export function isAccessEnded(
  until: { readonly jobs: string; readonly job: string } | undefined,
  modified: Date,
): boolean {
  if (until === undefined) return false;
  const files = jobFiles(until.jobs, until.job);
  const ended = statSync(files.exit, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ended > modified.getTime() && readExit(files)?.code === 0;
}
