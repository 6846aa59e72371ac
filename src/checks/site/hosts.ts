import type { RhcosImageNames } from '../../artifacts/boot/images.ts';
import { FILE_GENERATORS } from '../../artifacts/file-kinds.ts';
import { needsSelinux } from '../../artifacts/hosts/selinux.ts';
import { removeDuplicates } from '../../artifacts/network/addresses.ts';
import { listFirewallOpenings } from '../../artifacts/network/firewall.ts';
import { STAGES } from '../../design/choices.ts';
import { NO_CREDENTIALS } from '../../design/credentials.ts';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import {
  type BlockedPackets,
  findFirewalldZone,
  listBlockedPackets,
  listUnblockCommands,
  parsePacketFilters,
} from '../packet-filter/blocked-packets.ts';
import type { Chain } from '../packet-filter/evaluate.ts';
import { evaluateClock } from './clocks.ts';
import {
  createSiteCheckFactory,
  formatHostCommand,
  isLocalHost,
  querySite,
  type SiteCheckContext,
  type SiteResult,
  type Verdict,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = createSiteCheckFactory('hosts');

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
  /** The SSH keys of this user are accepted by each host, before a step needs them. */
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
    listServiceHosts(site.design).map((host) =>
      inspectHost(site, host, 'sudo -n true', ({ isRoot, hasSudo }) => {
        if (isRoot) return { state: 'ok', detail: words().rootAccess };
        const { wrong, remedy } = words().noSudo;
        return hasSudo ? { state: 'failed', detail: words().noRootAccess } : { state: 'failed', detail: wrong, remedy };
      }),
    ),
  ),
  /** The clock of each host matches the other clocks. */
  check('host-clock', 'warning', (site) =>
    listRemoteHosts(site).map((host) =>
      inspectHost(site, host, 'date -u; chronyc tracking', ({ offsetMs }) =>
        offsetMs === null ? { state: 'unknown', detail: words().noTime } : evaluateClock(site, 'host', host.name),
      ),
    ),
  ),
  /**
   * The ports of each host's services are open for the nodes. The rules of the packet filter itself are evaluated.
   * If they do not decide, the generated firewall.sh does, in a dry run that changes nothing.
   */
  check('host-firewall', 'warning', (site) =>
    listServiceHosts(site.design)
      .filter((host) => listFirewallOpenings(site.design, host).length > 0)
      .map((host) =>
        inspectHost(site, host, 'sudo /root/upi-wizard/firewall.sh --dry-run; sudo nft list ruleset', (inspected) =>
          evaluateFirewall(site.design, host, inspected),
        ),
      ),
  ),
  /** SELinux allows the actions of the services, by a dry run of selinux.sh. Debian has no SELinux. */
  check('host-selinux', 'warning', (site) =>
    listServiceHosts(site.design)
      .filter((host) => needsSelinux(site.design, host))
      .map((host) =>
        inspectHost(site, host, 'sudo /root/upi-wizard/selinux.sh --dry-run', ({ selinux }) => evaluateDryRun(selinux)),
      ),
  ),
  /**
   * The configuration of each service equals the generated one. A single line changed on the host can cost days, and no
   * network query shows it.
   */
  check('host-files', 'warning', (site) => {
    const configs = generateServiceConfigs(site.design, site.images);
    return listServiceHosts(site.design).flatMap((host) => {
      const [{ name, ip }, isSelf, hostConfigs] = [host, isLocalHost(site, host), configs.get(host.name) ?? []];
      const query = { name, address: ip[0], isSelf, paths: hostConfigs.map(({ path }) => path) };
      return hostConfigs.map((config, index) => {
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
  return listServiceHosts(site.design).filter((host) => !isLocalHost(site, host));
}

function evaluateDryRun(dryRun: InspectedHost['selinux']): Verdict {
  if (dryRun === null) return { state: 'unknown', detail: words().noRootAccess };
  if (dryRun === 'broken') return { state: 'unknown', detail: words().scriptFailed };
  if (dryRun === 'absent') return { state: 'unknown', detail: words().notInPlace };
  return dryRun.length === 0
    ? { state: 'ok', detail: words().nothingMissing }
    : { state: 'failed', detail: dryRun.join('; ') };
}

function evaluateFirewall(design: Design, host: ServiceHost, { networkState, firewall }: InspectedHost): Verdict {
  if (networkState === undefined) return evaluateDryRun(firewall);
  const filterWords = words().packetFilter;
  if (networkState.filter === null) return { state: 'ok', detail: filterWords.none };
  const chains = parsePacketFilters(networkState.filter);
  if (chains === null) return evaluateDryRun(firewall);
  const packetResults = listBlockedPackets(design, host, networkState, chains);
  const blockedPackets = packetResults.filter(({ kind }) => kind === 'blocked');
  if (blockedPackets.length > 0) {
    const zones = Array.isArray(firewall) ? firewall.map((line) => /^Would open: (\S+) /.exec(line)?.[1] ?? '') : [];
    const commands = removeDuplicates(blockedPackets.flatMap((packets) => listUnblockCommands(packets, zones)));
    return {
      state: 'failed',
      severity: 'fatal',
      detail: blockedPackets.map(describePackets).join('; '),
      remedy: filterWords.remedy(
        host.name,
        commands,
        blockedPackets.some(({ chain }) => !isManagedChain(chain)),
      ),
    };
  }
  const [undecidable] = packetResults;
  if (undecidable !== undefined) {
    const verdict = evaluateDryRun(firewall);
    return verdict.state === 'failed' ? verdict : { state: 'unknown', detail: describePackets(undecidable) };
  }
  return { state: 'ok', detail: filterWords.accepted };
}

/** Whether firewalld or ufw writes the rules of a chain, and keeps what is added with its own command. */
function isManagedChain(chain: Chain): boolean {
  return findFirewalldZone(chain) !== null || chain.name.startsWith('ufw');
}

function describePackets({ kind, chain, rule, isReply, protocol, ports, sources, destinations }: BlockedPackets) {
  const filterWords = words().packetFilter;
  const rules = chain.tool === 'nft' ? 'nftables' : chain.tool;
  return filterWords.blocked({
    packets: filterWords.packets(sources, destinations, protocol, ports),
    chain: `${rules} ${chain.table} ${chain.name}`,
    rule: rule === null ? null : sanitizeLine(rule.text, 200),
    isReply,
    isCertain: kind === 'blocked',
  });
}

/** Evaluates the state of a host; unknown if the host cannot be inspected. `command` runs on the host itself. */
function inspectHost(
  site: SiteCheckContext,
  host: ServiceHost,
  command: string,
  evaluate: (host: InspectedHost) => Verdict | Promise<Verdict>,
): Promise<SiteResult> {
  const shellCommandLine = formatHostCommand(site, host, command, `'${command}'`);
  return queryHost(site, host, shellCommandLine, (answer) =>
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

/** A configuration file of a service: one text per stage if the stages differ. */
interface ServiceConfig {
  readonly kind: (typeof CONFIG_KINDS)[number];
  readonly path: string;
  readonly plannedTexts: readonly string[];
}

/** Generates the configuration files of each host's services, by the host's name. */
export function generateServiceConfigs(
  design: Design,
  images: RhcosImageNames,
): ReadonlyMap<string, readonly ServiceConfig[]> {
  const generatedFiles = STAGES.flatMap((stage) =>
    FILE_GENERATORS.flatMap((generator) => {
      const kind = CONFIG_KINDS.find((configKind) => configKind === generator.kind);
      if (kind === undefined) return [];
      const input = { design, stage, credentials: NO_CREDENTIALS, images, previous: null };
      return generator.files(input).flatMap(({ host, ...file }) => (host === null ? [] : { ...file, kind, host }));
    }),
  );
  const byHost = Map.groupBy(generatedFiles, ({ host }) => host.name);
  return new Map(
    [...byHost].map(([name, hostFiles]) => {
      const files = [...Map.groupBy(hostFiles, ({ path }) => path)];
      const configs = files.flatMap(([path, texts]) => {
        const [firstText] = texts;
        return firstText === undefined
          ? []
          : { kind: firstText.kind, path, plannedTexts: removeDuplicates(texts.map(({ content }) => content)) };
      });
      return [name, configs];
    }),
  );
}

/** The pattern of a comment, by the kind of the file. */
const COMMENT_PATTERNS: Readonly<Record<ServiceConfig['kind'], RegExp>> = {
  'bind-conf': /(?:\/\/|#|\/\*).*$/,
  'bind-zone': /;.*$/,
  haproxy: /(?:^|\s)#.*$/,
  keepalived: /(?:^|\s)[#!].*$/,
  'isc-dhcpd': /(?:^|\s)#.*$/,
  'kea-dhcp4': /^\s*(?:\/\/|#).*$/,
};

/** The serial of a zone changes with every edit and is no difference in content. */
const SERIAL = /;\s*serial\b/i;

function compareConfig({ kind, plannedTexts }: ServiceConfig, index: number, answer: ProbeAnswer<'files'>): Verdict {
  if (answer.state === 'unknown') return { state: 'unknown', detail: answer.detail };
  const text = answer.texts[index] ?? null;
  if (text === null) return { state: 'unknown', detail: words().noFile };
  const differences = plannedTexts.map((plannedText) => diffConfig(kind, text, plannedText));
  const [closestDifference] = differences.toSorted((a, b) => a.count - b.count);
  if (closestDifference === undefined || closestDifference.count === 0)
    return { state: 'ok', detail: words().asGenerated };
  const { count, line, actualLine, plannedLine, differentLines } = closestDifference;
  return {
    state: 'failed',
    detail: words().changedLines(count, line, actualLine, plannedLine),
    mentions: differentLines,
  };
}

/** Whether a service reads files of this kind, so that their lines can be compared. */
export function isConfigKind(kind: string): kind is ServiceConfig['kind'] {
  return CONFIG_KINDS.some((configKind) => configKind === kind);
}

/**
 * Describes how a configuration file differs from the generated one, by its first different line; null if it has the
 * same effect. Comments and sections of the user are ignored.
 */
export function describeDifference(kind: ServiceConfig['kind'], text: string, generatedText: string): string | null {
  const { count, line, actualLine, plannedLine } = diffConfig(kind, text, generatedText);
  return count === 0 ? null : words().changedLines(count, line, actualLine, plannedLine);
}

function diffConfig(kind: ServiceConfig['kind'], text: string, generatedText: string) {
  const [actualLines, plannedLines] = [parseLines(kind, text), parseLines(kind, generatedText)];
  return diffLines(kind === 'haproxy' ? dropUserSections(actualLines, plannedLines) : actualLines, plannedLines);
}

interface ConfigLine {
  readonly line: number;
  readonly text: string;
}

/** Parses the effective lines of a file: without comments, and with blanks normalized. */
function parseLines(kind: ServiceConfig['kind'], text: string): ConfigLine[] {
  return text.split('\n').flatMap((rawLine, index) => {
    if (kind === 'bind-zone' && SERIAL.test(rawLine)) return [];
    const content = rawLine.replace(COMMENT_PATTERNS[kind], '').trim().replaceAll(/\s+/g, ' ');
    return content === '' ? [] : { line: index + 1, text: content };
  });
}

/** The beginning of a section of haproxy.cfg (configuration manual, chapter 2). */
const SECTION_START = /^(?:global|defaults|frontend|backend|listen|userlist|peers|resolvers|cache|program|ring)\b/;

/** Drops whole sections of the user that bind none of the ports of the generated sections. */
function dropUserSections(actualLines: readonly ConfigLine[], plannedLines: readonly ConfigLine[]): ConfigLine[] {
  const headings = new Set(plannedLines.filter(({ text }) => SECTION_START.test(text)).map(({ text }) => text));
  const listPorts = (lines: readonly ConfigLine[]) =>
    lines.flatMap(({ text }) => (text.startsWith('bind ') ? (/:(\d+)(?= |$)/.exec(text)?.[1] ?? []) : []));
  const ports = new Set(listPorts(plannedLines));
  const startIndexes = actualLines.flatMap(({ text }, index) => (SECTION_START.test(text) ? [index] : []));
  const sections = [0, ...startIndexes.filter((index) => index > 0)].map((start, index, indexes) =>
    actualLines.slice(start, indexes[index + 1]),
  );
  return sections.flatMap((section) => {
    const [heading] = section;
    // A `defaults` section of another name changes the sections after it, so it is kept.
    const isUserSection =
      heading !== undefined &&
      /^(?:frontend|backend|listen|userlist)\b/.test(heading.text) &&
      !headings.has(heading.text);
    return isUserSection && !listPorts(section).some((port) => ports.has(port)) ? [] : section;
  });
}

/**
 * Counts the different lines and returns the first one: `actualLine` or `plannedLine` is null if only the other exists.
 */
function diffLines(actualLines: readonly ConfigLine[], plannedLines: readonly ConfigLine[]) {
  const limit = Math.min(actualLines.length, plannedLines.length);
  let firstDifference = 0;
  while (firstDifference < limit && actualLines[firstDifference]?.text === plannedLines[firstDifference]?.text)
    firstDifference += 1;
  let commonTailLength = 0;
  while (
    commonTailLength < limit - firstDifference &&
    actualLines.at(-1 - commonTailLength)?.text === plannedLines.at(-1 - commonTailLength)?.text
  )
    commonTailLength += 1;
  const [actualCount, plannedCount] = [
    actualLines.length - firstDifference - commonTailLength,
    plannedLines.length - firstDifference - commonTailLength,
  ];
  // With equal numbers of lines, changed lines are counted one by one.
  const changedLines = actualLines.filter(({ text }, index) => text !== plannedLines[index]?.text);
  const [plannedTexts, actualTexts] = [plannedLines, actualLines].map(
    (lines) => new Set(lines.map(({ text }) => text)),
  );
  return {
    count: actualCount === plannedCount ? changedLines.length : Math.max(actualCount, plannedCount),
    /** Every line that only one of the two has. */
    differentLines: [
      ...actualLines.filter(({ text }) => plannedTexts?.has(text) !== true),
      ...plannedLines.filter(({ text }) => actualTexts?.has(text) !== true),
    ].map(({ text }) => text),
    line: actualLines[firstDifference]?.line ?? actualLines.at(-1)?.line ?? 1,
    actualLine: actualCount > 0 ? (actualLines[firstDifference]?.text ?? null) : null,
    plannedLine: plannedCount > 0 ? (plannedLines[firstDifference]?.text ?? null) : null,
  };
}
