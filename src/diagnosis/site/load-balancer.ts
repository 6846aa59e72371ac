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
    site.pools.flatMap(({ pool, members }) =>
      eachBalancer(site, pool, (answer) => {
        const there = membersOf(answer, pool);
        if (there === null) return silent();
        const missing = members.filter((name) => !there.includes(name));
        const more = there.filter((name) => !members.includes(name));
        const isSame = missing.length === 0 && more.length === 0;
        return isSame
          ? { state: 'ok', detail: there.join(', ') }
          : { state: 'failed', detail: words().otherMembers(missing, more) };
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
        return { state: there.includes(bootstrap) ? 'ok' : 'failed', detail: there.join(', ') };
      }),
    );
  },
};

function eachBalancer(site: Site, pool: string, judge: (answer: Answer<'members'>) => Verdict): Ask[] {
  return site.balancers.map(({ name, address, statsPort }) => {
    const host = urlHost(address);
    const command = `curl -s 'http://${host}:${statsPort}/;csv' | cut -d, -f1,2,18`;
    return ask('members', { host: address, port: statsPort }, { subject: `${name} ${pool}`, command }, judge);
  });
}

/** Null where the balancer does not tell. */
function membersOf(answer: Answer<'members'>, pool: string): string[] | null {
  return answer === null ? null : answer.filter((each) => each.pool === pool).map(({ name }) => name);
}

function silent(): Verdict {
  return { state: 'unknown', detail: words().noStatusPage };
}
