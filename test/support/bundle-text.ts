import { MINUTE, SECOND } from '../../src/platform/clock.ts';

/** Files of a bundle by path, as installer-gather.sh of 4.14 to 4.18 writes them. */
export type BundleFiles = Readonly<Record<string, string | Buffer>>;

/** Time at which the bundles of the tests were gathered. */
export const GATHERED_AT = Date.UTC(2026, 10, 22, 12);
export const LOG_BUNDLE = 'log-bundle-20261122120000';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const padTwo = (value: number) => String(value).padStart(2, '0');

/**
 * Formats messages of a unit as `journalctl --output=short` prints them; the last one is `every` ms older than the
 * bundle.
 */
export function formatJournal(host: string, unit: string, messages: readonly string[], every = 10 * SECOND): string {
  return messages
    .map(
      (message, index) =>
        `${formatShortTime(GATHERED_AT - (messages.length - index) * every)} ${host} ${unit}: ${message}\n`,
    )
    .join('');
}

/** Formats a time in the short form of journalctl. */
function formatShortTime(time: number): string {
  const date = new Date(time);
  const day = String(date.getUTCDate()).padStart(2, ' ');
  return `${MONTHS[date.getUTCMonth()]} ${day} ${padTwo(date.getUTCHours())}:${padTwo(date.getUTCMinutes())}:${padTwo(date.getUTCSeconds())}`;
}

/**
 * Formats the prefix of a line of klog.
 * @param before ms before the bundle
 */
export function formatKlogPrefix(level: 'I' | 'W' | 'E', before: number, source: string): string {
  const date = new Date(GATHERED_AT - before);
  return `${level}${padTwo(date.getUTCMonth() + 1)}${padTwo(date.getUTCDate())} ${date.toISOString().slice(11, 23)}000       1 ${source}]`;
}

/** Repeats a line `count` times. */
export const repeatLine = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index));
export const EMPTY_UNITS = '  UNIT LOAD ACTIVE SUB DESCRIPTION\n0 loaded units listed.\n';
/** Time in RFC 3339, some minutes before the bundle. */
export const minutesBefore = (minutes: number) =>
  new Date(GATHERED_AT - minutes * MINUTE).toISOString().replace(/\.\d+Z$/, 'Z');
/** Returns a container id, derived from a text. */
export const containerId = (text: string) => Buffer.from(text.repeat(16)).toString('hex').slice(0, 64);

/** Formats service records as bootstrap-service-record.sh writes them. */
export function formatServiceRecord(
  stages: readonly string[],
  failure: { readonly stage: string; readonly message: string } | null = null,
): string {
  const entries: Record<string, string>[] = [{ phase: 'service start' }];
  for (const stage of stages)
    entries.push({ phase: 'stage start', stage }, { phase: 'stage end', stage, result: 'success' });
  if (failure === null) entries.push({ phase: 'service end', result: 'success' });
  else
    entries.push(
      { phase: 'stage start', stage: failure.stage },
      {
        phase: 'stage end',
        stage: failure.stage,
        result: 'failure',
        errorLine: '612 /usr/local/bin/bootkube.sh',
        errorMessage: failure.message,
      },
      {
        phase: 'service end',
        stage: failure.stage,
        result: 'failure',
        errorLine: '612 /usr/local/bin/bootkube.sh',
        errorMessage: failure.message,
      },
    );
  const timedEntries = entries.map((entry, index) => ({ timestamp: minutesBefore(80 - index), ...entry }));
  return `[\n${timedEntries.map((entry) => `  ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n  ')}`).join(',\n')}\n]\n`;
}

export const STAGES =
  'cvo-bootstrap api-bootstrap auth-api-bootstrap config-bootstrap etcd-bootstrap kube-apiserver-bootstrap kube-controller-manager-bootstrap kube-scheduler-bootstrap ingress-operator-bootstrap mco-bootstrap cco-bootstrap'.split(
    ' ',
  );
