import { catalogue } from '../../i18n/catalogue.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import type { ExpectedSite } from './expected-site.ts';
import { type Query, type QueryVerdict, query, type SiteCheck } from './query.ts';

const words = () => catalogue().diagnosis.site.said;

/** Maximum clock offset between hosts, in ms: beyond it, certificates and logs do not match. */
const MAX_OFFSET_MS = 1000;

type InspectedHost = Extract<ProbeAnswer<'host'>, { readonly state: 'seen' }>;

/** The service hosts are reachable over SSH, which copies their files and reads their logs. */
export const sshHosts: SiteCheck<'ssh-hosts'> = {
  code: 'ssh-hosts',
  phase: 'hosts',
  severity: 'note',
  listQueries: ({ hosts }) =>
    hosts
      .filter(({ isSelf }) => !isSelf)
      .map(({ name, address }) =>
        query(
          'tcp',
          { host: address, port: 22 },
          { subject: name, command: `ssh ${address} true` },
          ({ state, detail }) => ({ state: state === 'open' ? 'ok' : 'failed', detail }),
        ),
      ),
};

/** The SSH keys of this user are accepted by each host, before a step needs it. */
export const hostLogin: SiteCheck<'host-login'> = {
  code: 'host-login',
  phase: 'hosts',
  severity: 'warning',
  listQueries: ({ hosts }) =>
    hosts
      .filter(({ isSelf }) => !isSelf)
      .map((host) =>
        queryHost(host, `ssh -o BatchMode=yes ${host.address} true`, (answer) => {
          if (answer.state === 'seen') return { state: 'ok', detail: words().loggedIn };
          const { state, detail } = answer;
          return state === 'refused'
            ? { state: 'failed', detail, remedy: answer.remedy }
            : { state: 'unknown', detail };
        }),
      ),
};

/** install.sh runs as root: sudo has to work without a password, or you have to be there to type it. */
export const hostRights: SiteCheck<'host-rights'> = {
  code: 'host-rights',
  phase: 'hosts',
  severity: 'warning',
  listQueries: ({ hosts }) =>
    hosts.map((host) =>
      queryHost(
        host,
        formatHostCommand(host, 'sudo -n true'),
        ifInspected(({ isRoot, hasSudo }) => {
          if (isRoot) return { state: 'ok', detail: words().rootAccess };
          const { wrong, remedy } = words().noSudo;
          return hasSudo
            ? { state: 'failed', detail: words().noRootAccess }
            : { state: 'failed', detail: wrong, remedy };
        }),
      ),
    ),
};

/** The clock of each host matches this machine's. */
export const hostClock: SiteCheck<'host-clock'> = {
  code: 'host-clock',
  phase: 'hosts',
  severity: 'warning',
  listQueries: ({ hosts }) =>
    hosts
      .filter(({ isSelf }) => !isSelf)
      .map((host) =>
        queryHost(
          host,
          formatHostCommand(host, 'date -u; chronyc tracking'),
          ifInspected(({ offsetMs }) =>
            offsetMs === null
              ? { state: 'unknown', detail: words().noTime }
              : { state: Math.abs(offsetMs) <= MAX_OFFSET_MS ? 'ok' : 'failed', detail: words().offset(offsetMs) },
          ),
        ),
      ),
};

/**
 * The ports of each host's services are open. The generated firewall.sh checks this on the host in a dry run, which
 * changes nothing.
 */
export const hostFirewall = scriptCheck('host-firewall', 'firewall');
/** The same for SELinux, with selinux.sh; Debian has none. */
export const hostSelinux = scriptCheck('host-selinux', 'selinux');

function scriptCheck<Code extends string>(code: Code, part: 'firewall' | 'selinux'): SiteCheck<Code> {
  return {
    code,
    phase: 'hosts',
    severity: 'warning',
    listQueries: ({ hosts }) =>
      hosts
        .filter(({ scripts }) => scripts.includes(part))
        .map((host) =>
          queryHost(
            host,
            formatHostCommand(host, `sudo /root/upi-wizard/${part}.sh --dry-run`),
            ifInspected((host) => {
              const missing = host[part];
              if (missing === null) return { state: 'unknown', detail: words().noRootAccess };
              if (missing === 'broken') return { state: 'unknown', detail: words().scriptFailed };
              if (missing === 'absent') return { state: 'unknown', detail: words().notInPlace };
              return missing.length === 0
                ? { state: 'ok', detail: words().nothingMissing }
                : { state: 'failed', detail: missing.join('; ') };
            }),
          ),
        ),
  };
}

function ifInspected(evaluate: (host: InspectedHost) => QueryVerdict): (answer: ProbeAnswer<'host'>) => QueryVerdict {
  return (answer) => (answer.state === 'seen' ? evaluate(answer) : { state: 'unknown', detail: answer.detail });
}

function formatHostCommand({ address, isSelf }: ExpectedSite['hosts'][number], command: string): string {
  return isSelf ? command : `ssh -t ${address} '${command}'`;
}

function queryHost(
  { name, address, isSelf }: ExpectedSite['hosts'][number],
  command: string,
  evaluate: (answer: ProbeAnswer<'host'>) => QueryVerdict,
): Query {
  return query('host', { name, address, isSelf }, { subject: name, command }, evaluate);
}

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
