import { isClusterError } from '../../cluster/errors.ts';
import { MOVES, type MoveName } from '../../moves/table.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { SeenMove } from '../recollection.ts';
import { sideOf } from './side.ts';
import type { Look, MoveSite, Side } from './site.ts';

/** One look at a site, on one connection: looks once at a move that several ask for. */
export function lookOver(site: MoveSite): Look {
  const connected = connectedOnce(site);
  const seen = new Map<MoveName, Promise<SeenMove>>();
  const look: Look = (move) => {
    const found = seen.get(move.name) ?? lookAt(sideOf(connected, move, look), move.name);
    seen.set(move.name, found);
    return found;
  };
  return look;
}

/** The site with one connection for all. */
export function connectedOnce(site: MoveSite): MoveSite {
  let cluster: ReturnType<MoveSite['connect']> | undefined;
  const connect = () => {
    cluster ??= site.connect();
    return cluster;
  };
  return { ...site, connect };
}

/**
 * How the moves of these names stand, in the order of the table.
 * @throws ClusterError when the API does not answer
 */
export async function lookAtMoves(site: MoveSite, names: readonly MoveName[]): Promise<SeenMove[]> {
  return await Promise.all(MOVES.filter(({ name }) => names.includes(name)).map(lookOver(site)));
}

/**
 * The state of a move on its side. What keeps it from being planned (a missing credential file) blocks it.
 * @throws ClusterError when the API does not answer
 */
export async function lookAt(side: Pick<Side, 'probe'>, name: MoveName): Promise<SeenMove> {
  try {
    const { state, why, changes } = await side.probe();
    return { name, state, why: why || (state === 'absent' ? catalogue().live.infra.unwanted : ''), changes };
  } catch (error) {
    if (!(error instanceof TroubleError) || isClusterError(error)) throw error;
    const { title, cause } = error.trouble;
    return { name, state: 'blocked', why: sanitizeLine(`${title}: ${cause}`), changes: [] };
  }
}
