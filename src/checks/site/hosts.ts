import type { RhcosImages } from '../../artifacts/boot/images.ts';
import { needsSelinux } from '../../artifacts/hosts/selinux.ts';
import { GENERATORS } from '../../artifacts/kinds.ts';
import { unique } from '../../artifacts/network/addresses.ts';
import { listFirewallOpenings } from '../../artifacts/network/firewall.ts';
import { STAGES } from '../../design/choices.ts';
import { serviceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import type { Chain } from '../packet-filter/evaluate.ts';
import {
  type BlockedPackets,
  findZone,
  listBlockedPackets,
  listOpeningCommands,
  parseFilter,
} from '../packet-filter/openings.ts';
import { evaluateClock } from './clocks.ts';
import { isLocalHost, querySite, type SiteCheckContext, type SiteResult, siteChecksIn, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = siteChecksIn('hosts');

type InspectedHost = Extract<ProbeAnswer<'host'>, { readonly state: 'known' }>;

/** Checks of the service hosts themselves. */
export const HOST_CHECKS = [
  /** The service hosts are reachable over SSH, which copies their files and reads their logs. */
  check('ssh-hosts', 'note', (site) =>
    listRemoteHosts(site).map(({ name, ip: [address] }) =>
      querySite(
        site,
        'tcp',
        { host: address, port: 22 },
        { subject: name, command: `ssh ${address} true` },
        ({ state, detail }) => ({ state: state === 'open' ? 'ok' : 'failed', detail }),
      ),
    ),
  ),
  /** The SSH keys of this user are accepted by each host, before a step needs it. */
  check('host-login', 'warning', (site) =>
    listRemoteHosts(site).map((host) =>
      queryHost(site, host, `ssh -o BatchMode=yes ${host.ip[0]} true`, (answer) => {
        if (answer.state === 'known') return { state: 'ok', detail: words().loggedIn };
        const { state, detail } = answer;
        return state === 'refused' ? { state: 'failed', detail, remedy: answer.remedy } : { state: 'unknown', detail };
      }),
    ),
  ),
  /** install.sh runs as root: sudo has to work without a password, or you have to be there to type it. */
  check('host-rights', 'warning', (site) =>
    serviceHosts(site.design).map((host) =>
      inspectHost(site, host, 'sudo -n true', ({ isRoot, hasSudo }) => {
        if (isRoot) return { state: 'ok', detail: words().rootAccess };
        const { wrong, remedy } = words().noSudo;
        return hasSudo ? { state: 'failed', detail: words().noRootAccess } : { state: 'failed', detail: wrong, remedy };
      }),
    ),
  ),
  /** The clock of each host matches the others. */
  check('host-clock', 'warning', (site) =>
    listRemoteHosts(site).map((host) =>
      inspectHost(site, host, 'date -u; chronyc tracking', ({ offsetMs }) =>
        offsetMs === null ? { state: 'unknown', detail: words().noTime } : evaluateClock(site, 'host', host.name),
      ),
    ),
  ),
  /**
   * The ports of each host's services are open for the nodes. The rules of the packet filter itself are evaluated.
   * Where they do not decide, the generated firewall.sh does in a dry run, which changes nothing.
   */
  check('host-firewall', 'warning', (site) =>
    serviceHosts(site.design)
      .filter((host) => listFirewallOpenings(site.design, host).length > 0)
      .map((host) =>
        inspectHost(site, host, 'sudo /root/upi-wizard/firewall.sh --dry-run; sudo nft list ruleset', (inspected) =>
          evaluateFirewall(site.design, host, inspected),
        ),
      ),
  ),
  /** SELinux allows what the services do, by a dry run of selinux.sh; Debian has none. */
  check('host-selinux', 'warning', (site) =>
    serviceHosts(site.design)
      .filter((host) => needsSelinux(site.design, host))
      .map((host) =>
        inspectHost(site, host, 'sudo /root/upi-wizard/selinux.sh --dry-run', ({ selinux }) => evaluateScript(selinux)),
      ),
  ),
  /**
   * The configuration of each service equals the generated one. A single line changed on the host can cost days, and no
   * network query shows it.
   */
  check('host-files', 'warning', (site) => {
    const configs = generateConfigs(site.design, site.images);
    return serviceHosts(site.design).flatMap((host) => {
      const [{ name, ip }, isSelf, own] = [host, isLocalHost(site, host), configs.get(host.name) ?? []];
      const query = { name, address: ip[0], isSelf, paths: own.map(({ path }) => path) };
      return own.map((config, index) => {
        const { path } = config;
        const command = isSelf ? `sudo cat ${path}` : `ssh -t ${ip[0]} sudo cat ${path}`;
        return querySite(site, 'files', query, { subject: `${name} ${path}`, command }, (answer) =>
          compareConfig(config, index, answer),
        );
      });
    });
  }),
];

function listRemoteHosts(site: SiteCheckContext): ServiceHost[] {
  return serviceHosts(site.design).filter((host) => !isLocalHost(site, host));
}

function evaluateScript(missing: InspectedHost['selinux']): Verdict {
  if (missing === null) return { state: 'unknown', detail: words().noRootAccess };
  if (missing === 'broken') return { state: 'unknown', detail: words().scriptFailed };
  if (missing === 'absent') return { state: 'unknown', detail: words().notInPlace };
  return missing.length === 0
    ? { state: 'ok', detail: words().nothingMissing }
    : { state: 'failed', detail: missing.join('; ') };
}

function evaluateFirewall(design: Design, host: ServiceHost, { inside, firewall }: InspectedHost): Verdict {
  if (inside === undefined) return evaluateScript(firewall);
  const filterWords = words().packetFilter;
  if (inside.filter === null) return { state: 'ok', detail: filterWords.none };
  const chains = parseFilter(inside.filter);
  if (chains === null) return evaluateScript(firewall);
  const found = listBlockedPackets(design, host, inside, chains);
  const blocked = found.filter(({ kind }) => kind === 'blocked');
  if (blocked.length > 0) {
    const zones = Array.isArray(firewall) ? firewall.map((line) => /^Would open: (\S+) /.exec(line)?.[1] ?? '') : [];
    const commands = unique(blocked.flatMap((packets) => listOpeningCommands(packets, zones)));
    return {
      state: 'failed',
      severity: 'fatal',
      detail: blocked.map(describePackets).join('; '),
      remedy: filterWords.remedy(
        host.name,
        commands,
        blocked.some(({ chain }) => !isManaged(chain)),
      ),
    };
  }
  const [undecidable] = found;
  if (undecidable !== undefined) {
    const verdict = evaluateScript(firewall);
    return verdict.state === 'failed' ? verdict : { state: 'unknown', detail: describePackets(undecidable) };
  }
  return { state: 'ok', detail: filterWords.accepted };
}

/** Whether firewalld or ufw writes the rules of a chain, and keeps what is added with its own command. */
function isManaged(chain: Chain): boolean {
  return findZone(chain) !== null || chain.name.startsWith('ufw');
}

function describePackets({ kind, chain, rule, isAnswer, protocol, ports, sources, destinations }: BlockedPackets) {
  const filterWords = words().packetFilter;
  const rules = chain.tool === 'nft' ? 'nftables' : chain.tool;
  return filterWords.blocked({
    packets: filterWords.packets(sources, destinations, protocol, ports),
    chain: `${rules} ${chain.table} ${chain.name}`,
    rule: rule === null ? null : sanitizeLine(rule.text, 200),
    isAnswer,
    isCertain: kind === 'blocked',
  });
}

/** @param command what to run on the host itself */
function inspectHost(
  site: SiteCheckContext,
  host: ServiceHost,
  command: string,
  evaluate: (host: InspectedHost) => Verdict | Promise<Verdict>,
): Promise<SiteResult> {
  const complete = isLocalHost(site, host) ? command : `ssh -t ${host.ip[0]} '${command}'`;
  return queryHost(site, host, complete, (answer) =>
    answer.state === 'known' ? evaluate(answer) : { state: 'unknown', detail: answer.detail },
  );
}

function queryHost(
  site: SiteCheckContext,
  host: ServiceHost,
  command: string,
  evaluate: (answer: ProbeAnswer<'host'>) => Verdict | Promise<Verdict>,
): Promise<SiteResult> {
  const query = { name: host.name, address: host.ip[0], isSelf: isLocalHost(site, host) };
  return querySite(site, 'host', query, { subject: host.name, command }, evaluate);
}

/** Kinds of generated files that a service reads. They contain no credentials. */
const CONFIG_KINDS = ['bind-conf', 'bind-zone', 'haproxy', 'keepalived', 'isc-dhcpd', 'kea-dhcp4'] as const;
const CREDENTIALS = { pullSecret: null, sshKey: null, trustBundle: null };

/** A configuration file of a service: one text per stage if the stages differ. */
interface ServiceConfig {
  readonly kind: (typeof CONFIG_KINDS)[number];
  readonly path: string;
  readonly planned: readonly string[];
}

/** Generates the configuration files of each host's services, by the host's name. */
export function generateConfigs(design: Design, images: RhcosImages): ReadonlyMap<string, readonly ServiceConfig[]> {
  const drafts = STAGES.flatMap((stage) =>
    GENERATORS.flatMap((generator) => {
      const kind = CONFIG_KINDS.find((each) => each === generator.kind);
      if (kind === undefined) return [];
      const input = { design, stage, credentials: CREDENTIALS, images, previous: null };
      return generator.files(input).flatMap(({ host, ...file }) => (host === null ? [] : { ...file, kind, host }));
    }),
  );
  const byHost = Map.groupBy(drafts, ({ host }) => host.name);
  return new Map(
    [...byHost].map(([name, own]) => {
      const files = [...Map.groupBy(own, ({ path }) => path)];
      const configs = files.flatMap(([path, texts]) => {
        const [first] = texts;
        return first === undefined
          ? []
          : { kind: first.kind, path, planned: unique(texts.map(({ content }) => content)) };
      });
      return [name, configs];
    }),
  );
}

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

function compareConfig({ kind, planned }: ServiceConfig, index: number, answer: ProbeAnswer<'files'>): Verdict {
  if (answer.state === 'unknown') return { state: 'unknown', detail: answer.detail };
  const text = answer.texts[index] ?? null;
  if (text === null) return { state: 'unknown', detail: words().noFile };
  const [lines, [firstPlan = '']] = [parseLines(kind, text), planned];
  const actual = kind === 'haproxy' ? dropOwnSections(lines, parseLines(kind, firstPlan)) : lines;
  const differences = planned.map((each) => diffLines(actual, parseLines(kind, each)));
  const [closest] = differences.toSorted((one, other) => one.count - other.count);
  if (closest === undefined || closest.count === 0) return { state: 'ok', detail: words().asGenerated };
  const { count, line, got, want, changed } = closest;
  return { state: 'failed', detail: words().changedLines(count, line, got, want), mentions: changed };
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

/** The beginning of a section of haproxy.cfg (configuration manual, chapter 2). */
const SECTION = /^(?:global|defaults|frontend|backend|listen|userlist|peers|resolvers|cache|program|ring)\b/;

/** Leaves out whole sections of the user, which have none of the ports of the generated ones. */
function dropOwnSections(actual: readonly ConfigLine[], planned: readonly ConfigLine[]): ConfigLine[] {
  const headings = new Set(planned.filter(({ text }) => SECTION.test(text)).map(({ text }) => text));
  const listPorts = (lines: readonly ConfigLine[]) =>
    lines.flatMap(({ text }) => (text.startsWith('bind ') ? (/:(\d+)(?= |$)/.exec(text)?.[1] ?? []) : []));
  const ports = new Set(listPorts(planned));
  const starts = actual.flatMap(({ text }, index) => (SECTION.test(text) ? [index] : []));
  const sections = [0, ...starts.filter((index) => index > 0)].map((start, index, all) =>
    actual.slice(start, all[index + 1]),
  );
  return sections.flatMap((section) => {
    const [heading] = section;
    // Defaults of another name change the sections after them.
    const isOwn =
      heading !== undefined &&
      /^(?:frontend|backend|listen|userlist)\b/.test(heading.text) &&
      !headings.has(heading.text);
    return isOwn && !listPorts(section).some((port) => ports.has(port)) ? [] : section;
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
  const [planText, actualText] = [planned, actual].map((lines) => new Set(lines.map(({ text }) => text)));
  return {
    count: actualCount === plannedCount ? changed.length : Math.max(actualCount, plannedCount),
    /** Every line that only one of the two has. */
    changed: [
      ...actual.filter(({ text }) => planText?.has(text) !== true),
      ...planned.filter(({ text }) => actualText?.has(text) !== true),
    ].map(({ text }) => text),
    line: actual[first]?.line ?? actual.at(-1)?.line ?? 1,
    got: actualCount > 0 ? (actual[first]?.text ?? null) : null,
    want: plannedCount > 0 ? (planned[first]?.text ?? null) : null,
  };
}
