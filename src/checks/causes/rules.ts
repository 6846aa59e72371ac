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
  readonly explains: readonly string[];
  readonly when: Relation;
  /** `evidence`: the explained result shows the same fault, and its text becomes evidence of the cause. */
  readonly role?: 'evidence';
}

/** The failure explains these results, whatever host or subject they concern. */
const always: Relation = () => true;

/** All hosts that the result concerns have this failure: one of two load balancers does not explain a closed port. */
const onSameHost: Relation = (cause, result, sameCheckFailures) =>
  sharesHost(cause, result) &&
  result.location.hosts.every((host) => sameCheckFailures.some((each) => each.location.hosts.includes(host)));

/** As `onSameHost`, but only failures of the result's service count. */
const onSameService: Relation = (cause, result, sameCheckFailures) => {
  const { service } = result.location;
  const serviceFailures = sameCheckFailures.filter(({ location }) => location.service === service);
  return service !== null && cause.location.service === service && onSameHost(cause, result, serviceFailures);
};

const sharesHost = ({ location }: LocatedFinding, other: LocatedFinding) =>
  location.hosts.some((host) => other.location.hosts.includes(host));

/** The first word of both subjects is the same: a node, a host, a pool's load balancer. */
const onSameSubject: Relation = ({ location }, other) =>
  location.words[0] !== undefined && location.words[0] === other.location.words[0];

/** Both subjects begin with the same address, with or without a port. */
const onSameAddress: Relation = ({ location }, other) =>
  location.words[0] !== undefined && stripPort(location.words[0]) === stripPort(other.location.words[0] ?? '');

const isUnreachable = ({ finding }: LocatedFinding) =>
  finding.cause.includes(catalogue().session.writeReasons.EHOSTUNREACH);

/** The host does not even answer ARP, or no route leads to it: nothing on it can answer. */
const onAbsentHost: Relation = (cause, result, sameCheckFailures) =>
  isUnreachable(cause) && onSameHost(cause, result, sameCheckFailures.filter(isUnreachable));

/** A file that the cause names is the subject of the result, or is named in its evidence. */
const namesFile: Relation = ({ finding }, result) =>
  [...finding.cause.matchAll(/\/([^/\s:]+)(?=[\s:,])/g)].some(
    ([, file = '']) => file.includes('.') && `${result.finding.subject ?? ''} ${result.finding.cause}`.includes(file),
  );

/** As `onSameHost`, for an unknown result only: a failed one is another fault. */
const unknownOnSameHost: Relation = (cause, result, sameCheckFailures) =>
  result.finding.state === 'unknown' && onSameHost(cause, result, sameCheckFailures);

/** The packet filter of the host blocks the port that the result is about. */
const isPortClosed: Relation = ({ finding, location }, result) => {
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
    text.split(/[\s;,{}"'=]+/).some((word) => cause.location.names.has(toName(word))),
  );

const toName = (word: string) =>
  word
    .toLowerCase()
    .replace(/^([^:]+):\d+$/, '$1')
    .replace(/\.$/, '');

/** The resolver of this machine gives the same wrong answer for the same name. */
const givesSameAnswer: Relation = (cause, result) =>
  cause.finding.mentions !== undefined &&
  cause.finding.mentions.join() === result.finding.mentions?.join() &&
  (onSameSubject(cause, result, []) || cause.finding.code === 'dns-apps-wildcard');

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

const DNS = ['dns-*'];
const CERTIFICATES = ['api-certificate', 'machine-config-certificate', 'ingress-certificate'];
const WEB = ['ipxe-*', 'http-*', 'ignition-served', 'ignition-same'];
const SERVICES = [...DNS, 'dhcp-*', 'lb-*', 'vip-*', 'tftp', 'tftp-*', 'boot-server', ...WEB];
/** Checks of whole services: they do not say why a service is silent. */
const WHOLE_SERVICE_CHECKS = ['dns-server', 'dns-tcp', 'dhcp-server', 'lb-listens', 'tftp-server', 'boot-server'];
/** Checks of a service's answers: they say exactly what is wrong. */
const PRECISE_CHECKS = [
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
    explains: ['host-clock', 'host-service-current', 'ntp-servers', 'api-clock', ...CERTIFICATES],
    when: always,
  },
  { cause: 'default-routes', explains: ['ntp-servers', 'pull-secret-registry', 'registry-*'], when: always },
  // A time of a file and one of a process cannot be compared if the clock was set between them.
  { cause: 'host-clock', explains: ['host-service-current'], when: onSameHost },
  // A whole host.
  { cause: 'ssh-hosts', explains: ['host-*', ...SERVICES], when: onAbsentHost },
  // A host that cannot be inspected; its services are queried over the network.
  { cause: 'ssh-hosts', explains: ['host-*'], when: onSameHost },
  { cause: 'host-login', explains: ['host-*'], when: onSameHost },
  { cause: 'host-rights', explains: ['host-*'], when: onSameHost },
  // A service that does not run, or runs with another file than the one on its host.
  { cause: 'host-files', explains: ['host-service-*'], when: onSameService },
  { cause: 'host-service-*', explains: SERVICES, when: onSameService },
  { cause: 'host-selinux', explains: ['lb-listens', 'boot-server', ...WEB], when: onSameHost },
  { cause: 'host-firewall', explains: ['ssh-hosts', ...SERVICES], when: isPortClosed },
  { cause: 'host-files', explains: WHOLE_SERVICE_CHECKS, when: onSameService },
  // A server refuses a client, or cannot read a file.
  { cause: 'dns-readable', explains: DNS, when: onSameService },
  { cause: 'dns-clients', explains: ['host-files', ...DNS], when: onSameService },
  { cause: 'lb-clients', explains: ['host-files'], when: onSameService },
  { cause: 'dhcp-interface', explains: ['dhcp-*'], when: always },
  { cause: 'boot-clients', explains: ['host-files', ...WEB], when: onSameService },
  { cause: 'boot-readable', explains: ['boot-files-missing', ...WEB], when: namesFile },
  { cause: 'tftp-readable', explains: ['tftp'], when: namesFile },
  // Addresses of the load balancer.
  { cause: 'vip-keepalived', explains: ['vip-holder'], when: onSameHost },
  { cause: 'vip-*', explains: ['lb-listens', 'lb-from-hosts', 'api-clock', ...CERTIFICATES], when: onSameAddress },
  { cause: 'vip-owner', explains: ['vip-holder'], when: onSameSubject },
  // A member that answers wrongly, or not at all: the load balancer sends connections to it.
  { cause: 'ip-conflict', explains: [...CERTIFICATES, 'lb-member-silent'], when: always },
  { cause: 'packet-size', explains: CERTIFICATES, when: always },
  { cause: 'lb-reaches', explains: ['lb-member-silent', ...CERTIFICATES], when: always },
  { cause: 'lb-member-silent', explains: CERTIFICATES, when: always },
  // A service that does not answer explains every failed query to it.
  { cause: 'dns-server', explains: DNS, when: onSameHost },
  { cause: 'dhcp-server', explains: ['dhcp-*'], when: always },
  { cause: 'tftp-server', explains: ['tftp', 'tftp-*'], when: always },
  { cause: 'boot-server', explains: WEB, when: always },
  { cause: 'lb-listens', explains: ['lb-*'], when: unknownOnSameHost },
  // Wrong details of an answer: the differing file shows the same fault.
  ...PRECISE_CHECKS.map(
    (cause): CauseRule => ({ cause, explains: ['host-files'], when: isNamedInFile, role: 'evidence' }),
  ),
  { cause: 'dhcp-*', explains: ['host-files'], when: changesOption, role: 'evidence' },
  { cause: 'lb-bootstrap-present', explains: ['lb-members'], when: onSameSubject },
  { cause: 'dhcp-leases', explains: ['dhcp-gateway', 'dhcp-boot', 'dhcp-options'], when: onSameSubject },
  ...['dns-api', 'dns-apps-wildcard', 'dns-api-int', 'dns-nodes', 'dns-reverse'].map(
    (cause): CauseRule => ({ cause, explains: ['dns-resolver', 'dns-resolver-nodes'], when: givesSameAnswer }),
  ),
  { cause: 'resolver-hosts-file', explains: ['dns-resolver', 'dns-resolver-nodes'], when: namesSubject },
  { cause: 'resolver-servers', explains: ['dns-resolver', 'dns-resolver-nodes'], when: always },
  { cause: 'resolver-search', explains: ['dns-resolver', 'dns-resolver-nodes'], when: always },
  { cause: 'dns-resolver', explains: ['dns-resolver-nodes'], when: always },
  { cause: 'registry-proxy', explains: ['pull-secret-registry', 'registry-mirror'], when: always },
  { cause: 'pull-secret', explains: ['pull-secret-registry', 'registry-*'], when: always },
];

/** Whether a pattern of the table matches the id. */
export function matchesId(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id;
}
