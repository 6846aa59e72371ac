import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseAccessLine } from '../../../bastion/boot/access-log.ts';
import { type BootRequest, readRequests } from '../../../bastion/boot/boot-log.ts';
import type { StepContext } from '../../contract.ts';
import type { Recollection } from '../../recollection.ts';
import { workspace } from '../workspace.ts';
import { poweredOn } from './later-nodes.ts';
import { whoServes } from './serving.ts';

/** Where nginx of RHEL and Debian writes by default. */
const ACCESS_LOG = '/var/log/nginx/access.log';

/**
 * What the machines asked for, oldest first: from our boot server, or from the web server in its place, as far as we
 * can read its log. That log is older than this installation: requests before the first power-on are not of it.
 */
export async function bootRequests(context: StepContext, accessLog = ACCESS_LOG): Promise<readonly BootRequest[]> {
  const own = await readLog(context.recollection, workspace(context.dir).bootLog);
  if ((await whoServes(context)) !== 'other') return own;
  const first = Math.min(...Object.values(poweredOn(context)));
  const logs = await rotatedLogs(accessLog);
  const theirs = await Promise.all(
    logs.map(({ file, id }) => readLog(context.recollection, file, parseAccessLine, id)),
  );
  return [...own, ...theirs.flat().filter(({ at }) => at >= first)].sort((a, b) => a.at - b.at);
}

/** A log and its rotated files (access.log.1, access.log-20261121), except compressed ones. */
async function rotatedLogs(log: string): Promise<{ readonly file: string; readonly id: string }[]> {
  const names = await readdir(dirname(log)).catch(() => []);
  const files = names
    .filter((name) => name.startsWith(basename(log)) && !/\.(?:gz|bz2|xz|zst)$/.test(name))
    .map((name) => join(dirname(log), name));
  const found = await Promise.all(
    files.map(async (file) => {
      const is = await stat(file).catch(() => null);
      // A log keeps its place in the file system when it is renamed.
      return is?.isFile() ? [{ file, id: `${is.dev} ${is.ino}` }] : [];
    }),
  );
  return found.flat();
}

async function readLog(
  { bootLogs }: Recollection,
  file: string,
  parse?: (line: string) => BootRequest | null,
  id = file,
): Promise<readonly BootRequest[]> {
  let { requests, offset } = bootLogs.get(id) ?? { requests: [], offset: 0 };
  for (;;) {
    const more = await readRequests(file, offset, parse);
    // A log that became shorter was begun anew, and is read from its beginning.
    if (more.offset < offset) requests = [];
    if (more.requests.length > 0) requests = [...requests, ...more.requests];
    const isAtEnd = more.offset === offset;
    offset = more.offset;
    bootLogs.set(id, { requests, offset });
    if (isAtEnd) return requests;
  }
}
