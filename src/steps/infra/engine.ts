import type { Written } from '../../cluster/infra/edit.ts';
import type { Move, Settled, Waiting } from '../../moves/move.ts';
import { MOVES, type MoveName, standingOn } from '../../moves/table.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Trouble, TroubleError } from '../../text/trouble.ts';
import type { SeenMove } from '../recollection.ts';
import { rideOut } from '../shared/ride-out.ts';
import { connectedOnce, lookAt, lookAtMoves, lookOver } from './look.ts';
import { sideOf } from './side.ts';
import type { MoveSite, Side } from './site.ts';
import { isInPlace, isThere, isToUndo } from './standing.ts';

const words = () => catalogue().steps.infra;
const PATIENCE = 15 * MINUTE;
const PAUSE = 2 * SECOND;

/** What can happen to a move. */
type News =
  /** `byHand`: what a person does meanwhile, where a person puts files in place. */
  | { readonly type: 'began'; readonly byHand: readonly string[] }
  | { readonly type: 'written'; readonly written: Written }
  /** A line about files, from whoever writes them. */
  | { readonly type: 'told'; readonly line: string }
  /** We wait for it; sent again when the reason changes. `since`: ms of the clock. */
  | { readonly type: 'waiting'; readonly why: string; readonly since: number }
  | { readonly type: 'done'; readonly why: string }
  | { readonly type: 'blocked'; readonly why: string }
  | { readonly type: 'failed'; readonly trouble: Trouble };

/** What happens while moves are made or taken back, in the order in which it happens. */
export type MoveEvent = News & { readonly move: MoveName; readonly doing: 'apply' | 'undo' };
type Tell = (event: MoveEvent) => void;

/** How it ended. `stopped`: at a move that is blocked, failed, or stays in place. */
export type Ended =
  | { readonly end: 'done' | 'declined' }
  | { readonly end: 'stopped'; readonly move: MoveName; readonly how: 'blocked' | 'failed'; readonly trouble: Trouble };

/**
 * Makes the named moves in the order of the table, and verifies each by what runs before the next one begins. Stops at
 * the first that fails or is blocked.
 * @param allow asked before a move that would change something; false ends it there
 * @throws anything that is no Trouble, and the reason of the signal
 */
export async function applyMoves(
  site: MoveSite,
  names: readonly MoveName[],
  { tell, allow }: { readonly tell: Tell; readonly allow?: (move: SeenMove) => Promise<boolean> },
): Promise<Ended> {
  for (const move of MOVES.filter(({ name }) => names.includes(name))) {
    site.signal.throwIfAborted();
    const side = sideOn(site, move);
    const before = await rideOut(site, () => lookAt(side, move.name));
    if (isThere(before)) continue;
    if (before.state === 'needed' && allow && !(await allow(before))) return { end: 'declined' };
    try {
      await carryOut(side, before, site, tell);
    } catch (error) {
      if (!(error instanceof TroubleError)) throw error;
      const how = before.state === 'blocked' ? 'blocked' : 'failed';
      return { end: 'stopped', move: move.name, how, trouble: error.trouble };
    }
  }
  return { end: 'done' };
}

/**
 * Makes one move and waits until what runs shows it.
 * @param before its state at the look before
 * @throws TroubleError `move-failed` when it is blocked, fails or is not there within 15 minutes
 */
export async function carryOut(
  side: Side,
  { name, state, why }: SeenMove,
  context: Pick<MoveSite, 'clock' | 'signal'>,
  tell: Tell,
): Promise<void> {
  const say = saying(name, 'apply', tell);
  if (state === 'blocked') {
    say({ type: 'blocked', why });
    throw moveTrouble(name, why);
  }
  say({ type: 'began', byHand: side.byHand });
  try {
    if (state !== 'moving') await rideOut(context, () => side.apply((what) => say(writing(what))));
    const look = async (): Promise<Settled> => {
      const seen = await side.probe();
      return { why: seen.why, state: isThere(seen) ? 'done' : seen.state === 'failed' ? 'failed' : 'moving' };
    };
    const settled = await settle(context, look, say);
    if (settled.state !== 'done') throw moveTrouble(name, settled.why);
    say({ type: 'done', why: settled.why });
  } catch (error) {
    if (error instanceof TroubleError) say({ type: 'failed', trouble: error.trouble });
    throw error;
  }
}

/**
 * Takes the named moves back, the last one first. A move that others depend on, or that running workloads still need,
 * stays in place (event `blocked`); the others are taken back all the same, each with its own guard.
 * @param allow asked once, before the first one, with the moves to take back in their order
 * @throws TroubleError of what could not be written; anything that is no Trouble, and the reason of the signal
 */
export async function undoMoves(
  site: MoveSite,
  names: readonly MoveName[],
  { tell, allow }: { readonly tell: Tell; readonly allow?: (names: readonly MoveName[]) => Promise<boolean> },
): Promise<Ended> {
  const seen = await rideOut(site, () => lookAtMoves(site, names));
  const due = seen.filter(isToUndo).map(({ name }) => name);
  const moves = MOVES.filter(({ name }) => due.includes(name)).toReversed();
  if (moves.length > 0 && allow && !(await allow(moves.map(({ name }) => name)))) return { end: 'declined' };
  const kept = new Map<MoveName, string>();
  for (const move of moves) {
    site.signal.throwIfAborted();
    const side = sideOn(site, move);
    // Taking back the moves before may have changed its state.
    if (!isToUndo(await rideOut(site, () => lookAt(side, move.name)))) continue;
    const why = await takeBack(site, move, side, { tell, kept });
    if (why === null) continue;
    kept.set(move.name, why);
    saying(move.name, 'undo', tell)({ type: 'blocked', why });
  }
  const [[move, why] = [null, '']] = kept;
  if (move === null) return { end: 'done' };
  const trouble = { code: 'move-stays', title: words().stays(move), cause: why, whatToDo: words().staysFix };
  return { end: 'stopped', move, how: 'blocked', trouble };
}

/**
 * @param run.kept the moves that stay in place: what they depend on stays with them
 * @returns why it stays in place; null when it was taken back
 */
async function takeBack(
  site: MoveSite,
  move: Move<MoveName>,
  side: Side,
  { tell, kept }: { readonly tell: Tell; readonly kept: ReadonlyMap<MoveName, string> },
): Promise<string | null> {
  const say = saying(move.name, 'undo', tell);
  const others = standingOn(move).map(({ name }) => name);
  const above = await rideOut(site, () => lookAtMoves(site, others));
  const first = above.filter((one) => isInPlace(one) || kept.has(one.name)).map(({ name }) => name);
  if (first.length > 0) return words().undoFirst(first.toReversed().join(', '));
  const freed = await settle(site, async () => gone(await side.undoWaits()), say);
  if (freed.state !== 'done') return freed.why;
  say({ type: 'began', byHand: side.byHand });
  try {
    await rideOut(site, () => side.undo((what) => say(writing(what))));
  } catch (error) {
    if (error instanceof TroubleError) say({ type: 'failed', trouble: error.trouble });
    throw error;
  }
  const left = await settle(site, async () => gone(await side.left()), say);
  if (left.state !== 'done') return left.why;
  const after = await rideOut(site, () => lookAt(side, move.name));
  if (isInPlace(after)) return after.why;
  say({ type: 'done', why: '' });
  return null;
}

function gone(waiting: Waiting | null): Settled {
  if (waiting === null) return { state: 'done', why: '' };
  return { state: waiting.state === 'moving' ? 'moving' : 'failed', why: waiting.why };
}

/** Looks until it has settled, for a quarter of an hour at most; after that it has failed. */
async function settle(
  context: Pick<MoveSite, 'clock' | 'signal'>,
  look: () => Promise<Settled>,
  say: (news: News) => void,
): Promise<Settled> {
  const { clock, signal } = context;
  const since = clock.now();
  for (let told = ''; ; ) {
    const seen = await rideOut(context, look);
    if (seen.state !== 'moving') return seen;
    if (clock.now() - since > PATIENCE) return { state: 'failed', why: `${words().timedOut}: ${seen.why}` };
    if (seen.why !== told) say({ type: 'waiting', why: seen.why, since });
    told = seen.why;
    await clock.sleep(PAUSE, signal);
  }
}

/** A side for one move, on one connection; looks anew each time at the moves that it needs. */
function sideOn(site: MoveSite, move: Move<MoveName>): Side {
  const connected = connectedOnce(site);
  return sideOf(connected, move, (needed) => lookOver(connected)(needed));
}

function saying(move: MoveName, doing: MoveEvent['doing'], tell: Tell) {
  return (news: News) => tell({ ...news, move, doing });
}

function writing(what: Written | string): News {
  return typeof what === 'string' ? { type: 'told', line: what } : { type: 'written', written: what };
}

/** Why a move could not be made. */
export function moveTrouble(name: string, why: string): TroubleError {
  return new TroubleError({
    code: 'move-failed',
    title: words().failed(name),
    cause: why,
    whatToDo: words().blockedFix,
  });
}
