import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/**
 * Minimum timeout in seconds. Watches are silent for up to a minute; a load balancer that cuts them sooner makes every
 * kubelet and operator start again.
 */
const MIN_TIMEOUT_SECONDS = 30;
const UNITS: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86_400 };
/** Any installation ends some watches; more of them indicate a load balancer that cuts them. */
const MIN_WATCH_ENDS = 10;

/** The load balancer closes connections after only seconds of silence. */
export const balancerTimeoutShort = diagnosticRule('balancer-timeout-short', 'balancer', (evidence) => {
  const lines = matchLogLines(
    evidence,
    /Unexpected watch close|very short watch|unexpected EOF.*watch|http2: client connection lost/,
    MIN_WATCH_ENDS,
  );
  const short = evidence.files.flatMap(({ host, kind, path, text }) =>
    kind === 'haproxy' ? findShortTimeouts(text).map((line) => ({ host, path, line })) : [],
  );
  const command = "grep -nE 'timeout +(client|server|tunnel) ' /etc/haproxy/haproxy.cfg";
  const likelihood = lines.length > 0 ? ('certain' as const) : ('likely' as const);
  if (short.length === 0) return symptomsFromLines(lines.slice(-1), 'possible', command);
  return short.map(({ host, path, line }) => ({
    likelihood,
    subject: host,
    symptom: `${path} on ${host}: ${line}`,
    command: `ssh ${host} ${command}`,
  }));
});

/** `timeout tunnel` takes the place of the other two once data has flowed both ways (HAProxy configuration manual, 4.2). */
function findShortTimeouts(text: string): string[] {
  const all = [...text.matchAll(/^\s*timeout\s+(client|server|tunnel)\s+(\d+)(us|ms|s|m|h|d)?\s*$/gm)];
  const times = all.map(([line, name, number, unit]) => ({
    line: line.trim(),
    name,
    seconds: Number(number) * (UNITS[unit ?? 'ms'] ?? 1e-3),
  }));
  const isShort = ({ seconds }: { seconds: number }) => seconds > 0 && seconds < MIN_TIMEOUT_SECONDS;
  return times.filter(isShort).map(({ line }) => line);
}
