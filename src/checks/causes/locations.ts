import { isIP } from 'node:net';
import { getStatsPort } from '../../artifacts/network/firewall.ts';
import { WORK_DIR } from '../../artifacts/shared/generator.ts';
import { findDhcpHost, listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import type { Finding } from '../check.ts';

/** A service of the site to which checks and generated files belong. */
type SiteService = 'dns' | 'dhcp' | 'load-balancer' | 'tftp' | 'web';

/**
 * The location of a finding on the site, derived from its id and subject. A new check whose id begins like those of its
 * service needs no entry here.
 */
export interface FindingLocation {
  /** Names of the service hosts that the subject names, else of those that run the service. */
  readonly hosts: readonly string[];
  readonly service: SiteService | null;
  /** The port that the queries of its check go to, as `tcp 6443`; null: none, or several. */
  readonly port: string | null;
  /** Words of the subject: names, addresses, MAC addresses, paths. */
  readonly words: readonly string[];
  /** Words of subject and evidence in the forms that a changed line of a configuration file contains. */
  readonly names: ReadonlySet<string>;
}

/** Services by the beginning of the id of a check. */
const SERVICES_BY_ID: readonly (readonly [RegExp, SiteService])[] = [
  [/^dns-(?!resolver)/, 'dns'],
  [/^dhcp-/, 'dhcp'],
  [/^(?:lb|vip)-/, 'load-balancer'],
  [/^tftp(?:$|-)/, 'tftp'],
  [/^(?:boot-server$|boot-clients$|ipxe-|http-|ignition-(?:served|same)$)/, 'web'],
];

/** Services by the path of a file, or by the program that a subject or a command names. */
const SERVICES_BY_WORD: readonly (readonly [RegExp, SiteService])[] = [
  [/\b(?:named|bind|rndc)\b/, 'dns'],
  [/dhcp/, 'dhcp'],
  [/haproxy|keepalived/, 'load-balancer'],
  [/tftp/, 'tftp'],
  [/nginx|httpd|\/boot\//, 'web'],
];

/** Finds the location of a finding on the site of a design. */
export function locateFinding(design: Design, { code, subject, cause }: Finding): FindingLocation {
  const words = (subject ?? '').split(/[\s@,]+/).filter((word) => word !== '');
  const hosts = listServiceHosts(design);
  const namedHosts = hosts.filter((host) => words.some((word) => isHostWord(design, host, word)));
  const serviceById = SERVICES_BY_ID.find(([pattern]) => pattern.test(code))?.[1] ?? null;
  const serviceByWord =
    SERVICES_BY_WORD.find(([pattern]) => words.slice(1).some((word) => pattern.test(word)))?.[1] ?? null;
  const service = serviceById ?? (code.startsWith('host-') ? serviceByWord : null);
  const servers = listServers(design, service);
  // The subject of a DNS query may be the name or address of any host: only the queried server counts.
  const queriedServers =
    service === 'dns' && serviceById !== null
      ? servers.filter(({ ip }) => isQueriedServer(ip, code, subject))
      : namedHosts;
  const findingHosts = queriedServers.length > 0 ? queriedServers : servers;
  return {
    hosts: findingHosts.map(({ name }) => name),
    service,
    port: getPort(design, code, service, words),
    words,
    names: new Set(listNameForms([...words, ...cause.split(/[\s,;]+/)])),
  };
}

/** Whether a server is the subject of a DNS check, or its address follows the `@` of a query. */
function isQueriedServer(addresses: readonly string[], code: string, subject: string | null): boolean {
  return addresses.some(
    (address) => subject?.endsWith(`@${address}`) || (subject === address && !code.startsWith('dns-reverse')),
  );
}

function isHostWord(design: Design, { name, ip }: ServiceHost, word: string): boolean {
  const host = stripPort(word);
  return host === name || host === `${name}.${design.cluster.baseDomain}` || ip.includes(host);
}

/** Returns the host of a word with or without a port: `[fd00::1]:443`, `172.16.0.111:443`. */
export const stripPort = (word: string) => word.replace(/^\[(.+)\](?::\d+)?$/, '$1').replace(/^([^:]+):\d+$/, '$1');

/** Lists the hosts that run a service; none for an external service. */
function listServers(design: Design, service: SiteService | null): readonly ServiceHost[] {
  const { dns, loadBalancer, bastion } = design.services;
  const dhcp = findDhcpHost(design);
  switch (service) {
    case 'dns':
      return dns.kind === 'external' ? [] : dns.servers;
    case 'dhcp':
      return listServiceHosts(design).filter(({ name }) => name === dhcp?.name);
    case 'load-balancer':
      return loadBalancer.kind === 'external' ? [] : loadBalancer.servers;
    case 'tftp':
    case 'web':
      return [bastion];
    case null:
      return [];
  }
}

/** Lists the hosts whose service a command is about, by its words; none for an external service. */
export const listHostsOfCommand = (design: Design, command: string): readonly ServiceHost[] =>
  listServers(design, SERVICES_BY_WORD.find(([pattern]) => pattern.test(command))?.[1] ?? null);

const PORTS = { dns: 'udp 53', dhcp: 'udp 67', tftp: 'udp 69' } as const;

function getPort(design: Design, code: string, service: SiteService | null, words: readonly string[]): string | null {
  if (code === 'dns-tcp') return 'tcp 53';
  if (code === 'ssh-hosts') return 'tcp 22';
  if (service === 'web') return `tcp ${design.services.boot.httpPort}`;
  if (service !== 'load-balancer') return service === null ? null : PORTS[service];
  const port = words.map((word) => /:(\d+)$/.exec(word)?.[1]).find((portText) => portText !== undefined);
  if (port !== undefined) return `tcp ${port}`;
  const [balancer] = design.services.loadBalancer.servers;
  return balancer === undefined ? null : `tcp ${getStatsPort(design, balancer)}`;
}

/**
 * Lists the forms in which a configuration file contains these words: a zone names the first label and the last number,
 * a DHCP server writes MAC addresses in lowercase.
 */
function listNameForms(words: readonly string[]): string[] {
  return words.flatMap((raw) => {
    const word = stripPort(raw).toLowerCase().replace(/\.$/, '');
    if (isIP(word) === 4) return [word, word.slice(word.lastIndexOf('.') + 1)];
    if (isIP(word) !== 0 || /^[\da-f]{2}(?::[\da-f]{2}){5}$/.test(word)) return [word];
    // Words of a sentence have no dot inside; host names have.
    return /^[\w*-]+(?:\.[\w-]+)+$/.test(word) ? [word, word.split('.')[0] ?? ''] : [];
  });
}

/**
 * Adds the hosts and the install command to a remedy that says to put the generated files in place again. The remedy
 * for an external service stays as it is.
 * @param finding a failed result of a check of the site
 * @param simulatedDir the install directory of a rehearsal; null: the hosts are real
 */
export function addHostsToRemedy(design: Design, finding: Finding, simulatedDir: string | null): Finding {
  const { hosts } = locateFinding(design, finding);
  if (finding.state !== 'failed' || hosts.length === 0) return finding;
  const remedy = /\bput the generated\b/i.test(finding.remedy)
    ? `${finding.remedy} ${catalogue().diagnosis.site.details.installAgain(hosts, `${WORK_DIR}/install.sh`)}`
    : finding.remedy;
  return { ...finding, remedy: simulatedDir === null ? remedy : simulateInstallation(remedy, hosts, simulatedDir) };
}

/** Names the command that sets hosts of a rehearsal up, in place of the one that would run on them as root. */
export function simulateInstallation(remedy: string, hosts: readonly string[], dir: string): string {
  const command = formatCommandLine('hosts', 'apply', ...hosts.flatMap((host) => ['--host', host]), '--dir', dir);
  const instruction = catalogue().diagnosis.site.details.installAgainSimulated(command);
  return remedy.replace(/Run (?:(?!`).)*? as root: `bash \S+\/install\.sh`\.?/, () => instruction);
}
