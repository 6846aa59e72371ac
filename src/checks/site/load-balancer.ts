import { catalogue } from '../../i18n/catalogue.ts';
import { formatUrlHost } from '../../platform/text.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import type { ExpectedSite } from './expected-site.ts';
import { type Query, type QueryVerdict, query, type SiteCheck } from './query.ts';

const words = () => catalogue().diagnosis.site.said;

/**
 * A server listens on each port of the endpoints. HAProxy without a member accepts and closes, which counts as
 * listening here.
 */
export const lbListens: SiteCheck<'lb-listens'> = {
  code: 'lb-listens',
  phase: 'load-balancer',
  severity: 'fatal',
  listQueries: (site) =>
    site.listeners.map(({ host, port }) =>
      query('tcp', { host, port }, { subject: `${host}:${port}`, command: `nc -vz ${host} ${port}` }, (answer) => {
        const { state, detail } = answer;
        if (state === 'open' || state === 'closed-at-once') return { state: 'ok', detail };
        // A load balancer that we do not generate may open its ports only when a member answers.
        const isExternal = state === 'refused' && site.balancers.length === 0;
        return { state: isExternal ? 'pending' : 'failed', detail };
      }),
    ),
};

/**
 * Each pool has exactly the members of the first stage. A missing or left-over member is a mistake that can cost days.
 */
export const lbMembers: SiteCheck<'lb-members'> = {
  code: 'lb-members',
  phase: 'load-balancer',
  severity: 'fatal',
  listQueries: (site) =>
    site.pools.flatMap((planned) =>
      queryBalancers(site, planned.pool, (answer) => {
        const actual = listMembers(answer, planned.pool);
        if (actual === null) return unknownVerdict();
        const wrong = describeDifferences(planned, actual);
        const names = actual.map(({ name }) => name).join(', ');
        return wrong.length === 0 ? { state: 'ok', detail: names } : { state: 'failed', detail: wrong.join('; ') };
      }),
    ),
};

/**
 * Until the bootstrap is complete, it serves the API and the machine config: without it no node gets its ignition
 * config.
 */
export const lbBootstrap: SiteCheck<'lb-bootstrap-present'> = {
  code: 'lb-bootstrap-present',
  phase: 'load-balancer',
  severity: 'fatal',
  listQueries: (site) => {
    const { bootstrap } = site;
    if (bootstrap === null) return [];
    const pools = site.pools.filter(({ members }) => members.includes(bootstrap));
    return pools.flatMap(({ pool }) =>
      queryBalancers(site, pool, (answer) => {
        const actual = listMembers(answer, pool);
        if (actual === null) return unknownVerdict();
        const names = actual.map(({ name }) => name);
        return { state: names.includes(bootstrap) ? 'ok' : 'failed', detail: names.join(', ') };
      }),
    );
  },
};

function queryBalancers(
  site: ExpectedSite,
  pool: string,
  evaluate: (answer: ProbeAnswer<'members'>) => QueryVerdict,
): Query[] {
  return site.balancers.map(({ name, address, statsPort }) => {
    const host = formatUrlHost(address);
    const command = `curl -s 'http://${host}:${statsPort}/;csv' | cut -d, -f1,2,18,74,76`;
    return query('members', { host: address, port: statsPort }, { subject: `${name} ${pool}`, command }, evaluate);
  });
}

type Members = NonNullable<ProbeAnswer<'members'>>;

/** Returns the members of one pool; null if the load balancer does not report them. */
function listMembers(answer: ProbeAnswer<'members'>, pool: string): Members | null {
  return answer === null ? null : answer.filter((each) => each.pool === pool);
}

/** Describes the differences of a pool from the plan: its members, their addresses, and whether it terminates TLS. */
function describeDifferences({ members, places, isOpaque }: ExpectedSite['pools'][number], actual: Members): string[] {
  const names = actual.map(({ name }) => name);
  const missing = members.filter((name) => !names.includes(name));
  const extra = names.filter((name) => !members.includes(name));
  const wrongTargets = actual.flatMap(({ name, address }) => {
    const target = places[members.indexOf(name)];
    if (target === undefined || address === undefined || address === target) return [];
    return words().otherTarget(name, address, target);
  });
  const terminatesTls = isOpaque && actual.some(({ mode }) => mode === 'http');
  return [
    ...(missing.length + extra.length > 0 ? [words().otherMembers(missing, extra)] : []),
    ...wrongTargets,
    ...(terminatesTls ? [words().terminatesTls] : []),
  ];
}

function unknownVerdict(): QueryVerdict {
  return { state: 'unknown', detail: words().noStatusPage };
}
