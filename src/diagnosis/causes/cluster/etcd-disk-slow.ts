import { MINUTE } from '../../../ports/clock.ts';
import { cause, clueOfLines, told } from '../cause.ts';
import type { Line } from '../evidence.ts';

/** etcd changes its leader once or twice while its members join. */
const OFTEN = 5;
/** All who talk to etcd tell of one change at once. */
const MOST_MINUTES = 2;
/** etcd warns above 100 or 200 ms, which a busy disk that is good enough takes now and then while a cluster begins. */
const SLOW_MS = 500;

/** etcd waits for its disk. */
export const etcdDiskSlow = cause('etcd-disk-slow', 'requirements', (evidence) => {
  const operators = (evidence.cluster?.operators ?? []).filter(
    ({ wait }) => wait?.code === 'etcd-slow' && !wait.isNormal,
  );
  const command =
    'fio --rw=write --ioengine=sync --fdatasync=1 --directory=/var/lib/etcd --size=22m --bs=2300 --name=etcd';
  const said = operators.map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: message,
    command,
  }));
  const slow = told(evidence, /slow fdatasync|took too long.*expected-duration/).filter(
    ({ text }) => tookMs(text) >= SLOW_MS,
  );
  const lost = told(evidence, /etcdserver: (?:request timed out|leader changed)/);
  const isLasting = evidence.isBundle !== true || minutesOf(lost) > MOST_MINUTES;
  const lines = [...(slow.length >= OFTEN ? slow : []), ...(lost.length >= OFTEN && isLasting ? lost : [])];
  return [...said, ...clueOfLines(lines.slice(0, 1), 'likely', command)];
});

/** How long it took, by the line; one that does not say counts. */
function tookMs(text: string): number {
  const [, number, unit] = /took\W{1,4}(?:[\d.]+m)?([\d.]+)(ms|s)\b/.exec(text) ?? [];
  return number === undefined ? SLOW_MS : Number(number) * (unit === 's' ? 1000 : 1);
}

/** In how many minutes it was said; what has no time, in each its own. */
function minutesOf(lines: readonly Line[]): number {
  return new Set(lines.map(({ at }, index) => (at === null ? `#${index}` : Math.floor(at / MINUTE)))).size;
}
