import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Finding } from '../finding.ts';
import { evaluateRules, type Rule } from '../rule.ts';
import type { LogEvidence } from './evidence.ts';

/** Kinds of failures that a log line can show. */
type LogLineCode =
  | 'log-pullSecret'
  | 'log-release'
  | 'log-clock'
  | 'log-authority'
  | 'log-name'
  | 'log-full'
  | 'log-disk'
  | 'log-tornDown';

/**
 * Creates a rule for log lines that match a pattern; its cause is the latest match.
 * @param minimum number of matches from which they count
 */
const logRule = (code: LogLineCode, pattern: RegExp, minimum = 1): Rule<readonly LogEvidence[]> => ({
  code,
  severity: 'warning',
  evaluate(lines) {
    const matches = lines.filter(({ text }) => pattern.test(text));
    const line = matches.at(-1);
    if (line === undefined || matches.length < minimum) return [];
    const from = line.source === 'installer' ? '' : `${line.source}: `;
    return [{ ...catalogue().diagnosis.bootstrap.lines[code], cause: `${from}${line.text.slice(0, 300)}` }];
  },
});

const LOG_RULES: readonly Rule<readonly LogEvidence[]>[] = [
  logRule('log-pullSecret', /unauthorized|authentication required/i),
  logRule('log-release', /manifest unknown/i),
  logRule('log-clock', /expired or is not yet valid/),
  logRule('log-authority', /signed by unknown authority/),
  logRule('log-name', /no such host/i),
  logRule('log-full', /no space left/i),
  // etcd changes its leader once or twice while its members join.
  logRule('log-disk', /etcdserver|fdatasync/, 3),
  logRule('log-tornDown', /Tearing down/),
];

const MAX_LINES = 500;
const RECENT_PERIOD = 10 * MINUTE;
const MAX_FINDINGS = 2;

/**
 * Explains the recent failures in the log, with one finding for each kind.
 * @param now ms of the clock
 */
export function explainLogLines(lines: readonly LogEvidence[], now: number): Finding[] {
  const recent = lines
    .slice(-MAX_LINES)
    .filter(({ mark, at }) => mark === 'trouble' && (at === null || now - at < RECENT_PERIOD));
  return evaluateRules(LOG_RULES, recent).slice(0, MAX_FINDINGS);
}
