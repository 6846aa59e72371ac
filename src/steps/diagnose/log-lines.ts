import { OFFER_PATTERN } from '../../checks/boot/dhcp-log.ts';
import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import { isConfigError } from '../../checks/rules/service-config.ts';
import { MINUTE } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';

/** Maximum length of a line's text, in characters. */
export const MAX_LINE_LENGTH = 600;
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

// `oc adm node-logs` of several nodes may put the name of each before its lines. Month names may be in another
// language, and the host name may be empty because users remove it.
const JOURNAL_LINE =
  /^(?:[a-z0-9][a-z0-9.-]* (?=[A-Z][a-z]{2} +\d+ \d\d:))?((?:\p{L}{2,9}\.?|\d+\p{L}) +\d+ \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?) (\S*) ([^\s[:]+)(?:\[\d+\])?: (.*)$/u;
// Begins with the seconds since boot. Before them, systemd may print a progress line without a line break.
const CONSOLE_LINE = /^.*?\[ *\d+\.\d{6}\] (?:([\w@.-]+)\[\d+\]: )?(?=\S)/;
const RUNTIME_PREFIX = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] /;

/**
 * Parses lines as journalctl prints them: time, host, unit, message. Other lines keep their text.
 * @param host the machine of the lines; null: the one that each line names
 * @param now ms: a time without a year is taken from the twelve months before it
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
 * Parses a time in the formats of logs to ms; null for any other text.
 * @param now ms: a time without a year is taken from the twelve months before it
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
type LineWithPath = EvidenceLine & { readonly path: string };

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
 * differ, so each machine has its own end.
 * @param endTime the common end (ms), if one machine gathered everything; null: each machine has its own end, and the
 * lines of `NEVER_STALE_PATHS` stay
 */
export function dropStaleLines<Line extends LineWithPath>(lines: readonly Line[], endTime: number | null): Line[] {
  const endTimesByHost = new Map<string | null, number>();
  for (const { host, at } of lines)
    if (at !== null) endTimesByHost.set(host, Math.max(endTimesByHost.get(host) ?? 0, at));
  return lines.filter(({ host, at, path }) => {
    if (at === null || (endTime === null && NEVER_STALE_PATHS.test(path))) return true;
    return at >= Math.min(endTime ?? Number.POSITIVE_INFINITY, endTimesByHost.get(host) ?? at) - REPEAT_WINDOW;
  });
}

/** A message after which earlier problems of a program are over. */
interface SuccessMessage {
  /** The first group, if there is one, is the name of the unit. */
  readonly success: RegExp;
  /** Pattern of the problems that are over; null: all problems of the unit. */
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

/** Whether a line comes from a unit. In a file of one unit, lines name no program: their source is the path. */
function isFromUnit({ source }: EvidenceLine, unit: string): boolean {
  return /[/]|\.(?:log|txt|out)$/.test(source) || (UNIT_PROGRAMS[unit]?.test(source) ?? source.startsWith(unit));
}

/** Drops the lines of problems that a later success message resolves: a retry succeeded. */
export function dropResolvedLines<Line extends LineWithPath>(lines: readonly Line[]): Line[] {
  const successesByPath = new Map<string, { readonly unit: string; readonly resolves: RegExp | null }[]>();
  const pulledImages = new Set<string>();
  const unresolvedLines = lines.toReversed().filter((line) => {
    const { path, host, source, text } = line;
    const pathSuccesses = successesByPath.get(path) ?? [];
    const image = IMAGE.exec(text)?.[0];
    const isResolved =
      pathSuccesses.some(
        ({ unit, resolves }) => isFromUnit(line, unit) && (resolves === null || resolves.test(text)),
      ) || pulledImages.has(`${host} ${image}`);
    for (const { success, resolves, unit } of SUCCESS_MESSAGES) {
      const match = success.exec(text);
      const name = unit ?? match?.[1] ?? source;
      if (
        match !== null &&
        !pathSuccesses.some((earlierSuccess) => earlierSuccess.unit === name && earlierSuccess.resolves === resolves)
      )
        pathSuccesses.push({ unit: name, resolves });
    }
    if (pathSuccesses.length > 0) successesByPath.set(path, pathSuccesses);
    const pulledImage = PULLED_IMAGE.exec(text)?.[1];
    if (pulledImage !== undefined) pulledImages.add(`${host} ${IMAGE.exec(pulledImage)?.[0] ?? pulledImage}`);
    return !isResolved;
  });
  return unresolvedLines.toReversed();
}

/** Message of each program after it loaded its configuration: its earlier errors are resolved. */
const CONFIG_LOADED: Readonly<Record<string, RegExp>> = {
  haproxy: /Loading success|New worker .*forked/,
  named: /all zones loaded|^running$|configuration succeeded/,
  dhcpd: /Server starting service|DHCPOFFER|DHCPACK/,
  'kea-dhcp4': /DHCP4_STARTED|DHCP4_CONFIG_COMPLETE|DHCP4_LEASE_ALLOC/,
};

/** Drops the configuration errors of a program that has loaded its configuration since, on the same host. */
export function dropResolvedConfigErrors(lines: readonly EvidenceLine[]): EvidenceLine[] {
  const lastLoadIndexes = new Map<string, number>();
  for (const [index, { source, host, text }] of lines.entries())
    if (CONFIG_LOADED[source]?.test(text)) lastLoadIndexes.set(`${host} ${source}`, index);
  return lines.filter(
    ({ source, host, text }, index) => !isConfigError(text) || index > (lastLoadIndexes.get(`${host} ${source}`) ?? -1),
  );
}
