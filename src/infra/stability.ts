import { catalogue } from '../i18n/catalogue.ts';
import { isClusterError } from '../kube/errors.ts';
import { deriveOperatorHealth, parseClusterOperator } from '../openshift/operator.ts';
import { MINUTE, SECOND, startWaitTimer } from '../platform/clock.ts';
import { createClusterReader } from './apply-edits.ts';
import type { InfraContext } from './context.ts';
import type { MoveName, ObservedMove } from './moves.ts';
import { isSatisfied } from './moves.ts';
import { probeMoves, shareConnection } from './probe.ts';

const words = () => catalogue().steps.infra;
const POLL_INTERVAL = 10 * SECOND;
/** `oc adm wait-for-stable-cluster` gives up after an hour. */
const TIMEOUT = 60 * MINUTE;
/** Minimum number of probes before the timeout counts: on a fast clock, an hour lasts only seconds. */
const MIN_PROBES = 30;

/** The result of watching applied moves. */
interface Stability {
  readonly moves: readonly ObservedMove[];
  /** Why it is not stable; null: everything was stable for the required time. */
  readonly why: string | null;
}

/**
 * Watches until all moves are done and all operators healthy, without a break for the required time. A rollout in
 * progress or an unavailable API restarts that time. A failed move, or one that is not applied, ends the watch.
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
  const waitTimer = startWaitTimer(clock);
  let stableSince: number | null = null;
  for (;;) {
    const { moves, why, isOver } = await probeStability(infra, names);
    const now = clock.now();
    stableSince = why === null ? Math.min(stableSince ?? now, now) : null;
    if (isOver) return { moves, why };
    if (stableSince !== null && now - stableSince >= duration) return { moves, why: null };
    if (waitTimer.isOverAfterProbe(TIMEOUT + duration, MIN_PROBES)) return { moves, why: why ?? words().unstable };
    onProbe(why ?? words().stabilizing(Math.round(duration / MINUTE)), stableSince ?? startedAt);
    await clock.sleep(POLL_INTERVAL, signal);
  }
}

async function probeStability(
  infra: InfraContext,
  names: readonly MoveName[],
): Promise<Stability & { readonly isOver: boolean }> {
  const sharedInfra = shareConnection(infra);
  try {
    const moves = await probeMoves(sharedInfra, names);
    const unfinishedMove = moves.find((move) => !isSatisfied(move));
    if (unfinishedMove)
      return {
        moves,
        why: words().notStable(unfinishedMove.name, unfinishedMove.why),
        isOver: unfinishedMove.state !== 'moving',
      };
    const operators = await createClusterReader(await sharedInfra.connect()).list('ClusterOperator');
    const unhealthyOperators = operators
      .map(parseClusterOperator)
      .filter((operator) => deriveOperatorHealth(operator) !== 'fine');
    const [firstUnhealthyOperator] = unhealthyOperators;
    const why = firstUnhealthyOperator
      ? words().unhealthyOperators(
          unhealthyOperators.map(({ name }) => name),
          firstUnhealthyOperator.message,
        )
      : null;
    return { moves, why, isOver: false };
  } catch (error) {
    if (!isClusterError(error, 'not-yet', 'unreachable')) throw error;
    return { moves: [], why: words().apiDown, isOver: false };
  }
}
