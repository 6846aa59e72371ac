import { catalogue } from '../../text/catalogue.ts';
import type { Answer } from './exchange.ts';
import { type Ask, ask, type SiteCheck, type Verdict } from './question.ts';
import type { Site } from './site.ts';

const words = () => catalogue().diagnosis.site.said;

/** Names that nobody has, and that a wildcard would answer. */
const NOBODY = ['upi-wizard-check', 'no-such-host-of-the-design'] as const;
const OUTSIDE = 'quay.io';

/** A name server that does not answer proves nothing of its names: that is said once, by this check. */
export const dnsServer: SiteCheck<'dns-server'> = {
  code: 'dns-server',
  phase: 'dns',
  severity: 'fatal',
  asks: (site) =>
    site.nameServers.map((server) =>
      askName(server, `api.${site.clusterDomain}`, 'A', server, ({ state, detail }) => ({
        state: isSilent(state) ? 'failed' : 'ok',
        // The title says that it does not answer.
        detail: state === 'timeout' ? words().noReply : state === 'refused' ? words().noService : detail,
      })),
    ),
};

/** An answer that does not fit into a datagram is asked for again over TCP (RFC 7766): a firewall that only knows UDP 53 loses it. */
export const dnsTcp: SiteCheck<'dns-tcp'> = {
  code: 'dns-tcp',
  phase: 'dns',
  severity: 'warning',
  asks: (site) =>
    site.nameServers.map((server) => {
      const name = `api.${site.clusterDomain}`;
      const byUdp = askName(server, name, 'A', server, ({ state, detail }) => ({
        state: isSilent(state) ? 'unknown' : 'ok',
        detail,
      }));
      const about = { subject: server, command: `dig @${server} +tcp ${name} A` };
      const byTcp = ask('tcp', { host: server, port: 53 }, about, ({ state, detail }) => ({
        state: state === 'open' || state === 'closed-at-once' ? 'ok' : 'failed',
        detail,
      }));
      return {
        ...byTcp,
        put: async (askers) => {
          const before = await byUdp.put(askers);
          // One that is silent altogether is told once.
          return before.state === 'ok' ? await byTcp.put(askers) : before;
        },
      };
    }),
};

/** A name with addresses of one IP version has none of the other: who prefers that one goes astray, and it never shows in a look at the zone's own records. */
export const dnsFamily: SiteCheck<'dns-family'> = {
  code: 'dns-family',
  phase: 'dns',
  severity: 'warning',
  asks: (site) =>
    site.nameServers.flatMap((server) =>
      site.names
        .filter(({ of, name }) => of !== 'host' && site.names.filter((each) => each.name === name).length === 1)
        .map(({ name, type }) => {
          const asked = name.replace('*', NOBODY[0]);
          const other = type === 'A' ? 'AAAA' : 'A';
          return askName(server, asked, other, subjectOf(site, asked, server), ({ state, answers, detail }) =>
            state === 'answered'
              ? { state: 'failed', detail: words().alsoAddress(answers) }
              : { state: isSilent(state) ? 'unknown' : 'ok', detail },
          );
        }),
    ),
};

export const dnsApi = forward('dns-api', 'api');
export const dnsApiInt = forward('dns-api-int', 'api-int');
export const dnsApps = forward('dns-apps-wildcard', 'apps');
export const dnsNodes = forward('dns-nodes', 'node');
export const dnsHosts: SiteCheck<'dns-hosts'> = { ...forward('dns-hosts', 'host'), severity: 'warning' };

/** Every node's address has the node's name and no other, or the node may call itself otherwise. */
export const dnsReverse: SiteCheck<'dns-reverse'> = reverse('dns-reverse', true, 'fatal');
/** The same for the endpoints and the service hosts, which nothing depends on. */
export const dnsReverseOthers: SiteCheck<'dns-reverse-others'> = reverse('dns-reverse-others', false, 'warning');

/**
 * No wildcard answers for all names of the cluster or of the base domain: the installation cannot complete with one
 * (openshift/assisted-service internal/host/validator.go isDNSWildcardNotConfigured).
 */
export const dnsNoWildcard: SiteCheck<'dns-no-cluster-wildcard'> = {
  code: 'dns-no-cluster-wildcard',
  phase: 'dns',
  severity: 'fatal',
  asks: (site) =>
    site.nameServers.flatMap((server) =>
      [site.clusterDomain, site.baseDomain].map((domain) => {
        const name = `${NOBODY[0]}.${domain}`;
        return askName(server, name, 'A', `*.${domain}`, ({ state, answers, detail }) =>
          state === 'answered'
            ? { state: 'failed', detail: words().wildcard(name, answers) }
            : { state: isSilent(state) ? 'unknown' : 'ok', detail },
        );
      }),
    ),
};

/**
 * Nodes fetch images by names of the internet, through these servers; a proxy looks the names up itself. One that answers for the
 * cluster and refuses these has recursion off, or not for us: right towards a stranger, wrong towards a host of the site.
 */
export const dnsUpstream: SiteCheck<'dns-upstream'> = {
  code: 'dns-upstream',
  phase: 'dns',
  severity: 'warning',
  asks: (site) => {
    if (!site.isConnected || site.registries.proxy !== null) return [];
    const isOurs = site.hosts.some(({ isSelf }) => isSelf);
    return site.nameServers.map((server) => {
      const own = askName(server, `api.${site.clusterDomain}`, 'A', server, ({ state, detail }) => ({
        state: isSilent(state) ? 'unknown' : 'ok',
        detail,
      }));
      const outside = askName(server, OUTSIDE, 'A', `${OUTSIDE} @${server}`, ({ state, detail }) => {
        if (state === 'refused')
          return { state: isOurs ? 'failed' : 'unknown', detail: words().refusesOthers(OUTSIDE) };
        return { state: state === 'answered' ? 'ok' : state === 'timeout' ? 'unknown' : 'failed', detail };
      });
      return {
        ...outside,
        put: async (askers) => {
          const before = await own.put(askers);
          // One that is silent altogether is told once.
          return before.state === 'ok' ? await outside.put(askers) : before;
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
  asks: (site) =>
    site.names
      .filter(({ of }) => of === 'api' || of === 'apps')
      .map(({ name, type, addresses }) => {
        const asked = name.replace('*.', 'console-openshift-console.');
        return askName(null, asked, type, asked, (answer) => same(answer, addresses));
      }),
};

/** The same for the nodes: the files say where they are, so that only a person who looks for one by name misses it. */
export const dnsResolverOthers: SiteCheck<'dns-resolver-nodes'> = {
  code: 'dns-resolver-nodes',
  phase: 'dns',
  severity: 'note',
  asks: (site) => [
    ...site.names
      .filter(({ of }) => of === 'api-int' || of === 'node')
      .map(({ name, type, addresses }) => askName(null, name, type, name, (answer) => same(answer, addresses))),
    ...site.reverse
      .filter(({ isOfNode }) => isOfNode)
      .map(({ address, names }) => askName(null, address, 'PTR', address, (answer) => same(answer, names))),
  ],
};

function forward<Code extends string>(code: Code, of: Site['names'][number]['of']): SiteCheck<Code> {
  return {
    code,
    phase: 'dns',
    severity: 'fatal',
    asks: (site) =>
      site.nameServers.flatMap((server) =>
        site.names
          .filter((each) => each.of === of)
          .flatMap(({ name, type, addresses }) =>
            // A wildcard answers for any name; one that answers for a single name is a record.
            (name.startsWith('*.') ? NOBODY.map((label) => name.replace('*', label)) : [name]).map((asked) =>
              askName(server, asked, type, subjectOf(site, asked, server), (answer) => same(answer, addresses)),
            ),
          ),
      ),
  };
}

function reverse<Code extends string>(code: Code, isOfNode: boolean, severity: SiteCheck['severity']): SiteCheck<Code> {
  return {
    code,
    phase: 'dns',
    severity,
    asks: (site) =>
      site.nameServers.flatMap((server) =>
        site.reverse
          .filter((each) => each.isOfNode === isOfNode)
          .map(({ address, names }) =>
            askName(server, address, 'PTR', subjectOf(site, address, server), (answer) => same(answer, names)),
          ),
      ),
  };
}

/** With one server its address says nothing. */
function subjectOf({ nameServers }: Site, name: string, server: string): string {
  return nameServers.length > 1 ? `${name} @${server}` : name;
}

function askName(
  server: string | null,
  name: string,
  type: 'A' | 'AAAA' | 'PTR',
  subject: string,
  judge: (answer: Answer<'dns'>) => Verdict,
): Ask {
  const at = server === null ? '' : `@${server} `;
  const what = type === 'PTR' ? `-x ${name}` : `${name} ${type}`;
  return ask('dns', { server, name, type }, { subject, command: `dig ${at}${what}` }, judge);
}

function isSilent(state: Answer<'dns'>['state']): boolean {
  return state === 'timeout' || state === 'refused';
}

/** The answers are exactly these. */
function same({ state, answers, detail }: Answer<'dns'>, want: readonly string[]): Verdict {
  if (isSilent(state)) return { state: 'unknown', detail };
  const isSame = answers.length === want.length && want.every((each) => answers.includes(each));
  if (isSame) return { state: 'ok', detail: answers.join(', ') };
  return { state: 'failed', detail: words().expected(want, answers, detail) };
}
