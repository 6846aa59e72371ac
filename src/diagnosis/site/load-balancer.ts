import { catalogue } from '../../text/catalogue.ts';
import { urlHost } from '../../text/url-host.ts';
import type { Answer } from './exchange.ts';
import { type Ask, ask, type SiteCheck, type Verdict } from './question.ts';
import type { Site } from './site.ts';

const words = () => catalogue().diagnosis.site.said;

/** Each endpoint has its port. HAProxy without a member accepts and closes: it listens, which is the question here. */
export const lbListens: SiteCheck<'lb-listens'> = {
  code: 'lb-listens',
  phase: 'load-balancer',
  severity: 'fatal',
  asks: (site) =>
    site.listeners.map(({ host, port }) =>
      ask('tcp', { host, port }, { subject: `${host}:${port}`, command: `nc -vz ${host} ${port}` }, (answer) => {
        const { state, detail } = answer;
        if (state === 'open' || state === 'closed-at-once') return { state: 'ok', detail };
        // One that we do not generate may open its ports only when a member answers.
        const isTheirs = state === 'refused' && site.balancers.length === 0;
        return { state: isTheirs ? 'pending' : 'failed', detail };
      }),
    ),
};

/** Each pool has exactly the members of the first stage: one that is missing or left over is the mistake that costs days. */
export const lbMembers: SiteCheck<'lb-members'> = {
  code: 'lb-members',
  phase: 'load-balancer',
  severity: 'fatal',
  asks: (site) =>
    site.pools.flatMap((planned) =>
      eachBalancer(site, planned.pool, (answer) => {
        const there = membersOf(answer, planned.pool);
        if (there === null) return silent();
        const wrong = otherThan(planned, there);
        const names = there.map(({ name }) => name).join(', ');
        return wrong.length === 0 ? { state: 'ok', detail: names } : { state: 'failed', detail: wrong.join('; ') };
      }),
    ),
};

/** Until the bootstrap is complete it serves the API and the machine config: without it no node gets its ignition. */
export const lbBootstrap: SiteCheck<'lb-bootstrap-present'> = {
  code: 'lb-bootstrap-present',
  phase: 'load-balancer',
  severity: 'fatal',
  asks: (site) => {
    const { bootstrap } = site;
    if (bootstrap === null) return [];
    const pools = site.pools.filter(({ members }) => members.includes(bootstrap));
    return pools.flatMap(({ pool }) =>
      eachBalancer(site, pool, (answer) => {
        const there = membersOf(answer, pool);
        if (there === null) return silent();
        const names = there.map(({ name }) => name);
        return { state: names.includes(bootstrap) ? 'ok' : 'failed', detail: names.join(', ') };
      }),
    );
  },
};

function eachBalancer(site: Site, pool: string, judge: (answer: Answer<'members'>) => Verdict): Ask[] {
  return site.balancers.map(({ name, address, statsPort }) => {
    const host = urlHost(address);
    const command = `curl -s 'http://${host}:${statsPort}/;csv' | cut -d, -f1,2,18,74,76`;
    return ask('members', { host: address, port: statsPort }, { subject: `${name} ${pool}`, command }, judge);
  });
}

type Members = NonNullable<Answer<'members'>>;

/** Null where the balancer does not tell. */
function membersOf(answer: Answer<'members'>, pool: string): Members | null {
  return answer === null ? null : answer.filter((each) => each.pool === pool);
}

/** In words, what a pool has otherwise than planned: who is in it, where they are, and whether it opens TLS. */
function otherThan({ members, places, isOpaque }: Site['pools'][number], there: Members): string[] {
  const names = there.map(({ name }) => name);
  const missing = members.filter((name) => !names.includes(name));
  const more = names.filter((name) => !members.includes(name));
  const misled = there.flatMap(({ name, address }) => {
    const place = places[members.indexOf(name)];
    if (place === undefined || address === undefined || address === place) return [];
    return words().otherPlace(name, address, place);
  });
  const isOpened = isOpaque && there.some(({ mode }) => mode === 'http');
  return [
    ...(missing.length + more.length > 0 ? [words().otherMembers(missing, more)] : []),
    ...misled,
    ...(isOpened ? [words().opensTls] : []),
  ];
}

function silent(): Verdict {
  return { state: 'unknown', detail: words().noStatusPage };
}
