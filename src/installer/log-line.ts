import { MINUTE } from '../platform/clock.ts';
import { sanitize } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';

type LogLevel = 'trace' | 'debug' | 'info' | 'warning' | 'error' | 'fatal' | 'unknown';

/** A message of openshift-install, without secrets and safe to show. */
export interface LogLine {
  /** Milliseconds since the epoch; null on standard error, which carries no time. */
  readonly at: number | null;
  readonly level: LogLevel;
  /** May hold newlines. */
  readonly text: string;
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warning: 'warning',
  warn: 'warning',
  error: 'error',
  fatal: 'fatal',
  panic: 'fatal',
};
const KLOG_LEVELS: Readonly<Record<string, LogLevel>> = { I: 'info', W: 'warning', E: 'error', F: 'fatal' };

const LOGRUS = /^(?:time="([^"]*)" )?level=(\w+) msg=(.*)$/s;
const TERMINAL = /^(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)(?:\[\d+\])? (.*)$/s;
// Lines of the Kubernetes client: "W1121 04:08:11.123456   12 reflector.go:561] failed to list …".
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ .*?\] (.*)$/s;

/** Longer messages are truncated. */
const MAX_TEXT_LENGTH = 10_000;
const COLOUR = /\u001b\[[0-9;]*m/g;

/** Parses a line of the log file or of standard error, in any format since 4.5; other text is kept unchanged. */
export function parseLogLine(line: string): LogLine {
  const createSafeLine = (at: number | null, level: LogLevel | undefined, text: string): LogLine => ({
    at,
    level: level ?? 'unknown',
    text: sanitize(redact(text), MAX_TEXT_LENGTH),
  });
  const plainLine = line.replace(COLOUR, '').replace(/\r$/, '');
  const logrus = LOGRUS.exec(plainLine);
  if (logrus) {
    const at = Date.parse(logrus[1] ?? '');
    return createSafeLine(Number.isNaN(at) ? null : at, LEVELS[logrus[2] ?? ''], unquoteMessage(logrus[3] ?? ''));
  }
  const terminal = TERMINAL.exec(plainLine);
  if (terminal) return createSafeLine(null, LEVELS[(terminal[1] ?? '').toLowerCase()], terminal[2] ?? '');
  const klog = KLOG.exec(plainLine);
  if (klog) return createSafeLine(null, KLOG_LEVELS[klog[1] ?? ''], klog[2] ?? '');
  return createSafeLine(null, 'unknown', plainLine);
}

/** Removes the quotes of a message: 4.5 quotes every message, later versions only in the file. Drops further fields. */
function unquoteMessage(value: string): string {
  const match = /^"((?:[^"\\]|\\.)*)"(?: \w+=.*)?$/s.exec(value);
  return match ? decodeEscapes(match[1] ?? '') : value;
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** Decodes the escapes of Go's strconv.Quote. */
function decodeEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/gis,
    (_, byte?: string, short?: string, long?: string, single?: string) => {
      const code = Number.parseInt(byte ?? short ?? long ?? '', 16);
      if (!Number.isNaN(code)) return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
      return SIMPLE_ESCAPES[single ?? ''] ?? single ?? '';
    },
  );
}

/** A rule that marks the lines that match a pattern, of one source or of all. */
interface MarkRule {
  readonly pattern: RegExp;
  readonly mark: Extract<LogMark, 'noise' | 'failure'>;
  /**
   * How long the line is normal after the start of the wait (or of the unit), in ms; after that it is marked
   * `failure`. Absent: it is always normal.
   */
  readonly graceMs?: number;
  readonly source?: LogSource;
}

/** An unavailable API is normal while the bootstrap node starts; the installer itself gives up after 20 minutes. */
const API_STARTUP_GRACE_MS = 20 * MINUTE;

// The first match decides. Sources: messages of openshift/installer waitfor.go, cluster-bootstrap (asset apply loop)
// and etcd as they occur during installations; troubleshootingbootstrap.md of openshift/installer.
const MARK_RULES: readonly MarkRule[] = [
  { pattern: /unauthorized: |authentication required|manifest unknown/i, mark: 'failure' },
  { pattern: /certificate has expired or is not yet valid/, mark: 'failure' },
  { pattern: /certificate signed by unknown authority/, mark: 'failure', source: 'installer' },
  { pattern: /no such host|no space left on device/i, mark: 'failure' },
  { pattern: /etcdserver: (?:request timed out|leader changed)|slow fdatasync/, mark: 'failure' },
  { pattern: /Tearing down temporary bootstrap control plane/, mark: 'failure' },
  { pattern: /(?:bootkube|release-image)\.service: (?:Failed with result|Main process exited)/, mark: 'failure' },
  { pattern: /server gave HTTP response to HTTPS client/, mark: 'noise', graceMs: 2 * MINUTE },
  { pattern: /has asked for the client to provide credentials/, mark: 'noise', graceMs: 2 * MINUTE },
  { pattern: /Unexpected watch close|[Ff]ailed to (?:watch|list) \*|watch of \*\S+ ended with/, mark: 'noise' },
  { pattern: /error parsing profile: invalid organization/, mark: 'noise' },
  // The control plane runs pods of users until the compute nodes have joined (pkg/asset/manifests/scheduler.go).
  { pattern: /^Making control-plane schedulable/, mark: 'noise', source: 'installer' },
  {
    pattern: /failed to create|unable to get REST mapping|no matches for kind|namespaces "[^"]*" not found/i,
    mark: 'noise',
    graceMs: API_STARTUP_GRACE_MS,
    source: 'bootkube',
  },
  {
    pattern:
      /\bEOF$|connection (?:refused|reset)|could not find the requested resource|[Ss]ervice [Uu]navailable|\b503\b|TLS handshake timeout|context deadline exceeded|Client\.Timeout|i\/o timeout/,
    mark: 'noise',
    graceMs: API_STARTUP_GRACE_MS,
  },
];

/** Start of a wait or of a unit: `graceMs` counts from here. */
const START_LINE = /^(?:Waiting up to \S+ |Starting |Started |Rendering |Pulling )/;
const CREATE_FAILURE = /^(?:Failed to create )?"([^"]+)"(?:: (?:failed to create|unable to get REST mapping)| )/;
const CREATE_SUCCESS = /^(?:Created|Updated|Skipped) "([^"]+)"/;

/** Marks log lines in their order. */
interface LogMarker {
  /** @returns the mark, and the numbers of earlier lines that this one resolves */
  mark(
    line: LogLine,
    source: LogSource,
    number: number,
  ): { readonly mark: LogMark; readonly resolvedLines: readonly number[] };
}

/** Creates a marker without history. Lines must be passed in the order in which they were written. */
export function createLogMarker(): LogMarker {
  const startedAt: Partial<Record<LogSource, number>> = {};
  const failureNumbersByName = new Map<string, number[]>();
  return {
    mark(line, source, number) {
      const { at, text } = line;
      if (at !== null && START_LINE.test(text))
        startedAt[source] = startedAt[source] === undefined || source === 'installer' ? at : startedAt[source];
      const success = source === 'installer' ? null : CREATE_SUCCESS.exec(text);
      if (success) {
        const name = success[1] ?? '';
        const resolvedLines = failureNumbersByName.get(name) ?? [];
        failureNumbersByName.delete(name);
        return { mark: null, resolvedLines };
      }
      const ageMs = at === null ? 0 : at - (startedAt[source] ?? at);
      const rule = MARK_RULES.find((markRule) => (markRule.source ?? source) === source && markRule.pattern.test(text));
      if (rule === undefined) return { mark: null, resolvedLines: [] };
      const name = source === 'installer' ? undefined : CREATE_FAILURE.exec(text)?.[1];
      if (name !== undefined)
        failureNumbersByName.set(name, [
          ...(failureNumbersByName.get(name) ?? []).slice(-MAX_REMEMBERED_FAILURES),
          number,
        ]);
      return { mark: rule.graceMs !== undefined && ageMs > rule.graceMs ? 'failure' : rule.mark, resolvedLines: [] };
    },
  };
}

/** A manifest can fail hundreds of times; at most this many of its failures are marked as solved once it is created. */
const MAX_REMEMBERED_FAILURES = 1000;

/**
 * Classification of a line. `noise`: alarming text that is normal at this stage. `solved`: a failure that a later line
 * resolves. `failure`: a failure that does not resolve on its own. Null: not classified.
 */
export type LogMark = 'noise' | 'solved' | 'failure' | null;

/** The origin of a line: the installer's log, or a unit's journal on the bootstrap node. */
export type LogSource = 'installer' | 'bootkube' | 'release-image';
