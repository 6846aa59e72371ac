import type { MoveChange } from '../../moves/edit.ts';
import type { Move, Settled, Waiting } from '../../moves/move.ts';
import { MOVES, type MoveName } from '../../moves/table.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Trouble, TroubleError } from '../../text/trouble.ts';
import type { SeenMove } from '../recollection.ts';
import { rideOut } from '../shared/ride-out.ts';
import { type Agreement, agreementTo, differs } from './agreement.ts';
import { type Ended, gone, journaled, moveTrouble, type News, saying, settle, type Tell, writing } from './engine.ts';
import { lookAt, lookBefore, sideOn } from './look.ts';
import type { MoveSite, Side } from './site.ts';
import { isThere } from './standing.ts';
import { timelineOf } from './timeline.ts';
import { watched } from './traffic.ts';

/** How often a move is looked at anew because an object changes under it. */
const ATTEMPTS = 3;
/** What keeps a move from beginning may pass for so long. */
const PASSES_IN = 3 * MINUTE;
/** As long as an operator has to be healthy before a move counts as made. */
const STEADY = MINUTE;

/**
 * Makes the named moves in the order of the table, and verifies each by what runs before the next one begins. Stops at
 * the first that fails or is blocked.
 * @param run.shown the changes that were agreed to; null: any. Others are not written unless `allow` agrees to them, too
 * @param run.allow asked about a move with changes that were not shown; false ends it there, and so does who is not asked
 * @throws TroubleError `session-unwritable`; anything that is no Trouble, and the reason of the signal
 */
export async function applyMoves(
  site: MoveSite,
  names: readonly MoveName[],
  run: {
    readonly tell: Tell;
    readonly shown: readonly MoveChange[] | null;
    readonly allow?: (move: SeenMove, unseen: readonly MoveChange[]) => Promise<boolean>;
  },
): Promise<Ended> {
  const agreement = agreementTo(run.shown);
  for (const move of MOVES.filter(({ name }) => names.includes(name))) {
    const ended = await makeMove(site, move, { ...run, agreement, names });
    if (ended !== null) return ended;
  }
  return { end: 'done' };
}

interface Making extends Omit<Parameters<typeof applyMoves>[2], 'shown'> {
  readonly agreement: Agreement;
  /** All moves that are made. */
  readonly names: readonly MoveName[];
}

/** @returns how it ended, where the moves after it are not made */
async function makeMove(ofMove: MoveSite, move: Move<MoveName>, { tell, ...run }: Making): Promise<Ended | null> {
  const say = saying(move.name, 'apply', tell);
  const timeline = timelineOf(ofMove, move.name, 'apply', (moved) => say({ type: 'pod', moved }));
  try {
    return await makeOn(timeline.site, move, { tell, ...run });
  } finally {
    timeline.keep();
  }
}

async function makeOn(
  site: MoveSite,
  move: Move<MoveName>,
  { tell, allow, agreement, names }: Making,
): Promise<Ended | null> {
  const say = saying(move.name, 'apply', tell);
  const side = sideOn(site, move);
  for (let attempt = 1; ; attempt += 1) {
    site.signal.throwIfAborted();
    const found = await rideOut(site, () => lookAt(side, move.name));
    if (isThere(found)) return null;
    const before = found.state === 'needed' ? await whenReady(site, found, say, names) : found;
    // A blocked move writes nothing, and says why.
    const unseen = before.state === 'blocked' ? [] : agreement.unseen(before.changes);
    if (unseen.length > 0) {
      if (!allow) return refused(move.name, differs(unseen), say);
      if (!(await allow(before, unseen))) return { end: 'declined' };
      agreement.add(before.changes);
    }
    try {
      const act = () => carryOutWatched(site, side, before, { tell, check: agreement.check });
      // A blocked move only says why it is not made.
      await (before.state === 'blocked' ? act() : journaled(site, move.name, 'apply-one', act));
      return null;
    } catch (error) {
      // What cannot be written down ends all of it.
      if (!(error instanceof TroubleError) || error.trouble.code === 'session-unwritable') throw error;
      const { trouble } = error;
      if (trouble.code !== 'plan-differs')
        return { end: 'stopped', move: move.name, how: before.state === 'blocked' ? 'blocked' : 'failed', trouble };
      // It changed while the move was under way: the next look shows the difference.
      if (attempt === ATTEMPTS) return refused(move.name, trouble, say);
    }
  }
}

/** What runs is there only when the operator that carried it out has been healthy for a minute. */
function steadily(
  side: Side,
  { clock }: Pick<MoveSite, 'clock'>,
  look: () => Promise<Settled>,
): () => Promise<Settled> {
  let since: number | null = null;
  return async () => {
    const settled = await look();
    const operator = settled.state === 'done' ? await side.operator() : null;
    if (operator === null) return settled;
    const { unwell, steady } = catalogue().moves.why.rollout;
    const isHealthy = operator.available && !operator.degraded && !operator.progressing;
    if (!isHealthy) since = null;
    // A clock that was set back: the minute begins anew.
    else since = Math.min(since ?? Number.POSITIVE_INFINITY, clock.now());
    if (since === null) return { state: 'moving', why: unwell(operator.name) };
    return clock.now() - since < STEADY ? { state: 'moving', why: steady(operator.name) } : settled;
  };
}

/** Makes the move while users' requests are imitated, and keeps for the report how those went. */
async function carryOutWatched(
  site: MoveSite,
  side: Side,
  before: SeenMove,
  { tell, check }: { readonly tell: Tell; readonly check: Agreement['check'] },
): Promise<void> {
  const { name } = before;
  const act = () => carryOut(side, before, site, tell, check);
  await watched(site, name, act, saying(name, 'apply', tell), true);
}

/** The move once nothing is in its way that passes by itself (an operator or a pool that is not at rest); else blocked. */
async function whenReady(
  site: MoveSite,
  seen: SeenMove,
  say: (news: News) => void,
  names: readonly MoveName[],
): Promise<SeenMove> {
  let last = seen;
  const look = async (): Promise<Settled> => {
    last = await lookBefore(site, seen, names);
    return { state: last.state === 'blocked' ? 'moving' : 'done', why: last.why };
  };
  await settle(site, look, say, PASSES_IN);
  return last;
}

function refused(move: MoveName, trouble: Trouble, say: (news: News) => void): Ended {
  say({ type: 'failed', trouble });
  return { end: 'stopped', move, how: 'failed', trouble };
}

/**
 * Makes one move and waits until what runs shows it.
 * @param before its state at the look before
 * @param check sees each change before it is written
 * @throws TroubleError `move-failed` when it is blocked, fails or is not there within 15 minutes
 */
export async function carryOut(
  side: Side,
  { name, state, why }: SeenMove,
  context: Pick<MoveSite, 'clock' | 'signal'>,
  tell: Tell,
  check: Agreement['check'],
): Promise<void> {
  const say = saying(name, 'apply', tell);
  if (state === 'blocked') {
    say({ type: 'blocked', why });
    throw moveTrouble(name, why);
  }
  say({ type: 'began', byHand: side.byHand });
  const hold = async (lookFor: () => Promise<Waiting | null>) => {
    const settled = await settle(context, async () => gone(await lookFor()), say);
    if (settled.state !== 'done') throw moveTrouble(name, settled.why);
  };
  try {
    if (state !== 'moving') await rideOut(context, () => side.apply((what) => say(writing(what)), check, hold));
    const look = async (): Promise<Settled> => {
      const seen = await side.probe();
      return { why: seen.why, state: isThere(seen) ? 'done' : seen.state === 'failed' ? 'failed' : 'moving' };
    };
    const settled = await settle(context, steadily(side, context, look), say);
    if (settled.state !== 'done') throw moveTrouble(name, settled.why);
    say({ type: 'done', why: settled.why });
  } catch (error) {
    if (error instanceof TroubleError && error.trouble.code !== 'plan-differs')
      say({ type: 'failed', trouble: error.trouble });
    throw error;
  }
}
