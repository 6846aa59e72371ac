import { redact } from '../platform/redact.ts';
import { sanitize } from '../platform/sanitize.ts';

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
  const safeLine = (at: number | null, level: LogLevel | undefined, text: string): LogLine => ({
    at,
    level: level ?? 'unknown',
    text: sanitize(redact(text), MAX_TEXT_LENGTH),
  });
  const plain = line.replace(COLOUR, '').replace(/\r$/, '');
  const logrus = LOGRUS.exec(plain);
  if (logrus) {
    const at = Date.parse(logrus[1] ?? '');
    return safeLine(Number.isNaN(at) ? null : at, LEVELS[logrus[2] ?? ''], unquote(logrus[3] ?? ''));
  }
  const terminal = TERMINAL.exec(plain);
  if (terminal) return safeLine(null, LEVELS[(terminal[1] ?? '').toLowerCase()], terminal[2] ?? '');
  const klog = KLOG.exec(plain);
  if (klog) return safeLine(null, KLOG_LEVELS[klog[1] ?? ''], klog[2] ?? '');
  return safeLine(null, 'unknown', plain);
}

/** 4.5 quotes every message, later versions only in the file; after the quoted message further fields may follow. */
function unquote(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"(?: \w+=.*)?$/s.exec(value);
  return quoted ? decodeEscapes(quoted[1] ?? '') : value;
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
