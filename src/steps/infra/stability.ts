import { appsDomain } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { MoveName } from '../../infra/moves.ts';
import { createClusterReader } from '../../infra/send-edits.ts';
import { isClusterError } from '../../kube/errors.ts';
import { readRouterAuthority } from '../../kube/kubeconfig.ts';
import { deriveOperatorHealth, operatorView } from '../../openshift/operator.ts';
import { MINUTE, SECOND, startWaitTimer } from '../../platform/clock.ts';
import { probeTls } from '../../probes/tls-probe.ts';
import type { ObservedMove } from '../probe-cache.ts';
import type { InfraContext } from './infra-context.ts';
import { isSatisfied } from './move-predicates.ts';
import { probeMoves, withSharedConnection } from './probe.ts';

const words = () => catalogue().steps.infra;
const POLL_INTERVAL = 10 * SECOND;
/** `oc adm wait-for-stable-cluster` gives up after an hour. */
const TIMEOUT = 60 * MINUTE;
/** With a fast clock, that hour is only seconds of a machine that may be busy. */
const MIN_PROBES = 30;

/** The result of watching applied moves. */
interface Stability {
  readonly moves: readonly ObservedMove[];
  /** Why it is not stable; null: everything was stable for the required time. */
  readonly why: string | null;
}

/**
 * Watches until all moves are done, and all operators healthy, for the required time without a break. A rollout in
 * progress and an unavailable API restart the time; a move that is not applied, or failed, ends the watch.
 * @param duration the required time, in ms
 * @param onProbe called at each probe with the reason why the time has not begun, or since when it runs (ms of the
 * clock)
 */
export async function watchStability(
  infra: InfraContext,
  names: readonly MoveName[],
  duration: number,
  onProbe: (why: string, since: number) => void,
): Promise<Stability> {
  const { clock, signal } = infra;
  const startedAt = clock.now();
  const wait = startWaitTimer(clock);
  let since: number | null = null;
  for (;;) {
    const { moves, why, isOver } = await probeStability(infra, names);
    const now = clock.now();
    since = why === null ? Math.min(since ?? now, now) : null;
    if (isOver) return { moves, why };
    if (since !== null && now - since >= duration) return { moves, why: null };
    if (wait.isOver(TIMEOUT + duration, MIN_PROBES)) return { moves, why: why ?? words().unstable };
    onProbe(why ?? words().stabilizing(Math.round(duration / MINUTE)), since ?? startedAt);
    await clock.sleep(POLL_INTERVAL, signal);
  }
}

async function probeStability(
  infra: InfraContext,
  names: readonly MoveName[],
): Promise<Stability & { readonly isOver: boolean }> {
  const shared = withSharedConnection(infra);
  try {
    const moves = await probeMoves(shared, names);
    const open = moves.find((move) => !isSatisfied(move));
    if (open) return { moves, why: words().notStable(open.name, open.why), isOver: open.state !== 'moving' };
    const operators = await createClusterReader(await shared.connect()).list('ClusterOperator');
    const unhealthy = operators.map(operatorView).filter((operator) => deriveOperatorHealth(operator) !== 'fine');
    const [first] = unhealthy;
    const why = first
      ? words().unhealthyOperators(
          unhealthy.map(({ name }) => name),
          first.message,
        )
      : null;
    return { moves, why, isOver: false };
  } catch (error) {
    if (!isClusterError(error, 'not-yet', 'unreachable')) throw error;
    return { moves: [], why: words().apiDown, isOver: false };
  }
}

/** Results of simulated user requests while a move was applied. */
export interface Traffic {
  readonly requests: number;
  readonly failed: number;
  /** The error of the first failed request, as text; null if none failed. */
  readonly failure: string | null;
}

/** The moves that change where the traffic of users goes. */
const TRAFFIC_MOVES: ReadonlySet<MoveName> = new Set<MoveName>(['lb-add', 'router', 'lb-final']);
/** Five requests a second (ms of the clock), each on a new connection. */
const REQUEST_INTERVAL = SECOND / 5;
const TRAFFIC_REQUEST_TIMEOUT = 5 * SECOND;
/** Minimum timeout of a request in real ms: with a fast clock, a busy machine is no outage. */
const MIN_REAL_TIMEOUT = 10_000;
const ROUTES = ['console-openshift-console', 'canary-openshift-ingress-canary'];

/** Sends one request. @returns the error; null if it was answered */
type TrafficProbe = () => Promise<string | null>;

/**
 * Runs an action while requests go to the console's route, the canary and the API as users send them: through the
 * ingress endpoint, with the name in TLS, trusting only the cluster's CA. Targets that do not answer before the
 * action are left out.
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
  const ended = new AbortController();
  const watch = async () => {
    for (let turn = 0; !ended.signal.aborted; turn += 1) {
      const failure = (await targets[turn % targets.length]?.()) ?? null;
      const failed = traffic.failed + (failure === null ? 0 : 1);
      traffic = { requests: traffic.requests + 1, failed, failure: traffic.failure ?? failure };
      onTraffic(traffic);
      await infra.clock.sleep(REQUEST_INTERVAL, ended.signal).catch(() => undefined);
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
 * Runs an action under traffic, shows the traffic live and reports it at the end.
 * @param isSaved whether to save it for the report: the traffic while the move is applied, not while it is undone
 */
export async function runWithTrafficReport<T>(
  infra: InfraContext,
  move: MoveName,
  act: () => Promise<T>,
  emit: (event: { readonly type: 'message'; readonly line: string }) => void,
  isSaved: boolean,
): Promise<T> {
  const { context } = infra;
  const { result, traffic } = await runUnderTraffic(infra, move, act, (now) => {
    if (context !== null) context.probeCache.traffic = { move, ...now };
  });
  if (traffic === null || context === null) return result;
  if (isSaved) context.stepState.set('traffic', { ...context.stepState.get('traffic'), [move]: traffic });
  emit({ type: 'message', line: catalogue().steps.traffic.counted(move, traffic) });
  return result;
}

/** Finds the targets that answer now. There are none without routers, or if their CA cannot be read. */
async function findAnsweringTargets(infra: InfraContext): Promise<TrafficProbe[]> {
  const all = await listTargets(infra).catch(() => []);
  const found = await Promise.all(all.map(async (probe) => ((await probe()) === null ? [probe] : [])));
  return found.flat();
}

async function listTargets({ context, clock, connect, design }: InfraContext): Promise<TrafficProbe[]> {
  // Without an install directory, the endpoints of the hosts are not known.
  if (context === null) return [];
  const cluster = await connect();
  const api: TrafficProbe = async () => {
    const why = await cluster.readyz().catch((error: unknown) => String(error));
    return why === null ? null : catalogue().steps.traffic.api(why);
  };
  const authority = await readRouterAuthority(cluster);
  if (authority === null) return [];
  const routeTargets = design.endpoints.ingress.flatMap((server) =>
    ROUTES.map((route): TrafficProbe => {
      const url = `https://${route}.${appsDomain(design)}/${route.startsWith('canary') ? 'healthz' : ''}`;
      const options = {
        server,
        authorities: [authority.pem],
        timeoutMs: TRAFFIC_REQUEST_TIMEOUT,
        minimumMs: MIN_REAL_TIMEOUT,
      };
      return async () => {
        const { state, status, detail } = await probeTls(context.resolveEndpoint, clock, url, options);
        return state === 'answered' && (status ?? 500) < 500 ? null : detail;
      };
    }),
  );
  return [...routeTargets, api];
}
