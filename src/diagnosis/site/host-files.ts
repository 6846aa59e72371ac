import { catalogue } from '../../i18n/catalogue.ts';
import type { ExpectedSite } from './expected-site.ts';
import type { ProbeAnswer } from './probe-types.ts';
import { type QueryVerdict, query, type SiteCheck } from './query.ts';

const words = () => catalogue().diagnosis.site.said;

type ServiceConfig = ExpectedSite['hosts'][number]['configs'][number];

/** The pattern of a comment, by the kind of the file. */
const COMMENTS: Readonly<Record<ServiceConfig['kind'], RegExp>> = {
  'bind-conf': /(?:\/\/|#|\/\*).*$/,
  'bind-zone': /;.*$/,
  haproxy: /(?:^|\s)#.*$/,
  keepalived: /(?:^|\s)[#!].*$/,
  'isc-dhcpd': /(?:^|\s)#.*$/,
  'kea-dhcp4': /^\s*(?:\/\/|#).*$/,
};
/** The serial of a zone changes with every edit and is no difference in content. */
const SERIAL = /;\s*serial\b/i;

/**
 * The configuration of each service equals the generated one. A single line changed on the host can cost days, and no
 * network query shows it.
 */
export const hostFiles: SiteCheck<'host-files'> = {
  code: 'host-files',
  phase: 'hosts',
  severity: 'warning',
  listQueries: ({ hosts }) =>
    hosts.flatMap(({ name, address, isSelf, configs }) =>
      configs.map((config, index) => {
        const { path } = config;
        const paths = configs.map((each) => each.path);
        const command = isSelf ? `sudo cat ${path}` : `ssh -t ${address} sudo cat ${path}`;
        return query('files', { name, address, isSelf, paths }, { subject: `${name} ${path}`, command }, (answer) =>
          compareConfig(config, index, answer),
        );
      }),
    ),
};

function compareConfig({ kind, planned }: ServiceConfig, index: number, answer: ProbeAnswer<'files'>): QueryVerdict {
  if (answer.state === 'unseen') return { state: 'unknown', detail: answer.detail };
  const text = answer.texts[index] ?? null;
  if (text === null) return { state: 'unknown', detail: words().noFile };
  const actual = parseLines(kind, text);
  const differences = planned.map((each) => diffLines(actual, parseLines(kind, each)));
  const [closest] = differences.toSorted((one, other) => one.count - other.count);
  if (closest === undefined || closest.count === 0) return { state: 'ok', detail: words().asGenerated };
  return { state: 'failed', detail: words().changedLines(closest.count, closest.line, closest.got, closest.want) };
}

interface ConfigLine {
  readonly line: number;
  readonly text: string;
}

/** Returns the effective lines of a file: without comments, and with blanks normalized. */
function parseLines(kind: ServiceConfig['kind'], text: string): ConfigLine[] {
  return text.split('\n').flatMap((raw, index) => {
    if (kind === 'bind-zone' && SERIAL.test(raw)) return [];
    const plain = raw.replace(COMMENTS[kind], '').trim().replaceAll(/\s+/g, ' ');
    return plain === '' ? [] : { line: index + 1, text: plain };
  });
}

/**
 * Counts the different lines and returns the first one: `got` or `want` is null if it exists only in the other text.
 */
function diffLines(actual: readonly ConfigLine[], planned: readonly ConfigLine[]) {
  const limit = Math.min(actual.length, planned.length);
  let first = 0;
  while (first < limit && actual[first]?.text === planned[first]?.text) first += 1;
  let commonTail = 0;
  while (commonTail < limit - first && actual.at(-1 - commonTail)?.text === planned.at(-1 - commonTail)?.text)
    commonTail += 1;
  const [actualCount, plannedCount] = [actual.length - first - commonTail, planned.length - first - commonTail];
  // With equal numbers of lines, changed lines are counted one by one.
  const changed = actual.filter(({ text }, index) => text !== planned[index]?.text);
  return {
    count: actualCount === plannedCount ? changed.length : Math.max(actualCount, plannedCount),
    line: actual[first]?.line ?? actual.at(-1)?.line ?? 1,
    got: actualCount > 0 ? (actual[first]?.text ?? null) : null,
    want: plannedCount > 0 ? (planned[first]?.text ?? null) : null,
  };
}
