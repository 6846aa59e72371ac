import { tlsProbe } from '../../bastion/probes/probes.ts';
import { readRouterAuthority } from '../../cluster/router-authority.ts';
import { appsDomain } from '../../design/names.ts';
import type { MoveName } from '../../moves/table.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { MoveSite } from './site.ts';

/** What users would have noticed while a move was made. */
export interface Traffic {
  readonly requests: number;
  readonly failed: number;
  /** Of the first that failed, in words; null where none did. */
  readonly failure: string | null;
}

/** The moves that change where the traffic of users goes. */
const WATCHED: ReadonlySet<MoveName> = new Set<MoveName>(['lb-add', 'router', 'lb-final']);
/** Five requests a second (ms of the clock), each on a connection of its own. */
const PAUSE = SECOND / 5;
const TIMEOUT = 5 * SECOND;
/** On a site whose time runs fast, a request still gets this long (real ms): a busy machine is no outage. */
const LEAST_TIMEOUT = 10_000;
const ROUTES = ['console-openshift-console', 'canary-openshift-ingress-canary'];

/** One request; null: it was answered. */
type Ask = () => Promise<string | null>;

/**
 * Does something while the console's route, the canary and the API are asked as users ask them: through the ingress endpoint,
 * with the name in TLS, believing only the cluster's authority. What does not answer before is not asked.
 * @param tell after each request
 * @returns what was done, and the traffic; null where there was nothing to ask, or the move moves no traffic
 */
export async function underTraffic<T>(
  site: MoveSite,
  move: MoveName,
  act: () => Promise<T>,
  tell: (traffic: Traffic) => void,
): Promise<{ readonly result: T; readonly traffic: Traffic | null }> {
  const targets = WATCHED.has(move) ? await answering(site) : [];
  if (targets.length === 0) return { result: await act(), traffic: null };
  let traffic: Traffic = { requests: 0, failed: 0, failure: null };
  const ended = new AbortController();
  const watch = async () => {
    for (let turn = 0; !ended.signal.aborted; turn += 1) {
      const failure = (await targets[turn % targets.length]?.()) ?? null;
      const failed = traffic.failed + (failure === null ? 0 : 1);
      traffic = { requests: traffic.requests + 1, failed, failure: traffic.failure ?? failure };
      tell(traffic);
      await site.clock.sleep(PAUSE, ended.signal).catch(() => undefined);
    }
  };
  const watching = watch();
  try {
    const result = await act();
    ended.abort();
    await watching;
    return { result, traffic };
  } finally {
    ended.abort();
    await watching;
  }
}

/**
 * The same, shown live and told at its end.
 * @param isKept for the report: what users noticed while the move was made, not while it was taken back
 */
export async function watched<T>(
  site: MoveSite,
  move: MoveName,
  act: () => Promise<T>,
  say: (told: { readonly type: 'told'; readonly line: string }) => void,
  isKept: boolean,
): Promise<T> {
  const { context } = site;
  const { result, traffic } = await underTraffic(site, move, act, (now) => {
    if (context !== null) context.recollection.traffic = { move, ...now };
  });
  if (traffic === null || context === null) return result;
  if (isKept) context.memory.set('traffic', { ...context.memory.get('traffic'), [move]: traffic });
  say({ type: 'told', line: catalogue().steps.traffic.counted(move, traffic) });
  return result;
}

/** What answers now. Without routers, or where we cannot see who signs for them, nothing of theirs. */
async function answering(site: MoveSite): Promise<Ask[]> {
  const all = await asks(site).catch(() => []);
  const found = await Promise.all(all.map(async (ask) => ((await ask()) === null ? [ask] : [])));
  return found.flat();
}

async function asks({ context, clock, connect, design }: MoveSite): Promise<Ask[]> {
  // Without an install directory nobody says how hosts are reached.
  if (context === null) return [];
  const cluster = await connect();
  const api: Ask = async () => {
    const why = await cluster.readyz().catch((error: unknown) => String(error));
    return why === null ? null : catalogue().steps.traffic.api(why);
  };
  const authority = await readRouterAuthority(cluster);
  if (authority === null) return [];
  const ofRoutes = design.endpoints.ingress.flatMap((server) =>
    ROUTES.map((route): Ask => {
      const url = `https://${route}.${appsDomain(design)}/${route.startsWith('canary') ? 'healthz' : ''}`;
      const options = { server, authorities: [authority.pem], timeoutMs: TIMEOUT, leastMs: LEAST_TIMEOUT };
      return async () => {
        const { state, status, detail } = await tlsProbe(context.reach, clock, url, options);
        return state === 'answered' && (status ?? 500) < 500 ? null : detail;
      };
    }),
  );
  return [...ofRoutes, api];
}
