import { catalogue } from '../../text/catalogue.ts';
import type { Answer } from './exchange.ts';
import { ask, type SiteCheck, type Verdict } from './question.ts';
import type { Site } from './site.ts';

const words = () => catalogue().diagnosis.site.said;

type Config = Site['hosts'][number]['configs'][number];

/** What begins a comment, by the kind of the file. */
const COMMENTS: Readonly<Record<Config['kind'], RegExp>> = {
  'bind-conf': /(?:\/\/|#|\/\*).*$/,
  'bind-zone': /;.*$/,
  haproxy: /(?:^|\s)#.*$/,
  keepalived: /(?:^|\s)[#!].*$/,
  'isc-dhcpd': /(?:^|\s)#.*$/,
  'kea-dhcp4': /^\s*(?:\/\/|#).*$/,
};
/** The serial of a zone rises with every change, and says nothing of it. */
const SERIAL = /;\s*serial\b/i;

/** What a service reads is what was generated for it: one line that somebody changed costs days, and no question over the network shows it. */
export const hostFiles: SiteCheck<'host-files'> = {
  code: 'host-files',
  phase: 'hosts',
  severity: 'warning',
  asks: ({ hosts }) =>
    hosts.flatMap(({ name, address, isSelf, configs }) =>
      configs.map((config, index) => {
        const { path } = config;
        const paths = configs.map((each) => each.path);
        const command = isSelf ? `sudo cat ${path}` : `ssh -t ${address} sudo cat ${path}`;
        return ask('files', { name, address, isSelf, paths }, { subject: `${name} ${path}`, command }, (answer) =>
          compared(config, index, answer),
        );
      }),
    ),
};

function compared({ kind, planned }: Config, index: number, answer: Answer<'files'>): Verdict {
  if (answer.state === 'unseen') return { state: 'unknown', detail: answer.detail };
  const text = answer.texts[index] ?? null;
  if (text === null) return { state: 'unknown', detail: words().noFile };
  const there = statements(kind, text);
  const differences = planned.map((each) => differencesOf(there, statements(kind, each)));
  const [least] = differences.toSorted((one, other) => one.count - other.count);
  if (least === undefined || least.count === 0) return { state: 'ok', detail: words().asGenerated };
  return { state: 'failed', detail: words().changedLines(least.count, least.line, least.got, least.want) };
}

interface Statement {
  readonly line: number;
  readonly text: string;
}

/** The lines that a program reads, without comments and the breadth of blanks. */
function statements(kind: Config['kind'], text: string): Statement[] {
  return text.split('\n').flatMap((raw, index) => {
    if (kind === 'bind-zone' && SERIAL.test(raw)) return [];
    const plain = raw.replace(COMMENTS[kind], '').trim().replaceAll(/\s+/g, ' ');
    return plain === '' ? [] : { line: index + 1, text: plain };
  });
}

/** How many lines are otherwise, and the first of them: `got` or `want` is null where it is only in the other. */
function differencesOf(there: readonly Statement[], planned: readonly Statement[]) {
  const most = Math.min(there.length, planned.length);
  let first = 0;
  while (first < most && there[first]?.text === planned[first]?.text) first += 1;
  let same = 0;
  while (same < most - first && there.at(-1 - same)?.text === planned.at(-1 - same)?.text) same += 1;
  const [mine, theirs] = [there.length - first - same, planned.length - first - same];
  // Lines that were changed in their places are counted one by one.
  const changed = there.filter(({ text }, index) => text !== planned[index]?.text);
  return {
    count: mine === theirs ? changed.length : Math.max(mine, theirs),
    line: there[first]?.line ?? there.at(-1)?.line ?? 1,
    got: mine > 0 ? (there[first]?.text ?? null) : null,
    want: theirs > 0 ? (planned[first]?.text ?? null) : null,
  };
}
