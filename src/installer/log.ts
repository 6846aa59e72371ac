import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
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

/** Turns chunks of text, split anywhere, into lines. */
interface LogParser {
  /** Returns the lines that are complete; text after the last newline is kept for the next call. */
  push(chunk: string | Buffer): LogLine[];
  /** Returns the incomplete last line once the input has ended. */
  end(): LogLine[];
}

/** Longer lines are truncated (characters): a file that is no log must not exhaust the memory. */
const MAX_LINE_LENGTH = 256 * 1024;

/**
 * Creates a parser for the log file or the standard error of openshift-install. It hides private keys, even those
 * that span several lines.
 */
export function createLogParser(): LogParser {
  const decoder = new StringDecoder('utf8');
  let incompleteLine = '';
  let isInKey = false;

  const toLine = (text: string): LogLine[] => {
    if (isInKey) {
      isInKey = !/-----END [A-Z0-9 ]*PRIVATE KEY-----/.test(text);
      return [];
    }
    isInKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?!.*-----END)/.test(text);
    return text === '' ? [] : [parseLogLine(text)];
  };

  return {
    push(chunk) {
      const parts = (incompleteLine + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
      incompleteLine = (parts.pop() ?? '').slice(0, MAX_LINE_LENGTH);
      return parts.flatMap(toLine);
    },
    end() {
      const lastLine = incompleteLine + decoder.end();
      incompleteLine = '';
      return toLine(lastLine);
    },
  };
}

/** Reads a growing log in chunks. */
export interface LogFollower {
  /**
   * Returns the lines added since the last call (at most 1 MiB); empty if there are none or the file does not exist
   * yet.
   */
  next(): Promise<LogLine[]>;
}

const CHUNK_BYTES = 1024 * 1024;
/** The first read of a longer log starts this far from its end (bytes). */
const INITIAL_TAIL_BYTES = 16 * CHUNK_BYTES;

/**
 * Follows a log file from its beginning (a long file from near its end). A file that was replaced or truncated is read
 * from its beginning again.
 */
export function createLogFollower(file: string): LogFollower {
  let offset: number | null = null;
  let inode: number | null = null;
  let parser = createLogParser();
  let isPartialLine = false;
  return {
    async next() {
      const handle = await open(file, 'r').catch(() => null);
      if (!handle) return [];
      try {
        const { size, ino } = await handle.stat();
        if (offset === null || size < offset || ino !== inode) {
          offset = Math.max(0, size - INITIAL_TAIL_BYTES);
          // A chunk from the middle of the file starts with a partial line.
          isPartialLine = offset > 0;
          inode = ino;
          parser = createLogParser();
        }
        const length = Math.min(size - offset, CHUNK_BYTES);
        if (length <= 0) return [];
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
        offset += bytesRead;
        const chunk = buffer.subarray(0, bytesRead);
        const start = isPartialLine ? chunk.indexOf(0x0a) + 1 : 0;
        if (isPartialLine && start === 0) return [];
        isPartialLine = false;
        return parser.push(chunk.subarray(start));
      } finally {
        await handle.close();
      }
    },
  };
}

/** A line as it is displayed: one row, with its source and its mark. */
export interface MarkedLogLine extends LogLine {
  readonly source: LogSource;
  readonly mark: LogMark;
}

/** The lines known at one time. A new object after every change; the same object while nothing changed. */
export interface LogSnapshot {
  readonly lines: readonly MarkedLogLine[];
  /** The number of the first line. Numbers only grow, so a position stays valid when old lines are dropped. */
  readonly firstNumber: number;
  /** Time of the last message that was new and no noise, in milliseconds; null: never. */
  readonly lastNewMessageAt: number | null;
}

/** Lines of several sources in the order of their arrival, the latest 100,000 of them. */
export interface LogBuffer {
  /**
   * Adds lines that have arrived.
   * @param now ms since the epoch, for lines without a time of their own
   */
  add(source: LogSource, lines: readonly LogLine[], now: number): void;
  getSnapshot(): LogSnapshot;
}

const MAX_LINES = 100_000;
/** Limit of characters, however long the lines are. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Maximum number of distinct messages that are remembered, to recognize new ones. */
const MAX_KNOWN_MESSAGES = 5000;

/**
 * Creates an empty buffer.
 * @param maxLines number of lines that are kept, with no more than 32 Mi characters: the oldest are dropped first
 */
export function createLogBuffer(maxLines = MAX_LINES): LogBuffer {
  const marker = createLogMarker();
  const knownMessages = new Set<string>();
  let lines: MarkedLogLine[] = [];
  let firstNumber = 0;
  let characterCount = 0;
  let lastNewMessageAt: number | null = null;
  let snapshot: LogSnapshot = { lines, firstNumber, lastNewMessageAt };

  function addLine(source: LogSource, line: LogLine, now: number): void {
    const { mark, resolvedLines } = marker.mark(line, source, firstNumber + lines.length);
    for (const number of resolvedLines) {
      const failedLine = lines[number - firstNumber];
      if (failedLine) lines[number - firstNumber] = { ...failedLine, mark: 'solved' };
    }
    if (mark !== 'noise' && recordIfNew(line.text)) lastNewMessageAt = Math.max(lastNewMessageAt ?? 0, line.at ?? now);
    lines.push({ ...line, source, mark });
    characterCount += line.text.length;
  }

  function recordIfNew(text: string): boolean {
    // Counters, times and addresses do not make a message new.
    const message = text.slice(0, 300).replace(/[0-9a-f]{8,}|\d+/g, '#');
    if (knownMessages.has(message)) return false;
    if (knownMessages.size < MAX_KNOWN_MESSAGES) knownMessages.add(message);
    return true;
  }

  function dropOldest(): void {
    let dropCount = Math.max(0, lines.length - maxLines);
    for (const line of lines.slice(0, dropCount)) characterCount -= line.text.length;
    while (characterCount > MAX_CHARACTERS && dropCount < lines.length) {
      characterCount -= lines[dropCount]?.text.length ?? 0;
      dropCount += 1;
    }
    lines = lines.slice(dropCount);
    firstNumber += dropCount;
  }

  return {
    add(source, newLines, now) {
      if (newLines.length === 0) return;
      // The lines of earlier snapshots must not change.
      lines = [...lines];
      for (const line of newLines)
        for (const text of line.text.split('\n')) addLine(source, { ...line, text: text.trimEnd() }, now);
      dropOldest();
      snapshot = { lines, firstNumber, lastNewMessageAt };
    },
    getSnapshot: () => snapshot,
  };
}
