import type { Written } from '../../cluster/infra/edit.ts';
import type { Move, Settled, Waiting } from '../../moves/move.ts';
import { MOVES, type MoveName } from '../../moves/table.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { beginWait } from '../../ports/waiting.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Trouble, TroubleError } from '../../text/trouble.ts';
import type { StepAction } from '../contract.ts';
import type { SeenMove } from '../recollection.ts';
import { logged, UNLOGGED } from '../shared/acts.ts';
import { rideOut } from '../shared/ride-out.ts';
import { heldBy } from './held-by.ts';
import { leavingOf } from './leaving.ts';
import { lookAt, lookAtMoves, sideOn } from './look.ts';
import type { MoveSite, Side } from './site.ts';
import { isInPlace, isToUndo } from './standing.ts';
import { type PodMoved, timelineOf } from './timeline.ts';
import { watched } from './traffic.ts';
import { hasWork, NO_CONSENT, type UndoConsent, type UndoPlan } from './undo.ts';

const words = () => catalogue().steps.infra;
const PATIENCE = 15 * MINUTE;
/** So long the pods of a move that was taken back are followed. */
const FOLLOWED = 3 * MINUTE;
const PAUSE = 2 * SECOND;
/** Where time runs fast, the quarter of an hour is seconds of a machine that may be busy: we look at least this often. */
const LEAST_LOOKS = 30;

/** What can happen to a move. */
export type News =
  /** `byHand`: what a person does meanwhile, where a person puts files in place. */
  | { readonly type: 'began'; readonly byHand: readonly string[] }
  | { readonly type: 'written'; readonly written: Written }
  /** A line about files, from whoever writes them. */
  | { readonly type: 'told'; readonly line: string }
  | { readonly type: 'pod'; readonly moved: PodMoved }
  /** We wait for it; sent at each look. `since`: ms of the clock. */
  | { readonly type: 'waiting'; readonly why: string; readonly since: number }
  | { readonly type: 'done'; readonly why: string }
  | { readonly type: 'blocked'; readonly why: string }
  | { readonly type: 'failed'; readonly trouble: Trouble };

/** What happens while moves are made or taken back, in the order in which it happens. */
export type MoveEvent = News & { readonly move: MoveName; readonly doing: 'apply' | 'undo' };
export type Tell = (event: MoveEvent) => void;

/** How it ended. `stopped`: at a move that is blocked, failed, or stays in place. */
export type Ended =
  | { readonly end: 'done' | 'declined' }
  | { readonly end: 'stopped'; readonly move: MoveName; readonly how: 'blocked' | 'failed'; readonly trouble: Trouble };

/** How a person is asked before moves are undone. @returns what they agree to; null: nothing */
export type AllowUndo = (plans: readonly UndoPlan[]) => Promise<UndoConsent | null>;

/**
 * Undoes the named moves, the last one first: each object gets what it had before our first write. A move that others
 * depend on, that running workloads still need, or that needs a consent which nobody gave, stays in place (event
 * `blocked`); the others are undone all the same, each with its own guard.
 * @param allow asked once, before the first one, with what undoing does to each; without it, nothing beyond what was there
 * @throws TroubleError of what could not be written; anything that is no Trouble, and the reason of the signal
 */
export async function undoMoves(
  site: MoveSite,
  names: readonly MoveName[],
  {
    tell,
    allow,
    toDefaults = false,
  }: { readonly tell: Tell; readonly allow?: AllowUndo; readonly toDefaults?: boolean },
): Promise<Ended> {
  const seen = await rideOut(site, () => lookAtMoves(site, names));
  const due = seen.filter(isToUndo).map(({ name }) => name);
  const moves = MOVES.filter(({ name }) => due.includes(name)).toReversed();
  const plans = await planUndos(site, moves, toDefaults);
  const asked = plans.filter(hasWork);
  const consent = asked.length > 0 && allow ? await allow(asked) : NO_CONSENT;
  if (consent === null) return { end: 'declined' };
  const kept = new Map<MoveName, string>();
  for (const move of moves) {
    site.signal.throwIfAborted();
    const say = saying(move.name, 'undo', tell);
    const timeline = timelineOf(site, move.name, 'undo', (moved) => say({ type: 'pod', moved }));
    const side = sideOn(timeline.site, move);
    // Undoing the moves before may have changed its state.
    const now = await rideOut(site, () => lookAt(side, move.name));
    if (!isToUndo(now)) continue;
    const why = await takeBack(timeline.site, now, side, { tell, kept, consent }).finally(timeline.keep);
    if (why === null) continue;
    kept.set(move.name, why);
    say({ type: 'blocked', why });
  }
  const [[move, why] = [null, '']] = kept;
  if (move === null) return { end: 'done' };
  const trouble = { code: 'move-stays', title: words().stays(move), cause: why, whatToDo: words().staysFix };
  return { end: 'stopped', move, how: 'blocked', trouble };
}

/**
 * What undoing each of the moves would do to objects and files, in the order in which they are undone.
 * @throws TroubleError `session-unreadable`; ClusterError
 */
export async function planUndos(
  site: MoveSite,
  moves: readonly Move<MoveName>[],
  toDefaults: boolean,
): Promise<UndoPlan[]> {
  const found = await rideOut(site, () => Promise.all(moves.map((move) => sideOn(site, move).planUndo(toDefaults))));
  return found.flatMap((plan) => plan ?? []);
}

/**
 * @param run.kept the moves that stay in place: what they depend on stays with them
 * @returns why it stays in place; null when it was undone, or nothing of it is ours
 */
async function takeBack(
  site: MoveSite,
  { name, ...now }: SeenMove,
  side: Side,
  run: { readonly tell: Tell; readonly kept: ReadonlyMap<MoveName, string>; readonly consent: UndoConsent },
): Promise<string | null> {
  const { tell, kept, consent } = run;
  const say = saying(name, 'undo', tell);
  const plan = await rideOut(site, () => side.planUndo(consent.toDefaults));
  if (plan?.to === 'defaults' && !consent.toDefaults && hasWork(plan))
    return isInPlace(now) ? words().unrecorded : null;
  const isIdle = plan !== null && !hasWork(plan);
  if (!isIdle || (plan.to === 'foreign' && plan.isOfFiles)) {
    const above = await heldBy(site, name, kept);
    if (above.length > 0) return words().undoFirst(above.join(', '));
  }
  if (isIdle) {
    if (plan.to === 'foreign' && isInPlace(now)) say({ type: 'told', line: words().foreign(name) });
    if (plan.to === 'born' && isInPlace(now)) say({ type: 'told', line: words().born(name, plan.sets) });
    // Notes that all of it is there again.
    if (plan.to === 'before') await rideOut(site, () => side.undo(() => undefined, NO_CONSENT));
    return null;
  }
  const freed = await settle(site, async () => gone(await side.undoWaits()), say);
  if (freed.state !== 'done') return freed.why;
  const act = () => watched(site, name, () => undo(site, name, side, { say, consent }), say, false);
  return await journaled(site, name, 'undo', act, (why) => (why === null ? null : 'move-stays'));
}

/** @returns why it is still there; null when it is gone */
async function undo(
  site: MoveSite,
  name: MoveName,
  side: Side,
  { say, consent }: { readonly say: (news: News) => void; readonly consent: UndoConsent },
): Promise<string | null> {
  say({ type: 'began', byHand: side.byHand });
  let changed: readonly string[];
  const leaving = await rideOut(site, () => leavingOf(site, name));
  try {
    const emptying = await rideOut(site, () => side.empty((what) => say(writing(what)), consent));
    const emptied = await settle(site, async () => gone(emptying && (await side.emptied(emptying))), say);
    if (emptied.state !== 'done') return emptied.why;
    changed = await rideOut(site, () => side.undo((what) => say(writing(what)), consent));
  } catch (error) {
    if (error instanceof TroubleError) say({ type: 'failed', trouble: error.trouble });
    throw error;
  }
  if (changed.length > 0) return words().changedSince(changed.join(', '));
  const left = await settle(site, async () => gone(await side.left()), say);
  if (left.state !== 'done') return left.why;
  // Its pods start anew: told while that lasts, and no condition of the undo, which has given back what was there.
  await settle(site, leaving, say, FOLLOWED);
  const after = await rideOut(site, () => lookAt(side, name));
  if (isInPlace(after)) return after.why;
  say({ type: 'done', why: '' });
  return null;
}

/** What is waited for, as something that settles. */
export function gone(waiting: Waiting | null): Settled {
  if (waiting === null) return { state: 'done', why: '' };
  return { state: waiting.state === 'moving' ? 'moving' : 'failed', why: waiting.why };
}

/** Looks until it has settled, for a quarter of an hour unless told otherwise; after that it has failed. */
export async function settle(
  context: Pick<MoveSite, 'clock' | 'signal'>,
  look: () => Promise<Settled>,
  say: (news: News) => void,
  patience = PATIENCE,
): Promise<Settled> {
  const { clock, signal } = context;
  const since = clock.now();
  const wait = beginWait(clock);
  for (;;) {
    const seen = await rideOut(context, look, ({ trouble }) => say({ type: 'waiting', why: trouble.title, since }));
    if (seen.state !== 'moving') return seen;
    if (wait.isOver(patience, LEAST_LOOKS))
      return { state: 'failed', why: `${words().timedOut(Math.round(patience / MINUTE))}: ${seen.why}` };
    say({ type: 'waiting', why: seen.why, since });
    await clock.sleep(PAUSE, signal);
  }
}

/** Does something to a move between two lines of the journal, where there is an install directory. */
export function journaled<T>(
  { context, signal }: MoveSite,
  move: MoveName,
  action: StepAction,
  act: () => Promise<T>,
  codeOf?: (result: T) => string | null,
): Promise<T> {
  return logged({ acts: context?.acts ?? UNLOGGED, signal }, { step: 'infra', action, subject: move }, act, codeOf);
}

export function saying(move: MoveName, doing: MoveEvent['doing'], tell: Tell) {
  return (news: News) => tell({ ...news, move, doing });
}

export function writing(what: Written | string): News {
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
