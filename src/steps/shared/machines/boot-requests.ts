import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { listServiceHosts } from '../../../design/derived-facts.ts';
import { type BootRequest, parseAccessLine, readRequests } from '../../../host/boot-server/boot-log.ts';
import { listLocalAddresses } from '../../../host/local-machine.ts';
import { MINUTE } from '../../../platform/clock.ts';
import { quoteShellArg } from '../../../platform/shell-quoting.ts';
import type { StepContext } from '../../contract.ts';
import type { ProbeCache } from '../../probe-cache.ts';
import { readCommandOutput } from '../hosts/host-command.ts';
import { workspace } from '../workspace.ts';
import { detectBootServer } from './boot-server-job.ts';
import { readPowerOnTimes } from './node-facts.ts';

/** The default logs of nginx, and of Apache on RHEL and Debian. */
const ACCESS_LOGS = ['/var/log/nginx/access.log', '/var/log/httpd/access_log', '/var/log/apache2/access.log'];
/** Maximum number of lines read over SSH. */
const MAX_LINES = 20_000;
/** Time (ms) by which the web server's log may date the wizard's own query too early. */
const LOG_TIME_TOLERANCE = MINUTE;

interface BootLog {
  readonly requests: readonly BootRequest[];
  /** Whether the log has every request to the running server: then a request missing from it was never sent. */
  readonly isComplete: boolean;
}

/**
 * Reads the requests of the machines, oldest first: from the boot server of upi-wizard and, if another web server
 * answers instead, from the log of that server. Of that log, requests before the first power-on are left out: they
 * belong to earlier installations.
 */
export async function readBootRequests(
  context: StepContext,
  accessLogs: readonly string[] = ACCESS_LOGS,
): Promise<readonly BootRequest[]> {
  return (await readBootLog(context, accessLogs)).requests;
}

/** Lists the clients of the boot server that are no machine of the cluster: this host and the service hosts. */
export function listServiceClients({ design, resolveEndpoint }: StepContext): ReadonlySet<string> {
  const serviceAddresses = listServiceHosts(design).flatMap(({ ip }) => ip);
  return new Set([
    ...listLocalAddresses(),
    '127.0.0.1',
    '::1',
    ...serviceAddresses.map((address) => resolveEndpoint(address, 0).host),
  ]);
}

/** Reads the requests, and whether the log is complete: then a missing request was never sent. */
export async function readBootLog(context: StepContext, accessLogs: readonly string[] = ACCESS_LOGS): Promise<BootLog> {
  const bootServerLog = workspace(context.dir).bootLog;
  const queriedAt = context.clock.now();
  const server = await detectBootServer(context);
  // Read after the query, so that the log of the running server contains it.
  const bootServerRequests = await readLog(context.probeCache, bootServerLog);
  if (server !== 'other')
    return { requests: bootServerRequests, isComplete: server === 'ours' || existsSync(bootServerLog) };
  const accessRequests = (await Promise.all(accessLogs.map((log) => readAccessLog(context, log)))).flat();
  const firstPowerOn = Math.min(...Object.values(readPowerOnTimes(context)));
  const requests = [...bootServerRequests, ...accessRequests.filter(({ at }) => at >= firstPowerOn)].sort(
    (a, b) => a.at - b.at,
  );
  // The log is complete if it has the wizard's own query and a request of a node: otherwise the nodes may use another
  // server.
  const nodeAddresses = new Set(
    context.design.nodes.flatMap(({ ip }) => ip.map((address) => context.resolveEndpoint(address, 0).host)),
  );
  const isComplete =
    requests.some(({ path, at }) => path.startsWith('/boot.ipxe') && at >= queriedAt - LOG_TIME_TOLERANCE) &&
    requests.some(({ client }) => nodeAddresses.has(client));
  return { requests, isComplete };
}

/** Reads the access log of a web server here, or on the bastion of the design if the wizard runs on another machine. */
async function readAccessLog(context: StepContext, log: string): Promise<readonly BootRequest[]> {
  const { bastion } = context.design.services;
  const localAddresses = listLocalAddresses();
  if (context.manualActions.canLogIn && !bastion.ip.some((address) => localAddresses.has(address))) {
    const file = quoteShellArg(log);
    const command = `root=; test -r ${file} || root="sudo -n"; $root tail -n ${MAX_LINES} ${file} 2>/dev/null`;
    const text = await readCommandOutput(context, bastion, command);
    return (text ?? '').split('\n').flatMap((line) => parseAccessLine(line) ?? []);
  }
  const logs = await findRotatedLogs(log);
  const parts = logs.map(({ file, id }) => readLog(context.probeCache, file, parseAccessLine, id));
  return (await Promise.all(parts)).flat();
}

/** Finds a log and its rotated files (access.log.1, access.log-20261121), except compressed ones. */
async function findRotatedLogs(log: string): Promise<{ readonly file: string; readonly id: string }[]> {
  const names = await readdir(dirname(log)).catch(() => []);
  const files = names
    .filter((name) => name.startsWith(basename(log)) && !/\.(?:gz|bz2|xz|zst)$/.test(name))
    .map((name) => join(dirname(log), name));
  const logFiles = await Promise.all(
    files.map(async (file) => {
      const stats = await stat(file).catch(() => null);
      // A log keeps its inode when it is renamed.
      return stats?.isFile() ? [{ file, id: `${stats.dev} ${stats.ino}` }] : [];
    }),
  );
  return logFiles.flat();
}

async function readLog(
  { bootLogs }: ProbeCache,
  file: string,
  parse?: (line: string) => BootRequest | null,
  id = file,
): Promise<readonly BootRequest[]> {
  let { requests, offset } = bootLogs.get(id) ?? { requests: [], offset: 0 };
  for (;;) {
    const chunk = await readRequests(file, offset, parse);
    // A log that became shorter was replaced, and is read from its beginning.
    if (chunk.offset < offset) requests = [];
    if (chunk.requests.length > 0) requests = [...requests, ...chunk.requests];
    const isAtEnd = chunk.offset === offset;
    offset = chunk.offset;
    bootLogs.set(id, { requests, offset });
    if (isAtEnd) return requests;
  }
}
