import { cause, clueOfLines, told } from '../cause.ts';

/** Watches are silent for up to a minute: who cuts them sooner makes every kubelet and operator begin anew (seconds). */
const LEAST = 30;
const UNITS: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86_400 };
/** Ends of watches that any installation has; more come from a load balancer that cuts. */
const MANY = 10;

/** The load balancer ends connections that are silent for seconds. */
export const balancerTimeoutShort = cause('balancer-timeout-short', 'balancer', (evidence) => {
  const lines = told(
    evidence,
    /Unexpected watch close|very short watch|unexpected EOF.*watch|http2: client connection lost/,
    MANY,
  );
  const short = evidence.files.flatMap(({ host, kind, path, text }) =>
    kind === 'haproxy' ? shortTimes(text).map((line) => ({ host, path, line })) : [],
  );
  const command = "grep -nE 'timeout +(client|server|tunnel) ' /etc/haproxy/haproxy.cfg";
  const likelihood = lines.length > 0 ? ('certain' as const) : ('likely' as const);
  if (short.length === 0) return clueOfLines(lines.slice(-1), 'possible', command);
  return short.map(({ host, path, line }) => ({
    likelihood,
    subject: host,
    symptom: `${path} on ${host}: ${line}`,
    command: `ssh ${host} ${command}`,
  }));
});

/** `timeout tunnel` takes the place of the other two once data has flowed both ways (HAProxy configuration manual, 4.2). */
function shortTimes(text: string): string[] {
  const all = [...text.matchAll(/^\s*timeout\s+(client|server|tunnel)\s+(\d+)(us|ms|s|m|h|d)?\s*$/gm)];
  const times = all.map(([line, name, number, unit]) => ({
    line: line.trim(),
    name,
    seconds: Number(number) * (UNITS[unit ?? 'ms'] ?? 1e-3),
  }));
  const isShort = ({ seconds }: { seconds: number }) => seconds > 0 && seconds < LEAST;
  return times.filter(isShort).map(({ line }) => line);
}
