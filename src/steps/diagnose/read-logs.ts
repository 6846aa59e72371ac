import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import { listNodesWithRole, listServiceHosts } from '../../design/derived-facts.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../../i18n/user-error.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { startDeadline } from '../../platform/concurrency.ts';
import type { StepContext } from '../contract.ts';
import { readCommandOutput } from '../shared/hosts/host-command.ts';
import { refreshBootstrapNodeReport, resolveCoreLogin } from '../shared/installer/bootstrap-node.ts';
import { readInstallerLog } from '../shared/installer/wait-for.ts';
import { dropResolvedLines, dropStaleLines, MAX_LINE_LENGTH, parseJournalLines } from './log-lines.ts';
import { SYSTEM_LOGS } from './site-evidence.ts';

const words = () => catalogue().diagnose.journals;

/** Receives a machine whose journal was not read, and the reason. */
export type UnreadJournalCallback = (host: string, reason: string) => void;

/** Maximum age of a line (ms): older messages may no longer be true. */
const MAX_LINE_AGE_MS = 15 * MINUTE;
/** SSH gives up after 5 s; reading the bootstrap node is not worth a longer wait. */
const BOOTSTRAP_READ_TIMEOUT_MS = 10 * SECOND;

/**
 * Reads the latest lines of openshift-install and of the bootstrap node's journal, without normal and resolved ones.
 * @param onUnreadJournal receives the bootstrap node if it refuses the login, and the reason
 */
export async function readInstallationLines(
  context: StepContext,
  onUnreadJournal: UnreadJournalCallback,
): Promise<EvidenceLine[]> {
  await waitForBootstrapRead(context);
  const { lines } = await readInstallerLog(context);
  const bootstrap = listNodesWithRole(context.design, 'bootstrap')[0]?.name ?? null;
  const now = context.clock.now();
  // The message about a failed login to the bootstrap node comes from the wizard, and is no evidence about the
  // installation.
  const sshError = context.probeCache.sshRead?.lastFailure ?? null;
  const reason =
    sshError ?? (context.probeCache.sshRead?.isRunning ? words().timeout(BOOTSTRAP_READ_TIMEOUT_MS / SECOND) : null);
  if (bootstrap !== null && reason !== null) onUnreadJournal(bootstrap, reason);
  return lines
    .filter(({ text }) => sshError === null || !text.includes(sshError))
    .filter(({ mark, text }) => (mark !== 'noise' && mark !== 'solved') || /watch close/.test(text))
    .filter(({ at }) => at === null || now - at < MAX_LINE_AGE_MS)
    .map(({ source, text, at }) => ({
      source: source === 'installer' ? 'openshift-install' : source,
      host: source === 'installer' ? null : bootstrap,
      text: text.slice(0, MAX_LINE_LENGTH),
      at,
    }));
}

/** Starts reading the bootstrap node over SSH, and waits for the end, at most `BOOTSTRAP_READ_TIMEOUT_MS`. */
async function waitForBootstrapRead(context: StepContext): Promise<void> {
  const { clock, probeCache, signal } = context;
  refreshBootstrapNodeReport(context);
  // A login takes real time even in a rehearsal with a fast clock: `startDeadline` waits a minimum of real time.
  const deadline = startDeadline(clock, BOOTSTRAP_READ_TIMEOUT_MS);
  try {
    while (probeCache.sshRead?.isRunning && !deadline.signal.aborted) await clock.sleep(SECOND / 4, signal);
  } finally {
    deadline.end();
  }
}

const MAX_NODES = 3;
/** SSH gives up after 5 s without an answer; a machine that accepts the login may hang on its disk. */
const JOURNAL_READ_TIMEOUT_MS = 20 * SECOND;
/** Units whose messages explain why a node does not join the cluster. */
const NODE_UNITS =
  'kubelet crio NetworkManager-wait-online node-valid-hostname machine-config-daemon-firstboot machine-config-daemon-pull systemd-fsck@* chronyd nodeip-configuration';
const JOURNAL_COMMAND = `sudo -n journalctl -b --no-pager -q -o short-iso -n 300 ${NODE_UNITS.split(' ')
  .map((unit) => `-u '${unit}'`)
  .join(' ')} 2>/dev/null | tail -n 300`;

/**
 * Reads the journals of nodes with problems, without resolved errors: of MAX_NODES nodes only, each within 20 seconds.
 * @param nodes name and address
 * @param onUnreadJournal receives each node that refuses the login or does not answer in time, and the reason
 */
export async function readNodeLines(
  context: StepContext,
  nodes: readonly { readonly name: string; readonly address: string }[],
  onUnreadJournal: UnreadJournalCallback,
): Promise<EvidenceLine[]> {
  const reads = nodes.slice(0, MAX_NODES).map(async ({ name, address }) => {
    const journal = await readJournal(context, name, address);
    if ('reason' in journal) {
      onUnreadJournal(name, journal.reason);
      return [];
    }
    const lines = parseJournalLines(journal.text, name, context.clock.now()).map((line) => ({ ...line, path: name }));
    return dropResolvedLines(dropStaleLines(lines, null)).map(({ path: _, ...line }) => line);
  });
  return (await Promise.all(reads)).flat();
}

async function readJournal(
  context: StepContext,
  name: string,
  address: string,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const login = await resolveCoreLogin(context, address, `known_hosts-${name}`);
  if (typeof login === 'string') return { reason: login };
  const deadline = startDeadline(context.clock, JOURNAL_READ_TIMEOUT_MS, JOURNAL_READ_TIMEOUT_MS);
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  try {
    const { stdout } = await runOverSsh({
      program: login.program,
      target: login.target,
      command: JOURNAL_COMMAND,
      signal,
    });
    return { text: stdout };
  } catch (error) {
    context.signal.throwIfAborted();
    if (deadline.signal.aborted) return { reason: words().timeout(JOURNAL_READ_TIMEOUT_MS / SECOND) };
    if (!(error instanceof UserErrorException)) throw error;
    return { reason: toUserError(error).cause };
  } finally {
    deadline.end();
  }
}

const SERVICE_PROGRAMS = /^(?:haproxy|named|dhcpd|kea-dhcp4|Keepalived\w*|keepalived)$/;
/** Limit per program, so that a verbose one does not displace the others. */
const MAX_LINES_PER_PROGRAM = 100;
const MAX_LOG_BYTES = 512 * 1024;
const TAGS = 'haproxy named dhcpd kea-dhcp4 keepalived Keepalived Keepalived_vrrp';

/** Prints what the services of a host logged last, from the journal. */
const SERVICE_LOG_COMMAND = `root=; [ "$(id -u)" = 0 ] || { sudo -n true 2>/dev/null && root="sudo -n"; }
for tag in ${TAGS}; do $root journalctl -q --no-pager -o short-iso --since -6h -n ${MAX_LINES_PER_PROGRAM} -t $tag 2>/dev/null; done
exit 0`;

/** Reads the latest lines of the services on the service hosts, as far as possible from here. */
export async function readServiceLines(context: StepContext): Promise<EvidenceLine[]> {
  const { design, manualActions, clock } = context;
  const reads = listServiceHosts(design).map(async (host) => {
    let text: string | null = null;
    for (const path of SYSTEM_LOGS) text ??= await manualActions.readFile(host.name, path);
    text ??= await readCommandOutput(context, host, SERVICE_LOG_COMMAND);
    const serviceLines = takeLastLines((text ?? '').slice(-MAX_LOG_BYTES).split('\n'));
    return parseJournalLines(serviceLines.join('\n'), host.name, clock.now(), { zone: manualActions.logTimeZone });
  });
  return (await Promise.all(reads)).flat();
}

/** Takes the last lines of each service program, in their order. */
function takeLastLines(lines: readonly string[]): string[] {
  const remainingCounts = new Map<string, number>();
  const selectedLines = lines.toReversed().filter((line) => {
    const program = /^.*? (\S+?)\[\d+\]: /.exec(line)?.[1] ?? '';
    const count = remainingCounts.get(program) ?? MAX_LINES_PER_PROGRAM;
    remainingCounts.set(program, count - 1);
    return SERVICE_PROGRAMS.test(program) && count > 0;
  });
  return selectedLines.toReversed();
}
