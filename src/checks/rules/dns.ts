import { getApiName } from '../../design/derived-facts.ts';
import { quoteShellCommand } from '../../platform/shell-quoting.ts';
import {
  allChecksPassed,
  createDiagnosticRule,
  createSymptom,
  matchLogLines,
  type Symptom,
  symptomsFromChecks,
  symptomsFromFailedChecks,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine, SiteCheckResult } from './evidence.ts';

/**
 * Nodes resolve api-int first, to fetch their ignition file, and the name is missing. If our name servers have the
 * record, the nodes use another server.
 */
export const apiIntMissing = createDiagnosticRule('api-int-missing', 'dns', (evidence) => {
  const symptoms = symptomsFromFailedChecks(evidence, 'dns-api-int');
  if (symptoms.length > 0) return symptoms;
  const lines = matchLogLines(evidence, /lookup api-int\S* .*no such host|Unable to resolve API_INT_URL/i);
  return symptomsFromLines(
    lines.filter((line) => !isQueryToOtherServer(evidence, line)),
    'likely',
  );
});

/** Addresses that no private network has: name servers of the internet do not know a cluster's names. */
const PUBLIC_ADDRESS =
  /^(?!(?:10|127)\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)\d+\.\d+\.\d+\.\d+$/;

/** Whether a failed lookup of a name of the cluster went to a name server that is none of the cluster's. */
function isQueryToOtherServer({ design, checks, lines }: Evidence, { text, host }: EvidenceLine): boolean {
  const server = /lookup \S+ on \[?([0-9a-f.:]+?)\]?:53: no such host/i.exec(text)?.[1];
  if (server === undefined) return false;
  const designServers = design?.services.dns.servers.flatMap(({ ip }) => ip) ?? [];
  // The other machines of the bundle resolved their names at other name servers.
  const otherServers = lines.flatMap((line) =>
    line.host === host ? [] : (/^resolv\.conf: nameserver (.+)$/.exec(line.text)?.[1]?.split(', ') ?? []),
  );
  // The name servers of the design have the record, so the query went to another server.
  const isApiIntResolved = checks.some(({ id, state }) => id === 'dns-api-int' && state === 'ok');
  return designServers.length > 0
    ? !designServers.includes(server) && (isApiIntResolved || design?.services.dns.kind === 'bind')
    : PUBLIC_ADDRESS.test(server) || (otherServers.length > 0 && !otherServers.includes(server));
}

/** The name of the API is missing, or has another address. (The resolver of this machine has its own rule.) */
export const apiNameWrong = createDiagnosticRule('api-name-wrong', 'dns', (evidence) => {
  const symptoms = symptomsFromFailedChecks(evidence, 'dns-api');
  if (symptoms.length > 0) return symptoms;
  const lines = matchLogLines(evidence, /lookup api\.[\w.-]+ .*no such host|Unable to resolve API_URL/i);
  return symptomsFromLines(
    lines.filter((line) => line.source !== 'openshift-install' && !isQueryToOtherServer(evidence, line)),
    'likely',
  );
});

/** Routes have names below *.apps; without the wildcard the operators cannot reach their own routes. */
export const appsWildcardMissing = createDiagnosticRule('apps-wildcard-missing', 'dns', (evidence) => {
  const checkSymptoms = symptomsFromFailedChecks(evidence, 'dns-apps-wildcard');
  if (checkSymptoms.length > 0) return checkSymptoms;
  const operators = evidence.cluster?.operators ?? [];
  const failingOperators = operators.filter(({ wait, message }) => wait?.code === 'name' && /\.apps\./.test(message));
  const symptoms = failingOperators.map(({ name, message }) =>
    createSymptom('likely', name, message, quoteShellCommand`oc get clusteroperator ${name} -o yaml`),
  );
  return symptoms.length > 0
    ? symptoms
    : symptomsFromLines(matchLogLines(evidence, /lookup \S+\.apps\.\S+ .*no such host/i), 'likely');
});

/** A name server does not answer: none of its names resolves. */
export const dnsServerUnreachable = createDiagnosticRule(
  'dns-server-silent',
  'dns',
  (evidence) => symptomsFromFailedChecks(evidence, 'dns-server'),
  true,
);

/** The log line of a failed lookup of a public registry. */
const PUBLIC_REGISTRY_LOOKUP_FAILURE =
  /lookup (?:\S+\.)?(?:quay\.io|redhat\.(?:io|com)|openshift\.com|amazonaws\.com|cloudfront\.net)\.? .*(?:no such host|server misbehaving)/i;

/** Nodes also resolve the names of registries and time servers at our name servers. */
export const externalNamesUnresolved = createDiagnosticRule('outside-names-missing', 'dns', (evidence) => {
  if (evidence.cluster?.version?.available === true) return [];
  const lines = matchLogLines(evidence, PUBLIC_REGISTRY_LOOKUP_FAILURE).filter(
    ({ source }) => source !== 'openshift-install',
  );
  const command = 'cat /etc/resolv.conf; dig quay.io';
  return [
    ...symptomsFromFailedChecks(evidence, 'dns-upstream', 'likely'),
    ...symptomsFromLines(lines.slice(-1), 'likely', command),
  ];
});

/** The name servers of the cluster resolve its names, but this machine or nodes use servers without them. */
export const localResolverWrong = createDiagnosticRule('resolver-elsewhere', 'dns', (evidence) => {
  const { api, design } = evidence;
  const linesFromOtherServers = matchLogLines(evidence, /lookup api(?:-int)?\.\S+ .*no such host/i).filter((line) =>
    isQueryToOtherServer(evidence, line),
  );
  const nodeLines = linesFromOtherServers.filter(({ source }) => source !== 'openshift-install');
  if (nodeLines.length > 0) return symptomsFromLines(nodeLines, 'likely', 'cat /etc/resolv.conf; resolvectl status');
  // A bundle holds no DNS answers. Its bootstrap node resolved the names: the failed lookup is that of this machine.
  if (design === null || (evidence.isBundle === true && evidence.checks.length === 0)) {
    const installerLines = matchLogLines(evidence, /lookup api\.\S+ .*no such host/i).filter(
      ({ source }) => source === 'openshift-install',
    );
    return symptomsFromLines(installerLines.slice(-1), 'likely', 'cat /etc/resolv.conf; getent hosts API');
  }
  if (!allChecksPassed(evidence, 'dns-api')) return [];
  const command = `getent hosts ${getApiName(design)}`;
  if (api?.code === 'cluster-name') return [createSymptom('certain', '', api.detail, command)];
  if (api?.isUp) return [];
  const lines = matchLogLines(evidence, /lookup api\.\S+ .*no such host/i).filter(
    ({ source }) => source === 'openshift-install',
  );
  return symptomsFromLines(lines.slice(-1), 'likely', command);
});

/** The DNS record of a node is missing, or has another address. */
export const nodeRecordMissing = createDiagnosticRule('node-name-missing', 'dns', (evidence) =>
  symptomsFromFailedChecks(evidence, 'dns-nodes'),
);

/** A single query may be lost in the network. */
const MIN_OCCURRENCES = 3;

/** Nodes use a name server that fails, or does not answer them. From this machine it may look healthy. */
export const nodeResolverFails = createDiagnosticRule('resolver-fails', 'dns', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /lookup \S+.*(?:server misbehaving|i\/o timeout)/, MIN_OCCURRENCES).filter(
      ({ source }) => source !== 'openshift-install',
    ),
    'likely',
    'cat /etc/resolv.conf; resolvectl status',
  ),
);

/** A node takes its name from the PTR record of its address, unless DHCP supplies one. */
export const ptrMissing = createDiagnosticRule('ptr-missing', 'dns', (evidence) =>
  symptomsFromChecks(
    listWrongPtrRecords(evidence).filter((result) => !isLocalhostPtr(result) && !isMissingTrailingDot(result)),
    'certain',
  ),
);

/** Lists the failed checks of reverse records. */
export function listWrongPtrRecords({ checks }: Evidence): SiteCheckResult[] {
  return checks.filter(({ id, state }) => id === 'dns-reverse' && state === 'failed');
}

/** Whether the PTR record makes a node call itself localhost. This has its own rule (hostname-localhost). */
export function isLocalhostPtr({ names = [] }: SiteCheckResult): boolean {
  return names.some((name) => /^localhost(?:\.|$)/.test(name));
}

/** Whether the name ends with the name of the reverse zone. This has its own rule (ptr-dot-missing). */
function isMissingTrailingDot({ names = [] }: SiteCheckResult): boolean {
  return names.some((name) => /\.(?:in-addr|ip6)\.arpa\.?$/i.test(name));
}

/**
 * A name in a zone file without its trailing dot is relative to the zone: m1.cluster.example.0.16.172.in-addr.arpa (RFC
 * 1035, 5.1).
 */
export const ptrTrailingDotMissing = createDiagnosticRule('ptr-dot-missing', 'dns', (evidence) =>
  symptomsFromChecks(listWrongPtrRecords(evidence).filter(isMissingTrailingDot), 'certain'),
);

/** A wildcard record above *.apps: names that must not exist resolve (assisted-service isDNSWildcardNotConfigured). */
export const wildcardTooWide = createDiagnosticRule('wildcard-too-wide', 'dns', (evidence) =>
  symptomsFromFailedChecks(evidence, 'dns-no-cluster-wildcard'),
);

const ZONE_CHECKS = ['dns-api-int', 'dns-api', 'dns-apps-wildcard'] as const;

/**
 * A server answers, but resolves no name of the cluster: its zone is not loaded, or the server does not serve the zone.
 */
export const zoneNotServed = createDiagnosticRule('zone-not-served', 'dns', (evidence): Symptom[] => {
  const isSilent = symptomsFromFailedChecks(evidence, 'dns-server').length > 0;
  const hasValidName = evidence.checks.some(({ id, state }) => id.startsWith('dns-api') && state === 'ok');
  const symptomLists = ZONE_CHECKS.map((code) => symptomsFromFailedChecks(evidence, code));
  if (isSilent || hasValidName || symptomLists.some((symptoms) => symptoms.length === 0)) return [];
  return symptomLists.flat();
});
