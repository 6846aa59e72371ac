import { parseAccessLine } from '../bastion/access-log.ts';
import { type BootRequest, readRequests } from '../bastion/boot-log.ts';
import type { StepContext } from './contract.ts';
import { poweredOn } from './later-nodes.ts';
import { whoServes } from './serving.ts';
import { workspace } from './workspace.ts';

interface Known {
  readonly requests: readonly BootRequest[];
  readonly offset: number;
}

/** What was read of each log so far: a look reads only what is new. Nothing but a memory of the file, which is the truth. */
const known = new Map<string, Known>();

/** Where nginx of RHEL and Debian writes, unless it is told otherwise. */
const ACCESS_LOG = '/var/log/nginx/access.log';

/**
 * What the machines asked for, the oldest first: of our boot server, or of the web server that serves in its place, as far as
 * its log can be read. That log is older than this installation: what came before the first power-on is not of it.
 */
export async function bootRequests(context: StepContext, accessLog = ACCESS_LOG): Promise<readonly BootRequest[]> {
  const own = await readLog(workspace(context.dir).bootLog);
  if ((await whoServes(context)) !== 'other') return own;
  const first = Math.min(...Object.values(poweredOn(context)));
  const theirs = await readLog(accessLog, parseAccessLine);
  return [...own, ...theirs.filter(({ at }) => at >= first)].sort((a, b) => a.at - b.at);
}

async function readLog(file: string, parse?: (line: string) => BootRequest | null): Promise<readonly BootRequest[]> {
  let { requests, offset } = known.get(file) ?? { requests: [], offset: 0 };
  for (;;) {
    const more = await readRequests(file, offset, parse);
    // A log that became shorter was begun anew, and was read from its beginning.
    if (more.offset < offset) requests = [];
    if (more.requests.length > 0) requests = [...requests, ...more.requests];
    const isAtEnd = more.offset === offset;
    offset = more.offset;
    known.set(file, { requests, offset });
    if (isAtEnd) return requests;
  }
}
