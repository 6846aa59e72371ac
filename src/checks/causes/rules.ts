import { catalogue } from '../../i18n/catalogue.ts';
import type { Finding } from '../check.ts';
import { type FindingLocation, stripPort } from './locations.ts';

/** A finding and its location. */
export interface LocatedFinding {
  readonly finding: Finding;
  readonly location: FindingLocation;
}

/**
 * Whether this failure explains that result. `sameCheckFailures`: all failures of the same check, for a result that
 * concerns several hosts.
 */
type Relation = (
  cause: LocatedFinding,
  result: LocatedFinding,
  sameCheckFailures: readonly LocatedFinding[],
) => boolean;

/** One line of the table: the failure of one check explains results of other checks. */
interface CauseRule {
  /** A check id, or the beginning of one followed by `*`. */
  readonly cause: string;
  readonly effects: readonly string[];
  readonly when: Relation;
  /** `evidence`: the explained result shows the same fault, and its text becomes evidence of the cause. */
  readonly role?: 'evidence';
}

/** The failure explains these results, whatever host or subject they concern. */
const always: Relation = () => true;

/** All hosts that the result concerns have this failure: one of two load balancers does not explain a closed port. */
const isOnSameHost: Relation = (cause, result, sameCheckFailures) =>
  sharesHost(cause, result) &&
  result.location.hosts.every((host) =>
    sameCheckFailures.some((sameCheckFailure) => sameCheckFailure.location.hosts.includes(host)),
  );

/** As `isOnSameHost`, but only failures of the result's service count. */
const isOnSameService: Relation = (cause, result, sameCheckFailures) => {
  const { service } = result.location;
  const serviceFailures = sameCheckFailures.filter(({ location }) => location.service === service);
  return service !== null && cause.location.service === service && isOnSameHost(cause, result, serviceFailures);
};

const sharesHost = ({ location }: LocatedFinding, result: LocatedFinding) =>
  location.hosts.some((host) => result.location.hosts.includes(host));

/** The first word of both subjects is the same: a node, a host, a pool's load balancer. */
const hasSameSubject: Relation = ({ location }, result) =>
  location.words[0] !== undefined && location.words[0] === result.location.words[0];

/** Both subjects begin with the same address, with or without a port. */
const hasSameAddress: Relation = ({ location }, result) =>
  location.words[0] !== undefined && stripPort(location.words[0]) === stripPort(result.location.words[0] ?? '');

const isHostUnreachable = ({ finding }: LocatedFinding) =>
  finding.cause.includes(catalogue().session.writeReasons.EHOSTUNREACH);

/** The host does not even answer ARP, or no route leads to it: nothing on it can answer. */
const isOnUnreachableHost: Relation = (cause, result, sameCheckFailures) =>
  isHostUnreachable(cause) && isOnSameHost(cause, result, sameCheckFailures.filter(isHostUnreachable));

/** A file that the cause names is the subject of the result, or is named in its evidence. */
const namesFile: Relation = ({ finding }, result) =>
  [...finding.cause.matchAll(/\/([^/\s:]+)(?=[\s:,])/g)].some(
    ([, file = '']) => file.includes('.') && `${result.finding.subject ?? ''} ${result.finding.cause}`.includes(file),
  );

/** As `isOnSameHost`, for an unknown result only: a failed one is another fault. */
const isUnknownOnSameHost: Relation = (cause, result, sameCheckFailures) =>
  result.finding.state === 'unknown' && isOnSameHost(cause, result, sameCheckFailures);

/** The packet filter of the host blocks the port that the result is about. */
const isPortBlocked: Relation = ({ finding, location }, result) => {
  const [protocol = '', port = ''] = result.location.port?.split(' ') ?? [];
  if (port === '' || !location.hosts.some((host) => result.location.hosts.includes(host))) return false;
  return finding.cause
    .split(';')
    .some((part) => part.includes(protocol) && new RegExp(`(?<![\\d.])${port}(?![\\d.])`).test(part));
};

/** The changed lines of the file contain a name that the failure is about. */
const isNamedInFile: Relation = (cause, { finding, location }) =>
  location.service === cause.location.service &&
  location.hosts.some((host) => cause.location.hosts.includes(host)) &&
  (finding.mentions ?? []).some((text) =>
    text.split(/[\s;,{}"'=]+/).some((word) => cause.location.names.has(normalizeName(word))),
  );

const normalizeName = (word: string) =>
  word
    .toLowerCase()
    .replace(/^([^:]+):\d+$/, '$1')
    .replace(/\.$/, '');

/** The resolver of this machine gives the same wrong answer for the same name. */
const hasSameAnswer: Relation = (cause, result) =>
  cause.finding.mentions !== undefined &&
  cause.finding.mentions.join() === result.finding.mentions?.join() &&
  (hasSameSubject(cause, result, []) || cause.finding.code === 'dns-apps-wildcard');

/** The evidence of the cause names the subject of the result. */
const namesSubject: Relation = ({ finding }, result) =>
  result.location.words.some((word) => finding.cause.includes(word));

/** Options of DHCP: their name in the evidence, and their keyword in the files of dhcpd and Kea. */
const DHCP_OPTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/lease time/i, /lease-time|valid-lifetime/],
  [/\bMTU\b/, /interface-mtu/],
  [/\bmask\b/i, /subnet-mask|netmask/],
  [/gateway|router/i, /routers/],
  [/name servers?/i, /domain-name-servers/],
  [/time servers?/i, /ntp-servers/],
  [/search/i, /domain-search/],
  [/\bdomain\b/i, /domain-name(?!-)/],
  [/host ?name/i, /host-?name/],
  [/boot file|next server/i, /filename|next-server|boot-file-name|server-hostname/],
];

/** A changed line of the DHCP server's file sets the option that the offer has wrong. */
const changesOption: Relation = ({ finding, location }, result) =>
  location.service === 'dhcp' &&
  result.location.service === 'dhcp' &&
  DHCP_OPTIONS.some(
    ([evidence, keyword]) =>
      evidence.test(finding.cause) && (result.finding.mentions ?? []).some((line) => keyword.test(line)),
  );

const DNS_CHECKS = ['dns-*'];
const CERTIFICATE_CHECKS = ['api-certificate', 'machine-config-certificate', 'ingress-certificate'];
const WEB_CHECKS = ['ipxe-*', 'http-*', 'ignition-served', 'ignition-same'];
const SERVICE_CHECKS = [...DNS_CHECKS, 'dhcp-*', 'lb-*', 'vip-*', 'tftp', 'tftp-*', 'boot-server', ...WEB_CHECKS];
/** Checks of whole services: they do not say why a service is silent. */
const AVAILABILITY_CHECKS = ['dns-server', 'dns-tcp', 'dhcp-server', 'lb-listens', 'tftp-server', 'boot-server'];
/** Checks of a service's answers: they say exactly what is wrong. */
const ANSWER_CHECKS = [
  'dns-api',
  'dns-api-int',
  'dns-apps-wildcard',
  'dns-nodes',
  'dns-hosts',
  'dns-reverse',
  'dns-reverse-others',
]
  .concat(['dns-no-cluster-wildcard', 'dns-family', 'dhcp-leases', 'dhcp-gateway', 'dhcp-boot', 'dhcp-options'])
  .concat(['lb-bootstrap-present', 'lb-members']);

/**
 * The table of causes and what each explains, the strongest cause first. A result belongs to the first line that fits.
 * Among independent failures, the one of the earlier line is reported first. To add a check:
 *
 * - A new cause gets a line with its id, the ids that it explains, and the narrowest relation of this file: a fault of
 *   one subject must not explain another subject.
 * - A new result needs no line if its id begins like those of its service (`SERVICES_BY_ID` in locations.ts). Its
 *   subject names a host, an address or a node.
 * - A check whose evidence quotes changed lines sets `mentions`.
 */
export const CAUSE_RULES: readonly CauseRule[] = [
  // Faults of this machine: they make its own measurements and lookups wrong.
  {
    cause: 'machine-clock',
    effects: ['host-clock', 'host-service-current', 'ntp-servers', 'api-clock', ...CERTIFICATE_CHECKS],
    when: always,
  },
  { cause: 'default-routes', effects: ['ntp-servers', 'pull-secret-registry', 'registry-*'], when: always },
  // A time of a file and one of a process cannot be compared if the clock was set between them.
  { cause: 'host-clock', effects: ['host-service-current'], when: isOnSameHost },
  // A whole host.
  { cause: 'ssh-hosts', effects: ['host-*', ...SERVICE_CHECKS], when: isOnUnreachableHost },
  // A host that cannot be inspected; its services are queried over the network.
  { cause: 'ssh-hosts', effects: ['host-*'], when: isOnSameHost },
  { cause: 'host-login', effects: ['host-*'], when: isOnSameHost },
  { cause: 'host-rights', effects: ['host-*'], when: isOnSameHost },
  // A service that does not run, or runs with another file than the one on its host.
  { cause: 'host-files', effects: ['host-service-*'], when: isOnSameService },
  { cause: 'host-service-*', effects: SERVICE_CHECKS, when: isOnSameService },
  { cause: 'host-selinux', effects: ['lb-listens', 'boot-server', ...WEB_CHECKS], when: isOnSameHost },
  { cause: 'host-firewall', effects: ['ssh-hosts', ...SERVICE_CHECKS], when: isPortBlocked },
  { cause: 'host-files', effects: AVAILABILITY_CHECKS, when: isOnSameService },
  // A server refuses a client, or cannot read a file.
  { cause: 'dns-readable', effects: DNS_CHECKS, when: isOnSameService },
  { cause: 'dns-clients', effects: ['host-files', ...DNS_CHECKS], when: isOnSameService },
  { cause: 'lb-clients', effects: ['host-files'], when: isOnSameService },
  { cause: 'dhcp-interface', effects: ['dhcp-*'], when: always },
  { cause: 'boot-clients', effects: ['host-files', ...WEB_CHECKS], when: isOnSameService },
  { cause: 'boot-readable', effects: ['boot-files-missing', ...WEB_CHECKS], when: namesFile },
  { cause: 'tftp-readable', effects: ['tftp'], when: namesFile },
  // Addresses of the load balancer.
  { cause: 'vip-keepalived', effects: ['vip-holder'], when: isOnSameHost },
  {
    cause: 'vip-*',
    effects: ['lb-listens', 'lb-from-hosts', 'api-clock', ...CERTIFICATE_CHECKS],
    when: hasSameAddress,
  },
  { cause: 'vip-owner', effects: ['vip-holder'], when: hasSameSubject },
  // A member that answers wrongly, or not at all: the load balancer sends connections to it.
  { cause: 'ip-conflict', effects: [...CERTIFICATE_CHECKS, 'lb-member-silent'], when: always },
  { cause: 'packet-size', effects: CERTIFICATE_CHECKS, when: always },
  { cause: 'lb-reaches', effects: ['lb-member-silent', ...CERTIFICATE_CHECKS], when: always },
  { cause: 'lb-member-silent', effects: CERTIFICATE_CHECKS, when: always },
  // A service that does not answer explains every failed query to it.
  { cause: 'dns-server', effects: DNS_CHECKS, when: isOnSameHost },
  { cause: 'dhcp-server', effects: ['dhcp-*'], when: always },
  { cause: 'tftp-server', effects: ['tftp', 'tftp-*'], when: always },
  { cause: 'boot-server', effects: WEB_CHECKS, when: always },
  { cause: 'lb-listens', effects: ['lb-*'], when: isUnknownOnSameHost },
  // Wrong details of an answer: the differing file shows the same fault.
  ...ANSWER_CHECKS.map(
    (cause): CauseRule => ({ cause, effects: ['host-files'], when: isNamedInFile, role: 'evidence' }),
  ),
  { cause: 'dhcp-*', effects: ['host-files'], when: changesOption, role: 'evidence' },
  { cause: 'lb-bootstrap-present', effects: ['lb-members'], when: hasSameSubject },
  { cause: 'dhcp-leases', effects: ['dhcp-gateway', 'dhcp-boot', 'dhcp-options'], when: hasSameSubject },
  ...['dns-api', 'dns-apps-wildcard', 'dns-api-int', 'dns-nodes', 'dns-reverse'].map(
    (cause): CauseRule => ({ cause, effects: ['dns-resolver', 'dns-resolver-nodes'], when: hasSameAnswer }),
  ),
  { cause: 'resolver-hosts-file', effects: ['dns-resolver', 'dns-resolver-nodes'], when: namesSubject },
  { cause: 'resolver-servers', effects: ['dns-resolver', 'dns-resolver-nodes'], when: always },
  { cause: 'resolver-search', effects: ['dns-resolver', 'dns-resolver-nodes'], when: always },
  { cause: 'dns-resolver', effects: ['dns-resolver-nodes'], when: always },
  { cause: 'registry-proxy', effects: ['pull-secret-registry', 'registry-mirror'], when: always },
  { cause: 'pull-secret', effects: ['pull-secret-registry', 'registry-*'], when: always },
];

/** Whether a pattern of the table matches the id. */
export function matchesId(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id;
}
