import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';
import type { EvidenceLine } from '../evidence.ts';

/** etcd changes its leader once or twice while its members join. */
const MIN_OCCURRENCES = 5;
/** All clients of etcd report one change at once. */
const MAX_MINUTES = 2;
/** etcd warns above 100 or 200 ms, which a good but busy disk reaches now and then while a cluster starts. */
const SLOW_MS = 500;

/** etcd waits for its disk. */
export const etcdDiskSlow = diagnosticRule('etcd-disk-slow', 'requirements', (evidence) => {
  const operators = (evidence.cluster?.operators ?? []).filter(
    ({ wait }) => wait?.code === 'etcd-slow' && !wait.isNormal,
  );
  const command =
    'fio --rw=write --ioengine=sync --fdatasync=1 --directory=/var/lib/etcd --size=22m --bs=2300 --name=etcd';
  const operatorSymptoms = operators.map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: message,
    command,
  }));
  const slow = matchLogLines(evidence, /slow fdatasync|took too long.*expected-duration/).filter(
    ({ text }) => parseDurationMs(text) >= SLOW_MS,
  );
  const lost = matchLogLines(evidence, /etcdserver: (?:request timed out|leader changed)/);
  const isLasting = evidence.isBundle !== true || countMinutes(lost) > MAX_MINUTES;
  const lines = [
    ...(slow.length >= MIN_OCCURRENCES ? slow : []),
    ...(lost.length >= MIN_OCCURRENCES && isLasting ? lost : []),
  ];
  return [...operatorSymptoms, ...symptomsFromLines(lines.slice(0, 1), 'likely', command)];
});

/** Returns the duration in the line, ms; a line without one counts as slow. */
function parseDurationMs(text: string): number {
  const [, number, unit] = /took\W{1,4}(?:[\d.]+m)?([\d.]+)(ms|s)\b/.exec(text) ?? [];
  return number === undefined ? SLOW_MS : Number(number) * (unit === 's' ? 1000 : 1);
}

/** In how many minutes such lines occur; each line without a time counts as a minute. */
function countMinutes(lines: readonly EvidenceLine[]): number {
  return new Set(lines.map(({ at }, index) => (at === null ? `#${index}` : Math.floor(at / MINUTE)))).size;
}
