import { listAddressRecords, listPointerRecords } from '../../artifacts/dns/records.ts';
import { removeDuplicates } from '../../artifacts/network/addresses.ts';
import {
  getApiIntName,
  getApiName,
  getAppsDomain,
  getClusterDomain,
  getNodeFqdn,
  listServiceHosts,
} from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { isDnsSilent, isUnmeasurable, type ProbeAnswer } from '../../probes/probe-types.ts';
import type { Severity } from '../check.ts';
import { getProxyUrl } from './before-boot.ts';
import { DNS_CLIENT_CHECK, ZONE_FILE_CHECK } from './server-access.ts';
import {
  createSiteCheckFactory,
  isLocalHost,
  type QuerySubject,
  querySite,
  type SiteCheckContext,
  type SiteResult,
  type Verdict,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = createSiteCheckFactory('dns');

/** Host names that do not exist, and that only a wildcard resolves. */
const UNUSED_LABELS = ['upi-wizard-check', 'no-such-host-of-the-design'] as const;
const PUBLIC_NAME = 'quay.io';

/** Checks of the name servers. */
export const DNS_CHECKS = [
  ZONE_FILE_CHECK,
  DNS_CLIENT_CHECK,
  /** Each name server answers. Only this check reports a silent server, which proves nothing about its names. */
  check('dns-server', 'fatal', (site) =>
    listNameServers(site).map((server) =>
      queryName(site, server, getApiName(site.design), 'A', server, ({ state, detail }) => ({
        state: isDnsSilent(state) ? 'failed' : 'ok',
        // The title already states that the server does not answer.
        detail: state === 'timeout' ? words().noReply : state === 'refused' ? words().noService : detail,
      })),
    ),
  ),
  /**
   * An answer that does not fit into a datagram is requested again over TCP (RFC 7766): a firewall that allows only UDP
   * 53 loses it.
   */
  check('dns-tcp', 'warning', (site) =>
    listNameServers(site).map((server) => {
      const querySubject = { subject: server, command: `dig @${server} +tcp ${getApiName(site.design)} A` };
      return queryIfServerAnswers(site, server, querySubject, () =>
        querySite(site, 'tcp', { host: server, port: 53 }, querySubject, ({ state, detail }) => ({
          state: state === 'open' || state === 'closed-at-once' ? 'ok' : 'failed',
          detail,
        })),
      );
    }),
  ),
  createForwardCheck('dns-api', 'fatal', 'api'),
  createForwardCheck('dns-api-int', 'fatal', 'api-int'),
  createForwardCheck('dns-apps-wildcard', 'fatal', 'apps'),
  createForwardCheck('dns-nodes', 'fatal', 'node'),
  createForwardCheck('dns-hosts', 'warning', 'host'),
  /**
   * The reverse record of every node's address is the node's name and no other: otherwise the node may take another
   * host name.
   */
  createReverseCheck('dns-reverse', 'fatal', true),
  /** The reverse records of the endpoints and the service hosts; the cluster does not depend on these records. */
  createReverseCheck('dns-reverse-others', 'warning', false),
  /**
   * No wildcard resolves every name of the cluster or of the base domain: the installation cannot complete with one
   * (openshift/assisted-service internal/host/validator.go isDNSWildcardNotConfigured).
   */
  check('dns-no-cluster-wildcard', 'fatal', (site) =>
    listNameServers(site).flatMap((server) =>
      [getClusterDomain(site.design), site.design.cluster.baseDomain].map((domain) => {
        const name = `${UNUSED_LABELS[0]}.${domain}`;
        return queryName(site, server, name, 'A', `*.${domain}`, ({ state, answers, detail }) =>
          state === 'answered'
            ? { state: 'failed', detail: words().wildcard(name, answers) }
            : { state: isDnsSilent(state) ? 'unknown' : 'ok', detail },
        );
      }),
    ),
  ),
  /**
   * A name with addresses of one IP version has none of the other: clients that prefer the other version would connect
   * to a wrong address. The zone's planned records do not show this.
   */
  check('dns-family', 'warning', (site) => {
    const names = listPlannedNames(site.design);
    const singleFamilyNames = names.filter(
      ({ group, name }) => group !== 'host' && names.filter((candidate) => candidate.name === name).length === 1,
    );
    return listNameServers(site).flatMap((server) =>
      singleFamilyNames.map(({ name, type }) => {
        const queriedName = name.replace('*', UNUSED_LABELS[0]);
        const [otherType, subject] = [type === 'A' ? 'AAAA' : 'A', formatSubject(site, queriedName, server)] as const;
        return queryName(site, server, queriedName, otherType, subject, ({ state, answers, detail }) =>
          state === 'answered' && answers.length > 0
            ? { state: 'failed', detail: words().unexpectedAddress(answers) }
            : { state: isDnsSilent(state) ? 'unknown' : 'ok', detail },
        );
      }),
    );
  }),
  /**
   * Nodes fetch images by public names, through these servers; a proxy resolves the names itself. A server that answers
   * for the cluster but refuses public names has recursion disabled, at least for this machine. This is correct for
   * outside clients, and wrong for a host of the site.
   */
  check('dns-upstream', 'warning', (site) => {
    if (site.design.imageDigestSources.length > 0 || getProxyUrl(site.design) !== null) return [];
    const isSiteHost = listServiceHosts(site.design).some((host) => isLocalHost(site, host));
    return listNameServers(site).map((server) => {
      const querySubject = { subject: `${PUBLIC_NAME} @${server}`, command: `dig @${server} ${PUBLIC_NAME} A` };
      return queryIfServerAnswers(site, server, querySubject, () =>
        queryUpstream(site, server, querySubject, isSiteHost),
      );
    });
  }),
];

/** Lists the name servers that nodes use. */
export function listNameServers({
  design,
  onlyHost,
}: Pick<SiteCheckContext, 'design' | 'onlyHost'>): readonly string[] {
  const { dns } = design.services;
  const servers = dns.kind === 'external' ? dns.forwarders : dns.servers.flatMap(({ ip }) => ip.slice(0, 1));
  return onlyHost === null ? servers : servers.filter((server) => onlyHost.ip.includes(server));
}

/** The planned addresses of a name, of one family; a wildcard begins with `*.`. */
interface PlannedName {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
  readonly addresses: readonly string[];
  readonly group: 'api' | 'api-int' | 'apps' | 'node' | 'host';
}

/** Lists the names of the zone: one query returns all addresses of a name and family. */
export function listPlannedNames(design: Design): PlannedName[] {
  const nodeNames = new Set(design.nodes.map((node) => getNodeFqdn(design, node)));
  const groupsByName = new Map<string, PlannedName['group']>([
    [`*.${getAppsDomain(design)}`, 'apps'],
    [getApiIntName(design), 'api-int'],
    [getApiName(design), 'api'],
  ]);
  const addressRecords = listAddressRecords(design).flatMap(({ records }) => records);
  return [...Map.groupBy(addressRecords, ({ name, type }) => `${type} ${name}`).values()].flatMap((nameRecords) => {
    const [firstRecord] = nameRecords;
    if (firstRecord === undefined) return [];
    const { name, type } = firstRecord;
    const group = groupsByName.get(name) ?? (nodeNames.has(name) ? 'node' : 'host');
    return [
      { name, type: type === 'AAAA' ? 'AAAA' : 'A', addresses: nameRecords.map(({ address }) => address), group },
    ];
  });
}

/** Lists the names of reverse records: with `isForNodes` those of the nodes, otherwise those of all other hosts. */
export function listReverseNames(design: Design, isForNodes: boolean): { address: string; names: string[] }[] {
  const nodeAddresses = new Set(design.nodes.flatMap(({ ip }) => ip));
  const records = listPointerRecords(design).filter(({ address }) => nodeAddresses.has(address) === isForNodes);
  return removeDuplicates(records.map(({ address }) => address)).map((address) => ({
    address,
    names: records.filter((record) => record.address === address).map(({ name }) => name),
  }));
}

function createForwardCheck<Id extends string>(id: Id, severity: Severity, group: PlannedName['group']) {
  return check(id, severity, (site) =>
    listNameServers(site).flatMap((server) =>
      listPlannedNames(site.design)
        .filter((plannedName) => plannedName.group === group)
        .flatMap(({ name, type, addresses }) =>
          // A wildcard resolves any label; a name that resolves for a single label is a plain record.
          (name.startsWith('*.') ? UNUSED_LABELS.map((label) => name.replace('*', label)) : [name]).map((queriedName) =>
            queryName(site, server, queriedName, type, formatSubject(site, queriedName, server), (answer) =>
              compareAnswers(answer, addresses),
            ),
          ),
        ),
    ),
  );
}

function createReverseCheck<Id extends string>(id: Id, severity: Severity, isForNodes: boolean) {
  return check(id, severity, (site) =>
    listNameServers(site).flatMap((server) =>
      listReverseNames(site.design, isForNodes).map(({ address, names }) =>
        queryName(site, server, address, 'PTR', formatSubject(site, address, server), (answer) => ({
          ...compareAnswers(answer, names),
          names: answer.answers,
        })),
      ),
    ),
  );
}

/**
 * Queries a public name. A name server that answers for its own zone and not for this name waits for its forwarders:
 * this is a failure if they do not answer this machine either.
 */
async function queryUpstream(
  site: SiteCheckContext,
  server: string,
  querySubject: QuerySubject,
  isSiteHost: boolean,
): Promise<SiteResult> {
  const { kind, forwarders } = site.design.services.dns;
  const isForwarding = kind !== 'external' && forwarders.length > 0;
  const states = await Promise.all(
    (isForwarding ? forwarders : []).map(async (forwarder) => {
      const answer = await site.probes.dns({ server: forwarder, name: PUBLIC_NAME, type: 'A' });
      return isUnmeasurable(answer) ? null : answer.state;
    }),
  );
  const areForwardersSilent = isForwarding && states.every((state) => state !== null && isDnsSilent(state));
  return await queryName(site, server, PUBLIC_NAME, 'A', querySubject.subject, ({ state, detail }) => {
    if (state === 'answered') return { state: 'ok', detail };
    if (state === 'refused')
      return { state: isSiteHost ? 'failed' : 'unknown', detail: words().refusesOthers(PUBLIC_NAME) };
    if (areForwardersSilent)
      return {
        state: 'failed',
        detail: words().silentForwarders(server, forwarders),
        remedy: words().forwarderRemedy(server, forwarders, PUBLIC_NAME),
      };
    if (state === 'timeout') return { state: 'unknown', detail: words().slowForwarders(server, PUBLIC_NAME) };
    return { state: 'failed', detail };
  });
}

/** Adds the address of the server if there are several. */
function formatSubject(site: SiteCheckContext, name: string, server: string): string {
  return listNameServers(site).length > 1 ? `${name} @${server}` : name;
}

export function queryName(
  site: SiteCheckContext,
  server: string | null,
  name: string,
  type: 'A' | 'AAAA' | 'PTR',
  subject: string,
  evaluate: (answer: ProbeAnswer<'dns'>) => Verdict | Promise<Verdict>,
): Promise<SiteResult> {
  const serverArgument = server === null ? '' : `@${server} `;
  const nameArguments = type === 'PTR' ? `-x ${name}` : `${name} ${type}`;
  const command = `dig ${serverArgument}${nameArguments}`;
  return querySite(site, 'dns', { server, name, type }, { subject, command }, evaluate);
}

/** Sends a second query only if the server answers the first one. Another check reports a server that does not. */
async function queryIfServerAnswers(
  site: SiteCheckContext,
  server: string,
  querySubject: QuerySubject,
  sendSecondQuery: () => Promise<SiteResult>,
): Promise<SiteResult> {
  const firstResult = await queryName(site, server, getApiName(site.design), 'A', server, ({ state, detail }) => ({
    state: isDnsSilent(state) ? 'unknown' : 'ok',
    detail,
  }));
  return firstResult.state === 'ok' ? await sendSecondQuery() : { ...firstResult, ...querySubject };
}

/** Compares the answers with the expected ones: they must match exactly. */
export function compareAnswers({ state, answers, detail }: ProbeAnswer<'dns'>, expected: readonly string[]): Verdict {
  if (isDnsSilent(state)) return { state: 'unknown', detail };
  const isEqual =
    answers.length === expected.length && expected.every((expectedAddress) => answers.includes(expectedAddress));
  if (isEqual) return { state: 'ok', detail: answers.join(', ') };
  return { state: 'failed', detail: words().expected(expected, answers, detail), mentions: answers };
}
