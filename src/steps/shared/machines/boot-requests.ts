import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type BootRequest, parseAccessLine, readRequests } from '../../../host/boot-server/boot-log.ts';
import type { StepContext } from '../../contract.ts';
import type { ProbeCache } from '../../probe-cache.ts';
import { workspace } from '../workspace.ts';
import { detectBootServer } from './boot-server-job.ts';
import { readPowerOnTimes } from './node-facts.ts';

/** The default log of nginx on RHEL and Debian. */
const ACCESS_LOG = '/var/log/nginx/access.log';

/**
 * Reads the requests of the machines, oldest first: from our boot server, or from the web server in its place if its
 * log is readable. That log is older than this installation: requests before the first power-on are left out.
 */
export async function readBootRequests(context: StepContext, accessLog = ACCESS_LOG): Promise<readonly BootRequest[]> {
  const own = await readLog(context.probeCache, workspace(context.dir).bootLog);
  if ((await detectBootServer(context)) !== 'other') return own;
  const first = Math.min(...Object.values(readPowerOnTimes(context)));
  const logs = await findRotatedLogs(accessLog);
  const foreign = await Promise.all(logs.map(({ file, id }) => readLog(context.probeCache, file, parseAccessLine, id)));
  return [...own, ...foreign.flat().filter(({ at }) => at >= first)].sort((a, b) => a.at - b.at);
}

/** Finds a log and its rotated files (access.log.1, access.log-20261121), except compressed ones. */
async function findRotatedLogs(log: string): Promise<{ readonly file: string; readonly id: string }[]> {
  const names = await readdir(dirname(log)).catch(() => []);
  const files = names
    .filter((name) => name.startsWith(basename(log)) && !/\.(?:gz|bz2|xz|zst)$/.test(name))
    .map((name) => join(dirname(log), name));
  const found = await Promise.all(
    files.map(async (file) => {
      const stats = await stat(file).catch(() => null);
      // A log keeps its inode when it is renamed.
      return stats?.isFile() ? [{ file, id: `${stats.dev} ${stats.ino}` }] : [];
    }),
  );
  return found.flat();
}

async function readLog(
  { bootLogs }: ProbeCache,
  file: string,
  parse?: (line: string) => BootRequest | null,
  id = file,
): Promise<readonly BootRequest[]> {
  let { requests, offset } = bootLogs.get(id) ?? { requests: [], offset: 0 };
  for (;;) {
    const next = await readRequests(file, offset, parse);
    // A log that became shorter was replaced, and is read from its beginning.
    if (next.offset < offset) requests = [];
    if (next.requests.length > 0) requests = [...requests, ...next.requests];
    const isAtEnd = next.offset === offset;
    offset = next.offset;
    bootLogs.set(id, { requests, offset });
    if (isAtEnd) return requests;
  }
}
