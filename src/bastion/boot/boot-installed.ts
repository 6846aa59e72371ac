import { statSync } from 'node:fs';
import { jobFiles, readExit } from '../jobs/job-files.ts';
import { type BootServerConfig, timeAt } from './boot-config.ts';
import { type BootRequest, readRequests } from './boot-log.ts';
import { routeOf } from './boot-routes.ts';

/** What a machine's own boot script is replaced by; null: it gets its own, and installs. */
export type Instead = 'installed' | 'closed' | null;

/**
 * Which machines have fetched their ignition file. A machine fetches it right before it writes its disk, so it is installed from
 * then on, as far as a boot server can know. An ignition file that is made anew, or a machine that is to be installed anew, begins
 * a new installation.
 */
export interface Installed {
  note(request: BootRequest): void;
  /**
   * `installed` for an address that has the ignition file it would get now, `closed` for one that had a file and may have none
   * any more: installing again could not end well.
   */
  instead(client: string, config: BootServerConfig): Instead;
}

/** Begins with what the log of an earlier run says. */
export async function readInstalled(logFile: string): Promise<Installed> {
  const fetched = new Map<string, { readonly path: string; readonly at: number }>();
  const note = ({ client, method, path, status, complete, at }: BootRequest) => {
    if (method === 'GET' && status === 200 && complete && path.startsWith('/ignition/')) {
      fetched.set(client, { path, at });
    }
  };
  for (let offset = 0; ; ) {
    // A log that cannot be read is no reason not to serve.
    const read = await readRequests(logFile, offset).catch(() => null);
    read?.requests.forEach(note);
    if (read === null || read.offset === offset) break;
    offset = read.offset;
  }
  return {
    note,
    instead(client, config) {
      const last = fetched.get(client);
      if (last === undefined || last.at < (config.anew?.[client] ?? 0)) return null;
      const route = routeOf(last.path, client, config);
      const made =
        route.kind === 'file' ? statSync(`${route.root}/${route.path}`, { throwIfNoEntry: false })?.mtime : undefined;
      if (route.kind === 'refused' || made === undefined || isOver(route.until, made)) return 'closed';
      return last.at >= timeAt(config.clockAnchorFile, made.getTime()) ? 'installed' : null;
    },
  };
}

/** The job ended well after the file was made: an earlier one was of an earlier installation. */
export function isOver(until: { readonly jobs: string; readonly job: string } | undefined, made: Date): boolean {
  if (until === undefined) return false;
  const files = jobFiles(until.jobs, until.job);
  const ended = statSync(files.exit, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ended > made.getTime() && readExit(files)?.code === 0;
}
