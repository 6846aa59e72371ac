import type { LogLine } from './log-line.ts';

/** What openshift-install waits for. `none`: it has not begun to wait. */
export type LogPhase = 'none' | 'api' | 'bootstrap' | 'initialize' | 'stable' | 'console' | 'complete' | 'failed';

/** What the lines of the log say together. Times in milliseconds since the epoch; null where the log gives none. */
export interface LogInterpretation {
  readonly phase: LogPhase;
  /** When the phase began. */
  readonly since: number | null;
  /** When the installer gives up waiting in this phase. */
  readonly until: number | null;
  readonly lastLine: LogLine | null;
  readonly apiUpAt: number | null;
  /** It is safe to remove the bootstrap node since then. */
  readonly bootstrapCompleteAt: number | null;
  /** True as soon as the line was there, also where it has no time (standard error). */
  readonly isBootstrapComplete: boolean;
  readonly consoleUrl: string | null;
  /** 0 to 100, of the release's manifests; null before the first such line. */
  readonly progressPercent: number | null;
  /** What failed, in the installer's words. */
  readonly failure: string | null;
}

const NOTHING: LogInterpretation = {
  phase: 'none',
  since: null,
  until: null,
  lastLine: null,
  apiUpAt: null,
  bootstrapCompleteAt: null,
  isBootstrapComplete: false,
  consoleUrl: null,
  progressPercent: null,
  failure: null,
};

type Change = Partial<LogInterpretation>;
type Rule = readonly [RegExp, (line: LogLine, match: RegExpExecArray, before: LogInterpretation) => Change];

const enter =
  (phase: LogPhase) =>
  (line: LogLine, match: RegExpExecArray): Change => ({
    phase,
    since: line.at,
    until: line.at === null || match[1] === undefined ? null : line.at + goDuration(match[1]),
    failure: null,
  });
const fail = (line: LogLine): Change => ({ phase: 'failed', since: line.at, until: null, failure: line.text });

// Messages of cmd/openshift-install/command/waitfor.go and create.go of openshift/installer, 4.5 to 4.21.
const RULES: readonly Rule[] = [
  [/^Waiting up to (\S+) .*for the Kubernetes API/, enter('api')],
  [/^API v\S+ up$/, (line) => ({ apiUpAt: line.at })],
  [
    /^Waiting up to (\S+) .*for bootstrapping to complete/,
    (line, match, before) => ({ ...enter('bootstrap')(line, match), apiUpAt: before.apiUpAt ?? line.at }),
  ],
  [
    /^It is now safe to remove the bootstrap resources/,
    (line) => ({ bootstrapCompleteAt: line.at, isBootstrapComplete: true, until: null }),
  ],
  [/^Waiting up to (\S+) .*to initialize/, enter('initialize')],
  [
    /\b(\d+) of (\d+) done\b/,
    (_, match) => {
      const [done, total] = [Number(match[1]), Number(match[2])];
      return total > 0 ? { progressPercent: Math.min(100, Math.floor((100 * done) / total)) } : {};
    },
  ],
  [/: (\d{1,3})% complete/, (_, match) => ({ progressPercent: Math.min(100, Number(match[1])) })],
  [/^Cluster is initialized/, () => ({ progressPercent: 100 })],
  [/^Waiting up to (\S+) .*to ensure each cluster operator has finished progressing/, enter('stable')],
  [/^Waiting up to (\S+) .*for the openshift-console route/, enter('console')],
  [/^Checking to see if there is a route at openshift-console\/console/, enter('console')],
  [/^Access the OpenShift web-console here: (https:\/\/\S+)/, (_, match) => ({ consoleUrl: match[1] ?? null })],
  [
    /^Install complete!/,
    (line) => ({ phase: 'complete', since: line.at, until: null, failure: null, progressPercent: 100 }),
  ],
  [/^Bootstrap failed to complete: /, fail],
  [/^Failed (?:waiting for Kubernetes API|to wait for bootstrapping to complete)/, fail],
  [/^(?:failed to initialize the cluster|Cluster initialization failed|These cluster operators were not stable)/, fail],
];

/**
 * What the log says so far. A later run (the installer may be asked to wait again) takes over the phase; facts that were
 * reached stay.
 * @param before what earlier lines said, to read a growing log piece by piece
 */
export function interpretLog(lines: readonly LogLine[], before: LogInterpretation = NOTHING): LogInterpretation {
  return lines.reduce(interpretLine, before);
}

function interpretLine(before: LogInterpretation, line: LogLine): LogInterpretation {
  const now = { ...before, lastLine: line };
  // The first reason is the real one; what follows is advice.
  const isAdvice = before.phase === 'failed' && (line.level === 'error' || line.level === 'fatal');
  if (isAdvice) return now;
  for (const [pattern, change] of RULES) {
    const match = pattern.exec(line.text);
    if (match) return { ...now, ...change(line, match, before) };
  }
  const isOver = line.level === 'fatal' || /^Received interrupt signal/.test(line.text);
  return isOver && before.phase !== 'complete' ? { ...now, ...fail(line) } : now;
}

/** "1h20m0s" in milliseconds. */
function goDuration(text: string): number {
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
  return [...text.matchAll(/(\d+(?:\.\d+)?)(h|m|s)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ''] ?? 0),
    0,
  );
}
