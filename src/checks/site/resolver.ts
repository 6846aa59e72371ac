import { getApiName, getAppsDomain, getServiceHostFqdn, listServiceHosts } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { isDnsSilent, isUnmeasurable, type LocalNetworkSettings, type ProbeAnswer } from '../../probes/probe-types.ts';
import { compareAnswers, listNameServers, listPlannedNames, listReverseNames, queryName } from './dns.ts';
import { createSiteCheckFactory, isLocalHost, type SiteCheckContext, type SiteResult, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details.resolver;
const check = createSiteCheckFactory('dns');

/** A lookup that takes longer has waited for a name server that does not answer (resolv.conf(5): 5 s by default). */
const MIN_WAIT_SECONDS = 1;

/** A name that programs of this machine look up, with its planned addresses of both families. */
interface ClientName {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** Lists the names that openshift-install, oc and a browser look up on this machine. */
function listClientNames({ design }: Pick<SiteCheckContext, 'design'>): ClientName[] {
  const plannedNames = listPlannedNames(design).filter(({ group }) => group === 'api' || group === 'apps');
  const byName = Map.groupBy(plannedNames, ({ name }) => name.replace('*.', 'console-openshift-console.'));
  return [...byName].map(([name, familyEntries]) => ({
    name,
    addresses: familyEntries.flatMap(({ addresses }) => addresses),
  }));
}

/** How this machine resolves a name, and what the name servers answer. */
interface LookupEvidence extends ClientName {
  readonly machine: LocalNetworkSettings;
  readonly lookup: ProbeAnswer<'lookup'>;
  /**
   * A name server of the cluster that gives the planned addresses; null: none does, so the fault is not in this
   * machine.
   */
  readonly correctServer: string | null;
  /** The name servers that this machine uses, with their answers. */
  readonly servers: readonly {
    readonly server: string;
    readonly state: 'right' | 'wrong' | 'silent';
    readonly detail: string;
  }[];
  /** Whether systemd-resolved queries the name servers, and not the programs themselves. */
  readonly usesSystemdResolved: boolean;
}

async function gatherLookup(site: SiteCheckContext, { name, addresses }: ClientName): Promise<LookupEvidence | null> {
  const { probes } = site;
  const [machine, lookup] = await Promise.all([probes.machine({}), probes.lookup({ name })]);
  if (isUnmeasurable(machine) || isUnmeasurable(lookup)) return null;
  const { servers: listedServers } = machine.resolver;
  const isStub = listedServers[0]?.startsWith('127.0.0.5') ?? false;
  const sources = machine.lookupSources ?? '';
  const usesSystemdResolved =
    machine.resolvedServers !== null && (isStub || /\bresolve\b.*\bdns\b|\bresolve\b(?!.*\bdns\b)/.test(sources));
  const queryServer = async (server: string) => {
    const answers = await Promise.all(
      (['A', 'AAAA'] as const)
        .filter((type) => addresses.some((address) => address.includes(':') === (type === 'AAAA')))
        .map((type) => probes.dns({ server, name, type })),
    );
    const dnsAnswers = answers.flatMap((answer) => (isUnmeasurable(answer) ? [] : [answer]));
    const isSilent = dnsAnswers.length === 0 || dnsAnswers.every(({ state }) => isDnsSilent(state));
    const answerAddresses = dnsAnswers.flatMap((dnsAnswer) => dnsAnswer.answers);
    const state = isSilent ? 'silent' : haveSameAddresses(answerAddresses, addresses) ? 'right' : 'wrong';
    return {
      server,
      state,
      detail: answerAddresses.length > 0 ? answerAddresses.join(', ') : (dnsAnswers[0]?.detail ?? ''),
    } as const;
  };
  // glibc reads three name servers (MAXNS of resolv.h).
  const usedServers = usesSystemdResolved ? (machine.resolvedServers ?? []) : listedServers.slice(0, 3);
  const [servers, clusterServers] = await Promise.all([
    Promise.all(usedServers.map(queryServer)),
    Promise.all(listNameServers({ ...site, onlyHost: null }).map(queryServer)),
  ]);
  const correctServer = clusterServers.find(({ state }) => state === 'right')?.server ?? null;
  return { name, addresses, machine, lookup, correctServer, servers, usesSystemdResolved };
}

function haveSameAddresses(actual: readonly string[], planned: readonly string[]): boolean {
  return (
    actual.length > 0 &&
    actual.every((actualAddress) => planned.includes(actualAddress)) &&
    planned.every((plannedAddress) => actual.includes(plannedAddress))
  );
}

/** Whether the lookup of this machine returns planned addresses only; one is enough. */
function isResolvedCorrectly({ lookup: { addresses }, addresses: plannedAddresses }: LookupEvidence): boolean {
  return addresses.length > 0 && addresses.every((address) => plannedAddresses.includes(address));
}

/** Finds the lines of /etc/hosts that give a name of the cluster another address. */
function listWrongHostsLines(site: SiteCheckContext, { hosts }: LocalNetworkSettings) {
  const { design } = site;
  const names = listPlannedNames(design);
  const localHostNames = new Set(
    listServiceHosts(design)
      .filter((host) => isLocalHost(site, host))
      .map((host) => getServiceHostFqdn(design, host).toLowerCase()),
  );
  return hosts.flatMap((line) =>
    line.names.flatMap((name) => {
      const plannedNames = names.filter(
        (candidate) =>
          candidate.name.toLowerCase() === name ||
          (candidate.group === 'apps' && name.endsWith(`.${getAppsDomain(design)}`)),
      );
      const addresses = plannedNames.flatMap((plannedName) => plannedName.addresses);
      // Debian gives a machine's own name a loopback address.
      if (plannedNames.length === 0 || localHostNames.has(name) || addresses.includes(line.address)) return [];
      return [{ ...line, name, planned: addresses }];
    }),
  );
}

/**
 * Finds the name server that breaks or delays a lookup: the first one (with rotation, any), if it answers wrongly or
 * not at all.
 */
function findWrongServer({ servers, lookup, machine, ...evidence }: LookupEvidence) {
  const isRight = isResolvedCorrectly({ servers, lookup, machine, ...evidence });
  const others = servers.slice(machine.resolver.isRotationEnabled ? 0 : 1).map(({ server }) => server);
  const [firstServer] = machine.resolver.isRotationEnabled ? servers.filter(({ state }) => state !== 'right') : servers;
  if (firstServer === undefined || firstServer.state === 'right') return null;
  if (firstServer.state === 'silent')
    return !isRight || lookup.seconds >= MIN_WAIT_SECONDS ? { ...firstServer, others } : null;
  return isRight ? null : { ...firstServer, others };
}

/** Finds the search domain with which a name resolves before the plain name is looked up (ndots of resolv.conf(5)). */
async function findSearchDomain({ probes }: SiteCheckContext, { name, lookup, machine, servers }: LookupEvidence) {
  const { search, ndots } = machine.resolver;
  const server = servers.find(({ state }) => state !== 'silent')?.server;
  if (name.split('.').length - 1 >= ndots || server === undefined) return null;
  for (const domain of search) {
    const answer = await probes.dns({ server, name: `${name}.${domain}`, type: 'A' });
    if (!isUnmeasurable(answer) && answer.answers.some((candidate) => lookup.addresses.includes(candidate)))
      return { domain, answers: answer.answers, ndots };
  }
  return null;
}

/** Whether nsswitch.conf lets programs query a name server for a name; mDNS takes all names below `local`. */
function queriesNameServers({ name, machine: { lookupSources } }: LookupEvidence): boolean {
  if (lookupSources === null) return true;
  if (/mdns\w*_minimal\s+\[NOTFOUND=return\]/i.test(lookupSources) && name.endsWith('.local')) return false;
  return /\b(?:dns|resolve)\b/.test(lookupSources);
}

/** Returns the first verdict that `evaluate` gives for a name; `ok` or `unknown` if it gives none. */
async function evaluateNames(
  site: SiteCheckContext,
  evaluate: (evidence: LookupEvidence) => Verdict | null | Promise<Verdict | null>,
): Promise<Verdict> {
  const lookups = await Promise.all(listClientNames(site).map((clientName) => gatherLookup(site, clientName)));
  for (const lookup of lookups) {
    // Another check reports a name that the cluster's own name servers do not know.
    const verdict = lookup === null || lookup.correctServer === null ? null : await evaluate(lookup);
    if (verdict !== null) return verdict;
  }
  const [firstLookup] = lookups;
  if (firstLookup == null || firstLookup.lookup.state === 'unknown')
    return { state: 'unknown', detail: words().noGetent };
  const isKnown = lookups.some(
    (lookup) => lookup !== null && (lookup.correctServer !== null || isResolvedCorrectly(lookup)),
  );
  return isKnown ? { state: 'ok', detail: words().asQueried } : { state: 'unknown', detail: words().notServed };
}

/** Whether a line of /etc/hosts explains the answer. */
function isInHostsFile(site: SiteCheckContext, { machine, name }: LookupEvidence): boolean {
  return listWrongHostsLines(site, machine).some((line) => line.name === name.toLowerCase());
}

const createSiteResult = async (subject: string, command: string, verdict: Promise<Verdict>): Promise<SiteResult> => {
  const { detail, ...rest } = await verdict;
  return { ...rest, subject, command, evidence: [detail] };
};

/**
 * Checks of how this machine resolves names: its programs do not query the cluster's name servers directly, as the
 * other checks do.
 */
export const RESOLVER_CHECKS = [
  /**
   * No line of /etc/hosts gives a name of the cluster another address: it is read before any name server is queried.
   */
  check('resolver-hosts-file', 'warning', (site) => [
    createSiteResult(
      '/etc/hosts',
      `grep -n ${site.design.cluster.baseDomain} /etc/hosts`,
      (async (): Promise<Verdict> => {
        const machine = await site.probes.machine({});
        if (isUnmeasurable(machine)) return { state: 'unknown', detail: machine.detail };
        const lines = listWrongHostsLines(site, machine);
        if (lines.length === 0) return { state: 'ok', detail: words().noLine };
        return {
          state: 'failed',
          title: words().hosts.title(lines),
          detail: words().hosts.detail(lines),
          remedy: words().hosts.remedy(lines),
        };
      })(),
    ),
  ]),
  /** Programs query name servers, and the first one answers and has the names of the cluster. */
  check('resolver-servers', 'warning', (site) => [
    createSiteResult(
      '/etc/resolv.conf',
      `time getent ahosts ${getApiName(site.design)}; cat /etc/resolv.conf; grep ^hosts /etc/nsswitch.conf`,
      evaluateNames(site, (evidence) => {
        const { machine, usesSystemdResolved, correctServer, lookup, name } = evidence;
        if (isInHostsFile(site, evidence) || correctServer === null) return null;
        if (!isResolvedCorrectly(evidence) && !queriesNameServers(evidence)) {
          const sources = machine.lookupSources ?? '';
          return {
            state: 'failed',
            title: words().sources.title(name),
            detail: words().sources.detail(sources),
            remedy: words().sources.remedy,
          };
        }
        const wrongServer = findWrongServer(evidence);
        if (wrongServer === null) {
          if (evidence.servers.length > 0 || isResolvedCorrectly(evidence)) return null;
          return {
            state: 'failed',
            title: words().noServer.title,
            detail: words().noServer.detail,
            remedy: words().noServer.remedy(correctServer),
          };
        }
        const fault = {
          ...{ correctServer, usesSystemdResolved, seconds: lookup.seconds, name, ...wrongServer },
          writer: machine.resolver.writer,
          device: machine.defaultRoutes[0]?.device ?? null,
          baseDomain: site.design.cluster.baseDomain,
        };
        return {
          state: 'failed',
          title: words().server.title(fault),
          detail: words().server.detail(fault),
          remedy: words().server.remedy(fault),
        };
      }),
    ),
  ]),
  /** No search domain resolves a name of the cluster before the plain name is looked up. */
  check('resolver-search', 'warning', (site) => [
    createSiteResult(
      '/etc/resolv.conf',
      `getent ahosts ${getApiName(site.design)}; grep -E '^(search|domain|options)' /etc/resolv.conf`,
      evaluateNames(site, async (evidence) => {
        if (isResolvedCorrectly(evidence) || isInHostsFile(site, evidence)) return null;
        const searchDomain = await findSearchDomain(site, evidence);
        if (searchDomain === null) return null;
        const { name } = evidence;
        return {
          state: 'failed',
          title: words().search.title(searchDomain.domain),
          detail: words().search.detail(name, searchDomain),
          remedy: words().search.remedy,
        };
      }),
    ),
  ]),
  /** Programs of this machine resolve the API and the console: openshift-install and oc run here. */
  check('dns-resolver', 'warning', (site) =>
    listClientNames(site).map((clientName) =>
      createSiteResult(
        clientName.name,
        `getent ahosts ${clientName.name}`,
        gatherLookup(site, clientName).then((evidence): Verdict => {
          if (evidence === null || evidence.lookup.state === 'unknown')
            return { state: 'unknown', detail: words().noGetent };
          if (isResolvedCorrectly(evidence)) return { state: 'ok', detail: evidence.lookup.addresses.join(', ') };
          const { lookup, addresses, correctServer } = evidence;
          if (correctServer === null) return { state: 'unknown', detail: words().notServed };
          return {
            state: 'failed',
            detail: words().lookup(lookup, addresses),
            remedy: words().compare(clientName.name, correctServer),
          };
        }),
      ),
    ),
  ),
  /**
   * Programs of this machine resolve api-int and the nodes. The generated files use addresses, so these names matter
   * only to a user who connects to a node by name.
   */
  check('dns-resolver-nodes', 'note', (site) => [
    ...listPlannedNames(site.design)
      .filter(({ group }) => group === 'api-int' || group === 'node')
      .map(({ name, type, addresses }) => queryLocalResolver(site, name, type, addresses)),
    ...listReverseNames(site.design, true).map(({ address, names }) => queryLocalResolver(site, address, 'PTR', names)),
  ]),
];

/** Queries the name servers of this machine. Names that the cluster's own servers also lack are reported elsewhere. */
async function queryLocalResolver(
  site: SiteCheckContext,
  name: string,
  type: 'A' | 'AAAA' | 'PTR',
  expected: readonly string[],
): Promise<SiteResult> {
  return await queryName(site, null, name, type, name, async (answer) => {
    const verdict = compareAnswers(answer, expected);
    if (verdict.state !== 'failed') return verdict;
    const clusterAnswers = await Promise.all(
      listNameServers({ ...site, onlyHost: null }).map((server) => site.probes.dns({ server, name, type })),
    );
    const isServed = clusterAnswers.some(
      (clusterAnswer) => !isUnmeasurable(clusterAnswer) && compareAnswers(clusterAnswer, expected).state === 'ok',
    );
    return isServed ? verdict : { state: 'unknown', detail: words().notServed };
  });
}
