import { isClusterError } from '../../cluster/errors.ts';
import { sightOf } from '../../cluster/infra/run.ts';
import { type Foresight, foresee, readOnce } from '../../moves/foresight.ts';
import type { Move, Sight } from '../../moves/move.ts';
import { MOVES, type MoveName } from '../../moves/table.ts';
import { SECOND } from '../../ports/clock.ts';
import { ageOf } from '../../ports/waiting.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { SeenMove } from '../recollection.ts';
import { preflightOn } from './preflight.ts';
import { sideOf } from './side.ts';
import type { Look, MoveSite, Side } from './site.ts';
import { isThere } from './standing.ts';

/** How long what a preflight read is taken for true while nobody acts (ms). */
const PREFLIGHT_LASTS = 30 * SECOND;

/** One look at a site, on one connection: looks once at a move that several ask for, at each as it stands now. */
export function lookOver(site: MoveSite): Look {
  const connected = connectedOnce(site);
  return seenOnce((move, look) => lookAt(sideOf(connected, move, look, isThere), move.name));
}

function seenOnce(lookAtMove: (move: Parameters<Look>[0], look: Look) => Promise<SeenMove>): Look {
  const seen = new Map<MoveName, Promise<SeenMove>>();
  const look: Look = (move) => {
    const found = seen.get(move.name) ?? lookAtMove(move, look);
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
 * How the moves of these names stand, in the order of the table, each with what it changes once those of them before it are
 * made. A move that needs one which is not named waits for it.
 * @throws ClusterError when the API does not answer
 */
export async function lookAtMoves(site: MoveSite, names: readonly MoveName[]): Promise<SeenMove[]> {
  const connected = connectedOnce(site);
  const sight = readOnce(sightOf(await connected.connect()));
  let ahead = foresee(sight);
  const preflight = preflightOn(recentSight(site, sight), site.design, names);
  const willBeMade = (seen: SeenMove) =>
    isThere(seen) || (names.includes(seen.name) && (seen.state === 'needed' || seen.state === 'moving'));
  const look = seenOnce(async (move, others) => {
    const trial = ahead.branch();
    const found = await lookAt(sideOf(connected, move, others, willBeMade), move.name, trial);
    if (!names.includes(move.name)) return found;
    const seen = await preflight.look(found);
    // Nodes may still come from a move that is under way.
    if (seen.state === 'needed' || seen.state === 'moving') ahead = trial;
    return seen;
  });
  const found: SeenMove[] = [];
  for (const move of MOVES.filter(({ name }) => names.includes(name))) found.push(await look(move));
  return found;
}

/**
 * What a preflight reads (pods, nodes, pools) says the same for a while: a screen that looks every few seconds does not read it
 * each time.
 */
function recentSight({ context, clock }: MoveSite, now: Sight): Sight {
  if (context === null) return now;
  const { recollection } = context;
  const known = recollection.preflight;
  if (known !== null && ageOf(clock, known.at) < PREFLIGHT_LASTS) return known.sight;
  recollection.preflight = { at: clock.now(), sight: now };
  return now;
}

/** A move as it stands now, looked at once more before it is made. @param names the moves that are made with it */
export async function lookBefore(site: MoveSite, seen: SeenMove, names: readonly MoveName[]): Promise<SeenMove> {
  return await preflightOn(readOnce(sightOf(await site.connect())), site.design, names).look(seen);
}

/**
 * The state of a move on its side. What keeps it from being planned (a missing credential file, an object that we may not read)
 * blocks it, and no other move.
 * @param ahead the cluster after earlier moves; left out: as it is now
 * @throws ClusterError when the API does not answer
 */
export async function lookAt(side: Pick<Side, 'probe'>, name: MoveName, ahead?: Foresight): Promise<SeenMove> {
  try {
    const { why, ...seen } = await side.probe(ahead);
    return { name, ...seen, why: why || (seen.state === 'absent' ? catalogue().live.infra.unwanted : '') };
  } catch (error) {
    const isRefused = isClusterError(error, 'forbidden');
    if (!(error instanceof TroubleError) || (isClusterError(error) && !isRefused)) throw error;
    const { title, cause } = error.trouble;
    return { name, state: 'blocked', why: sanitizeLine(`${title}: ${cause}`), changes: [] };
  }
}

/** A side for one move, on one connection; looks anew each time at the moves that it needs. */
export function sideOn(site: MoveSite, move: Move<MoveName>): Side {
  const connected = connectedOnce(site);
  return sideOf(connected, move, (needed) => lookOver(connected)(needed), isThere);
}
