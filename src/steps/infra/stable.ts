import { isClusterError } from '../../cluster/errors.ts';
import { sightOf } from '../../cluster/infra/run.ts';
import type { MoveName } from '../../moves/table.ts';
import { operatorView, standingOf } from '../../objects/operator.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { beginWait } from '../../ports/waiting.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { SeenMove } from '../recollection.ts';
import { connectedOnce, lookAtMoves } from './look.ts';
import type { MoveSite } from './site.ts';
import { isThere } from './standing.ts';

const words = () => catalogue().steps.infra;
const PAUSE = 10 * SECOND;
/** `oc adm wait-for-stable-cluster` gives up after an hour. */
const PATIENCE = 60 * MINUTE;
/** Where time runs fast, that hour is seconds of a machine that may be busy. */
const LEAST_LOOKS = 30;

/** How a watch over made moves ended. */
export interface Stability {
  readonly moves: readonly SeenMove[];
  /** Why it is not stable; null: all of it was, as long as it had to be. */
  readonly why: string | null;
}

/**
 * Watches until all moves have been done, and all operators healthy, for so long without a break. What is under way, and an API
 * that is away, begin the time anew; a move that is not made, or failed, ends it.
 * @param lasting how long, in ms
 * @param tell told at each look why the time has not begun, or since when it runs (ms of the clock)
 */
export async function watchStable(
  site: MoveSite,
  names: readonly MoveName[],
  lasting: number,
  tell: (why: string, since: number) => void,
): Promise<Stability> {
  const { clock, signal } = site;
  const began = clock.now();
  const wait = beginWait(clock);
  let since: number | null = null;
  for (;;) {
    const { moves, why, isOver } = await look(site, names);
    const now = clock.now();
    since = why === null ? Math.min(since ?? now, now) : null;
    if (isOver) return { moves, why };
    if (since !== null && now - since >= lasting) return { moves, why: null };
    if (wait.isOver(PATIENCE + lasting, LEAST_LOOKS)) return { moves, why: why ?? words().unsteady };
    tell(why ?? words().steady(Math.round(lasting / MINUTE)), since ?? began);
    await clock.sleep(PAUSE, signal);
  }
}

async function look(site: MoveSite, names: readonly MoveName[]): Promise<Stability & { readonly isOver: boolean }> {
  const connected = connectedOnce(site);
  try {
    const moves = await lookAtMoves(connected, names);
    const open = moves.find((move) => !isThere(move));
    if (open) return { moves, why: words().notStable(open.name, open.why), isOver: open.state !== 'moving' };
    const operators = await sightOf(await connected.connect()).list('ClusterOperator');
    const unwell = operators.map(operatorView).filter((operator) => standingOf(operator) !== 'fine');
    const [first] = unwell;
    const why = first
      ? words().unwellOperators(
          unwell.map(({ name }) => name),
          first.message,
        )
      : null;
    return { moves, why, isOver: false };
  } catch (error) {
    if (!isClusterError(error, 'not-yet', 'unreachable')) throw error;
    return { moves: [], why: words().apiAway, isOver: false };
  }
}
