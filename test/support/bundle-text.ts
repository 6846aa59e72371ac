import { MINUTE, SECOND } from '../../src/ports/clock.ts';

/** Files of a bundle by their path in it: what installer-gather.sh of 4.14 to 4.18 leaves. */
export type BundleFiles = Readonly<Record<string, string | Buffer>>;

/** When the bundles of tests were gathered. */
export const GATHERED = Date.UTC(2026, 10, 22, 12);
export const LOG_BUNDLE = 'log-bundle-20261122120000';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const two = (value: number) => String(value).padStart(2, '0');

/** Messages of a unit as `journalctl --output=short` prints them, the last one some seconds before the bundle. */
export function journal(host: string, unit: string, messages: readonly string[], every = 10 * SECOND): string {
  return messages
    .map((message, index) => `${short(GATHERED - (messages.length - index) * every)} ${host} ${unit}: ${message}\n`)
    .join('');
}

/** The time of journalctl's short form. */
export function short(time: number): string {
  const at = new Date(time);
  const day = String(at.getUTCDate()).padStart(2, ' ');
  return `${MONTHS[at.getUTCMonth()]} ${day} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
}

/** The beginning of a line of klog. */
export function klog(level: 'I' | 'W' | 'E', before: number, where: string): string {
  const at = new Date(GATHERED - before);
  return `${level}${two(at.getUTCMonth() + 1)}${two(at.getUTCDate())} ${at.toISOString().slice(11, 23)}000       1 ${where}]`;
}

/** A line as often as it is said. */
export const times = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index));
export const EMPTY_UNITS = '  UNIT LOAD ACTIVE SUB DESCRIPTION\n0 loaded units listed.\n';
/** So many minutes before the bundle, in RFC 3339. */
export const at = (minutes: number) => new Date(GATHERED - minutes * MINUTE).toISOString().replace(/\.\d+Z$/, 'Z');
/** An id as containers have. */
export const id = (text: string) => Buffer.from(text.repeat(16)).toString('hex').slice(0, 64);

/** Service records as bootstrap-service-record.sh writes them. */
export function record(
  stages: readonly string[],
  failed: { readonly stage: string; readonly said: string } | null = null,
): string {
  const entries: Record<string, string>[] = [{ phase: 'service start' }];
  for (const stage of stages)
    entries.push({ phase: 'stage start', stage }, { phase: 'stage end', stage, result: 'success' });
  if (failed === null) entries.push({ phase: 'service end', result: 'success' });
  else
    entries.push(
      { phase: 'stage start', stage: failed.stage },
      {
        phase: 'stage end',
        stage: failed.stage,
        result: 'failure',
        errorLine: '612 /usr/local/bin/bootkube.sh',
        errorMessage: failed.said,
      },
      {
        phase: 'service end',
        stage: failed.stage,
        result: 'failure',
        errorLine: '612 /usr/local/bin/bootkube.sh',
        errorMessage: failed.said,
      },
    );
  const stamped = entries.map((entry, index) => ({ timestamp: at(80 - index), ...entry }));
  return `[\n${stamped.map((entry) => `  ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n  ')}`).join(',\n')}\n]\n`;
}

export const STAGES =
  'cvo-bootstrap api-bootstrap auth-api-bootstrap config-bootstrap etcd-bootstrap kube-apiserver-bootstrap kube-controller-manager-bootstrap kube-scheduler-bootstrap ingress-operator-bootstrap mco-bootstrap cco-bootstrap'.split(
    ' ',
  );
