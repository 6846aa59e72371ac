import { OFFER_PATTERN } from '../../checks/boot/dhcp-log.ts';
import { isConfigError } from '../../checks/rules/dhcp.ts';
import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import { listNodesWithRole, listServiceHosts } from '../../design/derived-facts.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../../i18n/user-error.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { startDeadline } from '../../platform/deadline.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import type { StepContext } from '../contract.ts';
import { readCommandOutput } from '../shared/hosts/host-command.ts';
import { refreshBootstrapNodeReport, resolveCoreLogin } from '../shared/installer/bootstrap-node.ts';
import { readInstallerLog } from '../shared/installer/wait-for.ts';
import { SYSTEM_LOGS } from './site-evidence.ts';

const words = () => catalogue().diagnose.journals;

/** Receives a machine whose journal was not read, and the reason. */
export type OnUnread = (host: string, why: string) => void;

/** Maximum age of a line (ms): older messages may no longer be true. */
const MAX_AGE = 15 * MINUTE;
const MAX_LINE_LENGTH = 600;
/** SSH gives up after 5 s; reading the bootstrap node is not worth a longer wait. */
const READ_TIMEOUT = 10 * SECOND;

/**
 * Reads the latest lines of openshift-install and of the bootstrap node's journal, without normal and resolved ones.
 * @param onUnread receives the bootstrap node if it refuses the login, and the reason
 */
export async function readInstallationLines(context: StepContext, onUnread: OnUnread): Promise<EvidenceLine[]> {
  await waitForBootstrapRead(context);
  const { lines } = await readInstallerLog(context);
  const bootstrap = listNodesWithRole(context.design, 'bootstrap')[0]?.name ?? null;
  const now = context.clock.now();
  // A failed login to the bootstrap node is our own message, and no problem of the installation.
  const sshError = context.probeCache.sshRead?.lastFailure ?? null;
  const why = sshError ?? (context.probeCache.sshRead?.isRunning ? words().timeout(READ_TIMEOUT / SECOND) : null);
  if (bootstrap !== null && why !== null) onUnread(bootstrap, why);
  return lines
    .filter(({ text }) => sshError === null || !text.includes(sshError))
    .filter(({ mark, text }) => (mark !== 'noise' && mark !== 'solved') || /watch close/.test(text))
    .filter(({ at }) => at === null || now - at < MAX_AGE)
    .map(({ source, text, at }) => ({
      source: source === 'installer' ? 'openshift-install' : source,
      host: source === 'installer' ? null : bootstrap,
      text: text.slice(0, MAX_LINE_LENGTH),
      at,
    }));
}

/** Starts reading the bootstrap node over SSH, and waits for the end. */
async function waitForBootstrapRead(context: StepContext): Promise<void> {
  const { clock, probeCache, signal } = context;
  refreshBootstrapNodeReport(context);
  // In a rehearsal whose time runs fast, a login still takes its real time.
  const deadline = startDeadline(clock, READ_TIMEOUT);
  try {
    while (probeCache.sshRead?.isRunning && !deadline.signal.aborted) await clock.sleep(SECOND / 4, signal);
  } finally {
    deadline.end();
  }
}

const OFFER_LINE = new RegExp(OFFER_PATTERN);

/**
 * Parses the lines of a DHCP server in a system log, with the times of its host.
 * @param zone `UTC`, or empty for the time zone of this machine
 */
export function parseDhcpLines(log: string, now: number, zone: 'UTC' | ''): EvidenceLine[] {
  const dhcpLines = log.split('\n').filter((line) => /dhcp/i.test(line) && !OFFER_LINE.test(line.trimEnd()));
  return parseJournalLines(dhcpLines.slice(-800).join('\n'), null, now, { source: 'dhcp', zone }).map((line) => ({
    ...line,
    source: 'dhcp',
    host: null,
  }));
}

// `oc adm node-logs` of several nodes may put the name of each before its lines. Months may be those of another
// language, and users remove the names of their machines.
const JOURNAL_LINE =
  /^(?:[a-z0-9][a-z0-9.-]* (?=[A-Z][a-z]{2} +\d+ \d\d:))?((?:\p{L}{2,9}\.?|\d+\p{L}) +\d+ \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?) (\S*) ([^\s[:]+)(?:\[\d+\])?: (.*)$/u;
// Begins with the seconds since boot. systemd may print a progress line without an end before it.
const CONSOLE_LINE = /^.*?\[ *\d+\.\d{6}\] (?:([\w@.-]+)\[\d+\]: )?(?=\S)/;
const RUNTIME_PREFIX = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] /;

/**
 * Parses lines as journalctl prints them: time, host, unit, message. Other lines keep their text.
 * @param host the machine of the lines; null: the one that each line names
 * @param now ms: a time without its year is of the last twelve months
 */
export function parseJournalLines(
  text: string,
  host: string | null,
  now: number,
  { source = 'journal', zone = 'UTC' }: { readonly source?: string; readonly zone?: 'UTC' | '' } = {},
): EvidenceLine[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [prefix = '', program = source] = CONSOLE_LINE.exec(line) ?? RUNTIME_PREFIX.exec(line) ?? [];
      const logText = line.slice(prefix.length);
      const [, time = '', loggedHost = '', unit = program, message = logText] = JOURNAL_LINE.exec(logText) ?? [];
      const name = host ?? (loggedHost === '' ? null : sanitizeLine(loggedHost.split('.')[0] ?? loggedHost, 80));
      return {
        source: sanitizeLine(unit, 80),
        host: name,
        text: sanitizeLine(redact(message), MAX_LINE_LENGTH),
        at: parseLogTime(time, now, zone),
      };
    });
}

/**
 * Parses a time as logs write it, ms; null for anything else.
 * @param now ms: a time without its year is of the twelve months before
 */
export function parseLogTime(text: string, now: number, zone: string): number | null {
  if (text === '') return null;
  if (/^\d{4}/.test(text)) return toValidTime(Date.parse(text.replace(',', '.').replace(/([+-]\d\d)(\d\d)$/, '$1:$2')));
  const year = new Date(now).getUTCFullYear();
  const time = toValidTime(Date.parse(`${text} ${year} ${zone}`));
  return time !== null && time > now + 24 * 60 * MINUTE ? toValidTime(Date.parse(`${text} ${year - 1} ${zone}`)) : time;
}

const toValidTime = (time: number) => (Number.isNaN(time) ? null : time);

/** A line with the file, or the machine, that it was read from. */
type SourcedLine = EvidenceLine & { readonly path: string };

/**
 * A problem that persists is logged again within this time: image pulls wait five minutes at most, everything else
 * retries more often.
 */
const REPEAT_WINDOW = 15 * MINUTE;
/**
 * Files whose lines are not dropped: a unit that ran once logs nothing afterwards, and a machine with a wrong clock
 * writes wrong times.
 */
const NEVER_STALE_PATHS = /\/(?:journals|unit-status|services|network|serial)\//;

/**
 * Drops all but the last minutes of each machine: a problem that is not logged again is over. Clocks of machines may
 * differ, so each machine has its own end. @param end the common end, if one machine gathered everything; null: each
 * has its own, and the lines of `NEVER_STALE_PATHS` stay
 */
export function dropStaleLines<Each extends SourcedLine>(lines: readonly Each[], end: number | null): Each[] {
  const endsByHost = new Map<string | null, number>();
  for (const { host, at } of lines) if (at !== null) endsByHost.set(host, Math.max(endsByHost.get(host) ?? 0, at));
  return lines.filter(({ host, at, path }) => {
    if (at === null || (end === null && NEVER_STALE_PATHS.test(path))) return true;
    return at >= Math.min(end ?? Number.POSITIVE_INFINITY, endsByHost.get(host) ?? at) - REPEAT_WINDOW;
  });
}

/** A message after which earlier problems of a program are over. */
interface SuccessMessage {
  /** The first group, if there is one, is the name of the unit. */
  readonly success: RegExp;
  /** The problems that are over; null: all of the unit. */
  readonly resolves: RegExp | null;
  /** The unit; null: the program that logs the message. */
  readonly unit: string | null;
}

/** Success messages of programs that retry: they resolve earlier messages of the same unit. */
const SUCCESS_MESSAGES: readonly SuccessMessage[] = [
  {
    success: /^(?:Finished|Started) (?:release-image\.service - )?Download the OpenShift Release Image/,
    resolves: null,
    unit: 'release-image',
  },
  { success: /^[0-9a-f]{64}$/, resolves: null, unit: null },
  {
    success: /^bootkube\.service complete|^Finished (?:bootkube\.service - )?Bootstrap a Kubernetes cluster/,
    resolves: null,
    unit: 'bootkube',
  },
  // The end of a unit itself; its scopes (crio-….scope) end without this message.
  {
    success: /^(?!crio-|libpod-)([\w-]+)\.service: (?:Succeeded|Deactivated successfully)\.?$/,
    resolves: null,
    unit: null,
  },
  // Ignition retries forever until it has its configuration.
  {
    success: /GET result: OK|Ignition finished successfully/,
    resolves: /GET |:22623\/config\//,
    unit: null,
  },
  // bootstrap-verify-api-server-urls.sh
  {
    success: /^Successfully (?:resolved|reached) API_(?:INT_)?URL/,
    resolves: /^Unable to (?:resolve|reach) API_/,
    unit: null,
  },
];
const PULLED_IMAGE = /Pulled image: (\S+?)"?$/;
const IMAGE = /[\w.-]+(?::\d+)?(?:\/[\w.-]+)+@sha256:[0-9a-f]+/;

/** Programs whose unit has another name. */
const UNIT_PROGRAMS: Readonly<Record<string, RegExp>> = { kubelet: /^(?:kubelet|kubenswrapper|hyperkube)/ };

/** Whether a line is of a unit. A file of one unit names no program in its lines: their source is the path. */
function isOfUnit({ source }: EvidenceLine, unit: string): boolean {
  return /[/]|\.(?:log|txt|out)$/.test(source) || (UNIT_PROGRAMS[unit]?.test(source) ?? source.startsWith(unit));
}

/** Drops the lines of problems that were resolved when the lines were read: a retry succeeded. */
export function dropResolvedLines<Each extends SourcedLine>(lines: readonly Each[]): Each[] {
  const successes = new Map<string, { readonly unit: string; readonly resolves: RegExp | null }[]>();
  const pulledImages = new Set<string>();
  const unresolvedLines = lines.toReversed().filter((line) => {
    const { path, host, source, text } = line;
    const pathSuccesses = successes.get(path) ?? [];
    const image = IMAGE.exec(text)?.[0];
    const isResolved =
      pathSuccesses.some(({ unit, resolves }) => isOfUnit(line, unit) && (resolves === null || resolves.test(text))) ||
      pulledImages.has(`${host} ${image}`);
    for (const { success, resolves, unit } of SUCCESS_MESSAGES) {
      const match = success.exec(text);
      const name = unit ?? match?.[1] ?? source;
      if (match !== null && !pathSuccesses.some((each) => each.unit === name && each.resolves === resolves))
        pathSuccesses.push({ unit: name, resolves });
    }
    if (pathSuccesses.length > 0) successes.set(path, pathSuccesses);
    const pulledImage = PULLED_IMAGE.exec(text)?.[1];
    if (pulledImage !== undefined) pulledImages.add(`${host} ${IMAGE.exec(pulledImage)?.[0] ?? pulledImage}`);
    return !isResolved;
  });
  return unresolvedLines.toReversed();
}

const MAX_NODES = 3;
/** SSH gives up after 5 s without an answer; a machine that accepts the login may hang on its disk. */
const JOURNAL_READ_TIMEOUT = 20 * SECOND;
/** Units whose messages explain why a node does not join the cluster. */
const NODE_UNITS =
  'kubelet crio NetworkManager-wait-online node-valid-hostname machine-config-daemon-firstboot machine-config-daemon-pull systemd-fsck@* chronyd nodeip-configuration';
const JOURNAL_COMMAND = `sudo -n journalctl -b --no-pager -q -o short-iso -n 300 ${NODE_UNITS.split(' ')
  .map((unit) => `-u '${unit}'`)
  .join(' ')} 2>/dev/null | tail -n 300`;

/**
 * Reads the journals of nodes with problems, without resolved errors: of MAX_NODES nodes only, each within 20 seconds.
 * @param nodes name and address
 * @param onUnread receives each node that refuses the login or does not answer in time, and the reason
 */
export async function readNodeLines(
  context: StepContext,
  nodes: readonly { readonly name: string; readonly address: string }[],
  onUnread: OnUnread,
): Promise<EvidenceLine[]> {
  const reads = nodes.slice(0, MAX_NODES).map(async ({ name, address }) => {
    const journal = await readJournal(context, name, address);
    if ('why' in journal) {
      onUnread(name, journal.why);
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
): Promise<{ readonly text: string } | { readonly why: string }> {
  const login = await resolveCoreLogin(context, address, `known_hosts-${name}`);
  if (typeof login === 'string') return { why: login };
  const deadline = startDeadline(context.clock, JOURNAL_READ_TIMEOUT, JOURNAL_READ_TIMEOUT);
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
    if (deadline.signal.aborted) return { why: words().timeout(JOURNAL_READ_TIMEOUT / SECOND) };
    if (!(error instanceof UserErrorException)) throw error;
    return { why: toUserError(error).cause };
  } finally {
    deadline.end();
  }
}

const SERVICE_PROGRAMS = /^(?:haproxy|named|dhcpd|kea-dhcp4|Keepalived\w*|keepalived)$/;
/** Message of each program after it loaded its configuration: its earlier errors are resolved. */
const CONFIG_LOADED: Readonly<Record<string, RegExp>> = {
  haproxy: /Loading success|New worker .*forked/,
  named: /all zones loaded|^running$|configuration succeeded/,
  dhcpd: /Server starting service|DHCPOFFER|DHCPACK/,
  'kea-dhcp4': /DHCP4_STARTED|DHCP4_CONFIG_COMPLETE|DHCP4_LEASE_ALLOC/,
};

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

/** Drops the configuration errors of a program that has loaded its configuration since, on the same host. */
export function dropResolvedErrors(lines: readonly EvidenceLine[]): EvidenceLine[] {
  const lastLoadIndexes = new Map<string, number>();
  for (const [index, { source, host, text }] of lines.entries())
    if (CONFIG_LOADED[source]?.test(text)) lastLoadIndexes.set(`${host} ${source}`, index);
  return lines.filter(
    ({ source, host, text }, index) => !isConfigError(text) || index > (lastLoadIndexes.get(`${host} ${source}`) ?? -1),
  );
}
