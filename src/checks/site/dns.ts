import { catalogue } from '../../i18n/catalogue.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import type { ExpectedSite } from './expected-site.ts';
import { type Query, type QueryVerdict, query, type SiteCheck } from './query.ts';

const words = () => catalogue().diagnosis.site.said;

/** Host names that do not exist, and that only a wildcard resolves. */
const UNUSED_LABELS = ['upi-wizard-check', 'no-such-host-of-the-design'] as const;
const PUBLIC_NAME = 'quay.io';

/** Each name server answers. Only this check reports a silent server, which proves nothing about its names. */
export const dnsServer: SiteCheck<'dns-server'> = {
  code: 'dns-server',
  phase: 'dns',
  severity: 'fatal',
  listQueries: (site) =>
    site.nameServers.map((server) =>
      queryName(server, `api.${site.clusterDomain}`, 'A', server, ({ state, detail }) => ({
        state: isSilent(state) ? 'failed' : 'ok',
        // The title already states that it does not answer.
        detail: state === 'timeout' ? words().noReply : state === 'refused' ? words().noService : detail,
      })),
    ),
};

/**
 * An answer that does not fit into a datagram is requested again over TCP (RFC 7766): a firewall that allows only UDP
 * 53 loses it.
 */
export const dnsTcp: SiteCheck<'dns-tcp'> = {
  code: 'dns-tcp',
  phase: 'dns',
  severity: 'warning',
  listQueries: (site) =>
    site.nameServers.map((server) => {
      const name = `api.${site.clusterDomain}`;
      const byUdp = queryName(server, name, 'A', server, ({ state, detail }) => ({
        state: isSilent(state) ? 'unknown' : 'ok',
        detail,
      }));
      const about = { subject: server, command: `dig @${server} +tcp ${name} A` };
      const byTcp = query('tcp', { host: server, port: 53 }, about, ({ state, detail }) => ({
        state: state === 'open' || state === 'closed-at-once' ? 'ok' : 'failed',
        detail,
      }));
      return {
        ...byTcp,
        run: async (probes) => {
          const udpVerdict = await byUdp.run(probes);
          // Another check reports a server that does not answer at all.
          return udpVerdict.state === 'ok' ? await byTcp.run(probes) : udpVerdict;
        },
      };
    }),
};

/**
 * A name with addresses of one IP version has none of the other: clients that prefer the other version would connect to
 * a wrong address. The zone's planned records do not show this.
 */
export const dnsFamily: SiteCheck<'dns-family'> = {
  code: 'dns-family',
  phase: 'dns',
  severity: 'warning',
  listQueries: (site) =>
    site.nameServers.flatMap((server) =>
      site.names
        .filter(({ of, name }) => of !== 'host' && site.names.filter((each) => each.name === name).length === 1)
        .map(({ name, type }) => {
          const queriedName = name.replace('*', UNUSED_LABELS[0]);
          const other = type === 'A' ? 'AAAA' : 'A';
          return queryName(
            server,
            queriedName,
            other,
            formatSubject(site, queriedName, server),
            ({ state, answers, detail }) =>
              state === 'answered'
                ? { state: 'failed', detail: words().unexpectedAddress(answers) }
                : { state: isSilent(state) ? 'unknown' : 'ok', detail },
          );
        }),
    ),
};

export const dnsApi = forwardCheck('dns-api', 'api');
export const dnsApiInt = forwardCheck('dns-api-int', 'api-int');
export const dnsApps = forwardCheck('dns-apps-wildcard', 'apps');
export const dnsNodes = forwardCheck('dns-nodes', 'node');
export const dnsHosts: SiteCheck<'dns-hosts'> = { ...forwardCheck('dns-hosts', 'host'), severity: 'warning' };

/**
 * The reverse record of every node's address is the node's name and no other: otherwise the node may take another host
 * name.
 */
export const dnsReverse: SiteCheck<'dns-reverse'> = reverseCheck('dns-reverse', true, 'fatal');
/** The same for the endpoints and the service hosts; the cluster does not depend on these records. */
export const dnsReverseOthers: SiteCheck<'dns-reverse-others'> = reverseCheck('dns-reverse-others', false, 'warning');

/**
 * No wildcard resolves every name of the cluster or of the base domain: the installation cannot complete with one
 * (openshift/assisted-service internal/host/validator.go isDNSWildcardNotConfigured).
 */
export const dnsNoWildcard: SiteCheck<'dns-no-cluster-wildcard'> = {
  code: 'dns-no-cluster-wildcard',
  phase: 'dns',
  severity: 'fatal',
  listQueries: (site) =>
    site.nameServers.flatMap((server) =>
      [site.clusterDomain, site.baseDomain].map((domain) => {
        const name = `${UNUSED_LABELS[0]}.${domain}`;
        return queryName(server, name, 'A', `*.${domain}`, ({ state, answers, detail }) =>
          state === 'answered'
            ? { state: 'failed', detail: words().wildcard(name, answers) }
            : { state: isSilent(state) ? 'unknown' : 'ok', detail },
        );
      }),
    ),
};

/**
 * Nodes fetch images by public names, through these servers; a proxy resolves the names itself. A server that answers
 * for the cluster but refuses public names has recursion disabled, at least for us. This is correct for outside
 * clients, and wrong for a host of the site.
 */
export const dnsUpstream: SiteCheck<'dns-upstream'> = {
  code: 'dns-upstream',
  phase: 'dns',
  severity: 'warning',
  listQueries: (site) => {
    if (!site.isConnected || site.registries.proxy !== null) return [];
    const isOurs = site.hosts.some(({ isSelf }) => isSelf);
    return site.nameServers.map((server) => {
      const clusterQuery = queryName(server, `api.${site.clusterDomain}`, 'A', server, ({ state, detail }) => ({
        state: isSilent(state) ? 'unknown' : 'ok',
        detail,
      }));
      const publicQuery = queryName(server, PUBLIC_NAME, 'A', `${PUBLIC_NAME} @${server}`, ({ state, detail }) => {
        if (state === 'refused')
          return { state: isOurs ? 'failed' : 'unknown', detail: words().refusesOthers(PUBLIC_NAME) };
        return { state: state === 'answered' ? 'ok' : state === 'timeout' ? 'unknown' : 'failed', detail };
      });
      return {
        ...publicQuery,
        run: async (probes) => {
          const clusterVerdict = await clusterQuery.run(probes);
          // Another check reports a server that does not answer at all.
          return clusterVerdict.state === 'ok' ? await publicQuery.run(probes) : clusterVerdict;
        },
      };
    });
  },
};

/** This machine itself resolves the API and the console: openshift-install and oc run here. */
export const dnsResolver: SiteCheck<'dns-resolver'> = {
  code: 'dns-resolver',
  phase: 'dns',
  severity: 'warning',
  listQueries: (site) =>
    site.names
      .filter(({ of }) => of === 'api' || of === 'apps')
      .map(({ name, type, addresses }) => {
        const queriedName = name.replace('*.', 'console-openshift-console.');
        return queryName(null, queriedName, type, queriedName, (answer) => compareAnswers(answer, addresses));
      }),
};

/**
 * The same for the nodes. The generated files use addresses, so these names matter only to a user who connects to a
 * node by name.
 */
export const dnsResolverOthers: SiteCheck<'dns-resolver-nodes'> = {
  code: 'dns-resolver-nodes',
  phase: 'dns',
  severity: 'note',
  listQueries: (site) => [
    ...site.names
      .filter(({ of }) => of === 'api-int' || of === 'node')
      .map(({ name, type, addresses }) =>
        queryName(null, name, type, name, (answer) => compareAnswers(answer, addresses)),
      ),
    ...site.reverse
      .filter(({ isOfNode }) => isOfNode)
      .map(({ address, names }) => queryName(null, address, 'PTR', address, (answer) => compareAnswers(answer, names))),
  ],
};

function forwardCheck<Code extends string>(code: Code, of: ExpectedSite['names'][number]['of']): SiteCheck<Code> {
  return {
    code,
    phase: 'dns',
    severity: 'fatal',
    listQueries: (site) =>
      site.nameServers.flatMap((server) =>
        site.names
          .filter((each) => each.of === of)
          .flatMap(({ name, type, addresses }) =>
            // A wildcard resolves any label; a name that resolves for a single label is a plain record.
            (name.startsWith('*.') ? UNUSED_LABELS.map((label) => name.replace('*', label)) : [name]).map(
              (queriedName) =>
                queryName(server, queriedName, type, formatSubject(site, queriedName, server), (answer) =>
                  compareAnswers(answer, addresses),
                ),
            ),
          ),
      ),
  };
}

function reverseCheck<Code extends string>(
  code: Code,
  isOfNode: boolean,
  severity: SiteCheck['severity'],
): SiteCheck<Code> {
  return {
    code,
    phase: 'dns',
    severity,
    listQueries: (site) =>
      site.nameServers.flatMap((server) =>
        site.reverse
          .filter((each) => each.isOfNode === isOfNode)
          .map(({ address, names }) =>
            queryName(server, address, 'PTR', formatSubject(site, address, server), (answer) =>
              compareAnswers(answer, names),
            ),
          ),
      ),
  };
}

/** With a single server its address adds nothing. */
function formatSubject({ nameServers }: ExpectedSite, name: string, server: string): string {
  return nameServers.length > 1 ? `${name} @${server}` : name;
}

function queryName(
  server: string | null,
  name: string,
  type: 'A' | 'AAAA' | 'PTR',
  subject: string,
  evaluate: (answer: ProbeAnswer<'dns'>) => QueryVerdict,
): Query {
  const serverArgument = server === null ? '' : `@${server} `;
  const nameArguments = type === 'PTR' ? `-x ${name}` : `${name} ${type}`;
  return query('dns', { server, name, type }, { subject, command: `dig ${serverArgument}${nameArguments}` }, evaluate);
}

function isSilent(state: ProbeAnswer<'dns'>['state']): boolean {
  return state === 'timeout' || state === 'refused';
}

/** Compares the answers with the expected ones: they must match exactly. */
function compareAnswers({ state, answers, detail }: ProbeAnswer<'dns'>, expected: readonly string[]): QueryVerdict {
  if (isSilent(state)) return { state: 'unknown', detail };
  const isEqual = answers.length === expected.length && expected.every((each) => answers.includes(each));
  if (isEqual) return { state: 'ok', detail: answers.join(', ') };
  return { state: 'failed', detail: words().expected(expected, answers, detail) };
}
