import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Finding } from '../finding.ts';
import { judge, type Rule } from '../rule.ts';
import type { LogEvidence } from './evidence.ts';

/** Kinds of trouble that a line of the log shows. */
type LineCode =
  | 'log-pullSecret'
  | 'log-release'
  | 'log-clock'
  | 'log-authority'
  | 'log-name'
  | 'log-full'
  | 'log-disk'
  | 'log-tornDown';

/** @param least how many lines it takes before they mean something */
const said = (code: LineCode, pattern: RegExp, least = 1): Rule<readonly LogEvidence[]> => ({
  code,
  severity: 'warning',
  judge(lines) {
    const fitting = lines.filter(({ text }) => pattern.test(text));
    const line = fitting.at(-1);
    if (line === undefined || fitting.length < least) return [];
    const from = line.source === 'installer' ? '' : `${line.source}: `;
    return [{ ...catalogue().diagnosis.bootstrap.lines[code], cause: `${from}${line.text.slice(0, 300)}` }];
  },
});

const LINES: readonly Rule<readonly LogEvidence[]>[] = [
  said('log-pullSecret', /unauthorized|authentication required/i),
  said('log-release', /manifest unknown/i),
  said('log-clock', /expired or is not yet valid/),
  said('log-authority', /signed by unknown authority/),
  said('log-name', /no such host/i),
  said('log-full', /no space left/i),
  // etcd changes its leader once or twice while its members join.
  said('log-disk', /etcdserver|fdatasync/, 3),
  said('log-tornDown', /Tearing down/),
];

const LATEST_LINES = 500;
const RECENT = 10 * MINUTE;
const MOST = 2;

/** Explains the latest lines of trouble in the log, one finding for each kind. */
export function judgeLines(lines: readonly LogEvidence[], now: number): Finding[] {
  const recent = lines
    .slice(-LATEST_LINES)
    .filter(({ mark, at }) => mark === 'trouble' && (at === null || now - at < RECENT));
  return judge(LINES, recent).slice(0, MOST);
}
