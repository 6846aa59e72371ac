import { getAppsDomain } from '../design/derived-facts.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { readRouterAuthority } from '../kube/router-authority.ts';
import { SECOND } from '../platform/clock.ts';
import { probeTls } from '../probes/tls-probe.ts';
import type { InfraContext, Traffic } from './context.ts';
import type { MoveName } from './moves.ts';

/** The moves that change where the traffic of users goes. */
const TRAFFIC_MOVES: ReadonlySet<MoveName> = new Set<MoveName>(['lb-add', 'router', 'lb-final']);
/** Five requests a second (ms of the clock), each on a new connection. */
const REQUEST_INTERVAL = SECOND / 5;
const TRAFFIC_REQUEST_TIMEOUT = 5 * SECOND;
/**
 * Minimum timeout of a request in real ms: on a fast clock, a slow response of a busy machine must not count as an
 * outage.
 */
const MIN_REAL_TIMEOUT = 10_000;
const ROUTES = ['console-openshift-console', 'canary-openshift-ingress-canary'];

/** Sends one request. @returns the error; null if it was answered */
type TrafficProbe = () => Promise<string | null>;

/**
 * Runs an action while requests go to the console's route, the canary and the API. They are sent as users send them:
 * through the ingress endpoint, with SNI, trusting only the cluster's CA. Targets that do not answer before the action
 * are left out.
 * @param onTraffic called after each request
 * @returns the result of the action, and the traffic; null without targets, or if the move does not affect traffic
 */
export async function runUnderTraffic<T>(
  infra: InfraContext,
  move: MoveName,
  act: () => Promise<T>,
  onTraffic: (traffic: Traffic) => void,
): Promise<{ readonly result: T; readonly traffic: Traffic | null }> {
  const targets = TRAFFIC_MOVES.has(move) ? await findAnsweringTargets(infra) : [];
  if (targets.length === 0) return { result: await act(), traffic: null };
  let traffic: Traffic = { requests: 0, failed: 0, failure: null };
  const completion = new AbortController();
  const watch = async () => {
    for (let requestIndex = 0; !completion.signal.aborted; requestIndex += 1) {
      const failure = (await targets[requestIndex % targets.length]?.()) ?? null;
      const failedCount = traffic.failed + (failure === null ? 0 : 1);
      traffic = { requests: traffic.requests + 1, failed: failedCount, failure: traffic.failure ?? failure };
      onTraffic(traffic);
      await infra.clock.sleep(REQUEST_INTERVAL, completion.signal).catch(() => undefined);
    }
  };
  const watchTask = watch();
  try {
    const result = await act();
    completion.abort();
    await watchTask;
    return { result, traffic };
  } finally {
    completion.abort();
    await watchTask;
  }
}

/**
 * Runs an action under traffic, updates the counts in the cache after each request, and reports them at the end.
 * @param shouldSave whether to save the traffic for the report: true if the move is applied, false if it is undone
 */
export async function runWithTrafficReport<T>(
  infra: InfraContext,
  move: MoveName,
  act: () => Promise<T>,
  emit: (event: { readonly type: 'message'; readonly line: string }) => void,
  shouldSave: boolean,
): Promise<T> {
  const { directory } = infra;
  const { result, traffic } = await runUnderTraffic(infra, move, act, (currentTraffic) => {
    if (directory !== null) directory.cache.traffic = { move, ...currentTraffic };
  });
  if (traffic === null || directory === null) return result;
  if (shouldSave) directory.saveTraffic(move, traffic);
  emit({ type: 'message', line: catalogue().steps.traffic.counted(move, traffic) });
  return result;
}

/** Finds the targets that answer now. There are none without routers, or if their CA cannot be read. */
async function findAnsweringTargets(infra: InfraContext): Promise<TrafficProbe[]> {
  const targets = await listTargets(infra).catch(() => []);
  const targetLists = await Promise.all(targets.map(async (probe) => ((await probe()) === null ? [probe] : [])));
  return targetLists.flat();
}

async function listTargets({ directory, clock, connect, design }: InfraContext): Promise<TrafficProbe[]> {
  // Without an install directory, the endpoints of the hosts are not known.
  if (directory === null) return [];
  const cluster = await connect();
  const apiTarget: TrafficProbe = async () => {
    const why = await cluster.probeReadyz().catch((error: unknown) => String(error));
    return why === null ? null : catalogue().steps.traffic.api(why);
  };
  const authority = await readRouterAuthority(cluster);
  if (authority === null) return [];
  const routeTargets = design.endpoints.ingress.flatMap((server) =>
    ROUTES.map((route): TrafficProbe => {
      const url = `https://${route}.${getAppsDomain(design)}/${route.startsWith('canary') ? 'healthz' : ''}`;
      const options = {
        server,
        authorities: [authority.pem],
        timeoutMs: TRAFFIC_REQUEST_TIMEOUT,
        minimumMs: MIN_REAL_TIMEOUT,
      };
      return async () => {
        const { state, status, detail } = await probeTls(directory.resolveEndpoint, clock, url, options);
        return state === 'answered' && (status ?? 500) < 500 ? null : detail;
      };
    }),
  );
  return [...routeTargets, apiTarget];
}
