import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { ensureLanguage } from '../../i18n/catalogue.ts';
import { describeSystemError, type UserError } from '../../i18n/user-error.ts';
import * as z from '../../platform/zod.ts';
import { getJobFiles, readExit } from '../jobs/job-files.ts';
import { type BootServerConfig, resolveRoute, toSiteTime } from './boot-config.ts';
import { type BootRequest, readRequests } from './boot-log.ts';
import { isFileStartRequest, parseMachineReport } from './machine-report.ts';

/** Schema of the status file. A boot server of another version may have written it. */
const statusSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('listening'), host: z.string(), port: z.number(), pid: z.number() }),
  z.object({
    state: z.literal('failed'),
    trouble: z.object({ code: z.string(), title: z.string(), cause: z.string(), whatToDo: z.string() }),
  }),
]);
type SavedStatus = z.infer<typeof statusSchema>;

/** Content of the status file. */
type BootServerStatus =
  | { readonly state: 'listening'; readonly host: string; readonly port: number; readonly pid: number }
  | { readonly state: 'failed'; readonly userError: UserError };

/**
 * Reads the status that the boot server wrote at its start; null before that. Whether it still runs is part of the
 * job's status.
 */
export function readBootStatus(statusFile: string): BootServerStatus | null {
  try {
    const savedStatus = statusSchema.parse(JSON.parse(readFileSync(statusFile, 'utf8')));
    if (savedStatus.state === 'listening') return savedStatus;
    const { whatToDo, ...error } = savedStatus.trouble;
    return { state: 'failed', userError: { ...error, remedy: whatToDo } };
  } catch {
    return null;
  }
}

/**
 * Writes the status file. An error, such as a full disk, is only logged: without a status file, readers query the
 * server.
 */
export async function writeBootStatus(file: string, status: BootServerStatus): Promise<void> {
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(toSavedStatus(status))}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    await ensureLanguage();
    process.stderr.write(`${file}: ${describeSystemError(error)}\n`);
  }
}

function toSavedStatus(status: BootServerStatus): SavedStatus {
  if (status.state === 'listening') return status;
  const { remedy, ...error } = status.userError;
  return { state: 'failed', trouble: { ...error, whatToDo: remedy } };
}

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
  /**
   * Whether the user, at the machine's console, gave a reason to install it anyway, after the latest request to
   * reinstall it.
   */
  isOverridden(mac: string, client: string, config: BootServerConfig): boolean;
}

/** Reads from the log of earlier runs which machines are installed. */
export async function readInstalledMachines(logFile: string): Promise<InstalledMachines> {
  const lastFetchByClient = new Map<string, { readonly path: string; readonly at: number }>();
  const overrideTimeByMac = new Map<string, number>();
  const record = ({ client, method, path, status, complete, at }: BootRequest) => {
    const report = status === 200 ? parseMachineReport(path) : null;
    if (report !== null && report.override !== null) overrideTimeByMac.set(report.mac, at);
    if (method === 'GET' && status === 200 && complete && path.startsWith('/ignition/') && !isFileStartRequest(path)) {
      lastFetchByClient.set(client, { path, at });
    }
  };
  for (let offset = 0; ; ) {
    // An unreadable log is no reason not to serve.
    const result = await readRequests(logFile, offset).catch(() => null);
    result?.requests.forEach(record);
    if (result === null || result.offset === offset) break;
    offset = result.offset;
  }
  return {
    record,
    isOverridden: (mac, client, config) => (overrideTimeByMac.get(mac) ?? -1) >= (config.anew?.[client] ?? 0),
    findReplacement(client, config) {
      const lastFetch = lastFetchByClient.get(client);
      if (lastFetch === undefined || lastFetch.at < (config.anew?.[client] ?? 0)) return null;
      const route = resolveRoute(lastFetch.path, client, config);
      const modifiedAt =
        route.kind === 'file' ? statSync(`${route.root}/${route.path}`, { throwIfNoEntry: false })?.mtime : undefined;
      if (route.kind === 'refused' || modifiedAt === undefined || isAccessEnded(route.until, modifiedAt))
        return 'closed';
      return lastFetch.at >= toSiteTime(config.clockAnchorFile, modifiedAt.getTime()) ? 'installed' : null;
    },
  };
}

/**
 * Whether access to an ignition file has ended: the job succeeded after the file was written. An earlier job belongs to
 * an earlier installation.
 */
export function isAccessEnded(
  endingJob: { readonly jobs: string; readonly job: string } | undefined,
  modifiedAt: Date,
): boolean {
  if (endingJob === undefined) return false;
  const files = getJobFiles(endingJob.jobs, endingJob.job);
  const endedAtMs = statSync(files.exit, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return endedAtMs > modifiedAt.getTime() && readExit(files)?.code === 0;
}
