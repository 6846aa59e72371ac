import type { Cluster } from '../../cluster/api.ts';
import { applyEdit, type Written } from '../../cluster/infra/edit.ts';
import { sightOf } from '../../cluster/infra/run.ts';
import type { Design } from '../../design/model.ts';
import { type Back, backEdit, backOf, type Compared, compared } from '../../moves/before/give-back.ts';
import type { Kept } from '../../moves/before/line.ts';
import { changeBy, type MoveChange } from '../../moves/edit.ts';
import { bornFrom } from '../../moves/machine-sets/born.ts';
import type { ClusterMove } from '../../moves/move.ts';
import type { MoveName } from '../../moves/table.ts';
import type { BeforeLog } from './before-log.ts';

/**
 * What undoing a move does. `before`: its objects get what they had. `defaults`: nobody wrote down what they had, so they can
 * only get what their operators choose. `foreign`: what is there was there before we wrote anything, and stays. `born`: the
 * machines of these MachineSets are born with it, and it goes with them. `files`: the
 * load balancers get the files of the stage before.
 */
export type UndoPlan = { readonly move: MoveName } & (
  | { readonly to: 'before'; readonly objects: readonly Compared[] }
  | { readonly to: 'defaults' | 'files'; readonly changes: readonly MoveChange[] }
  | { readonly to: 'foreign'; readonly isOfFiles: boolean }
  | { readonly to: 'born'; readonly sets: readonly string[] }
);

/** What a person agrees to, beyond what is given back without asking. */
export interface UndoConsent {
  /** Whether moves of which nobody wrote down what was there go to the operators' defaults. */
  readonly toDefaults: boolean;
  /** Whether what others changed since our write is overwritten. */
  readonly overwrites: (move: MoveName, object: string) => boolean;
}

export const NO_CONSENT: UndoConsent = { toDefaults: false, overwrites: () => false };

/** The objects of a move as they are, the last one that was written first. */
async function backsOf(cluster: Cluster, kept: readonly Kept[]): Promise<Back[]> {
  return await Promise.all(
    kept
      .toReversed()
      .map(async (one) => backOf(one, await cluster.get(one.kind, one.name, one.namespace ?? undefined))),
  );
}

/**
 * What undoing the move would do now.
 * @param log null where nothing is ever written down
 * @throws TroubleError `session-unreadable`; ClusterError
 */
export async function planUndo(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  {
    design,
    log,
    toDefaults,
  }: { readonly design: Design; readonly log: BeforeLog | null; readonly toDefaults: boolean },
): Promise<UndoPlan> {
  const known = (await log?.kept(cluster)) ?? null;
  const kept = known?.filter((one) => one.move === move.name) ?? [];
  if (kept.length > 0) return { move: move.name, to: 'before', objects: (await backsOf(cluster, kept)).map(compared) };
  const sight = sightOf(cluster);
  const sets = await bornFrom(sight, move, design);
  if (sets !== null) return { move: move.name, to: 'born', sets };
  if (known !== null && !toDefaults) return { move: move.name, to: 'foreign', isOfFiles: false };
  const edits = await move.undoEdits(sight, design);
  const found = edits.map(async (edit) =>
    changeBy(edit, await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined)),
  );
  const changes = (await Promise.all(found)).flatMap((each) => each ?? []);
  return { move: move.name, to: 'defaults', changes };
}

/**
 * Undoes the move as far as it was agreed to: gives each object what it had, or goes to the operators' defaults.
 * @returns the objects with something in them that others changed since, and that stays
 * @throws TroubleError as applyEdit does, and `session-unreadable`; ClusterError
 */
export async function undoMove(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  { design, log, consent }: { readonly design: Design; readonly log: BeforeLog | null; readonly consent: UndoConsent },
  tell: (written: Written) => void,
): Promise<readonly string[]> {
  const known = (await log?.kept(cluster)) ?? null;
  const kept = known?.filter((one) => one.move === move.name) ?? [];
  const changed: string[] = [];
  for (const one of kept.toReversed()) {
    const object = await giveBack(cluster, one, { log, consent, tell });
    if (object !== null) changed.push(object);
  }
  if (kept.length > 0 || !consent.toDefaults) return changed;
  if ((await bornFrom(sightOf(cluster), move, design)) !== null) return [];
  for (const edit of await move.undoEdits(sightOf(cluster), design)) tell(await applyEdit(cluster, edit));
  return [];
}

/**
 * Empties the objects that undo is going to delete: those that the move made, unless others changed them and nobody agreed
 * that they go all the same.
 * @returns their names
 */
export async function emptyMade(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  emptying: NonNullable<ClusterMove['emptying']>,
  run: {
    readonly log: BeforeLog | null;
    readonly consent: UndoConsent;
    readonly tell: (written: Written) => void;
  },
): Promise<readonly string[]> {
  const known = (await run.log?.kept(cluster)) ?? [];
  const backs = await backsOf(
    cluster,
    known.filter((one) => one.move === move.name),
  );
  const due = backs.filter((back) => {
    const isAgreed = back.state === 'changed' && run.consent.overwrites(move.name, compared(back).object);
    return back.kept.uid === null && back.now !== null && (back.state === 'back' || isAgreed);
  });
  for (const { kept } of due) run.tell(await applyEdit(cluster, emptying.edit(kept)));
  return due.map(({ kept }) => kept.name);
}

/** @returns the object, when something in it that others changed since stays as it is; else null */
async function giveBack(
  cluster: Cluster,
  kept: Kept,
  run: {
    readonly log: BeforeLog | null;
    readonly consent: UndoConsent;
    readonly tell: (written: Written) => void;
  },
): Promise<string | null> {
  const { log, consent, tell } = run;
  const found = async (isAll: boolean) =>
    backOf(kept, await cluster.get(kept.kind, kept.name, kept.namespace ?? undefined), isAll);
  const first = await found(false);
  const { object } = compared(first);
  const isAll = first.state === 'changed' && consent.overwrites(kept.move as MoveName, object);
  if (first.state === 'back' || first.state === 'changed') tell(await applyEdit(cluster, backEdit(kept, isAll)));
  const after = await found(isAll);
  if (after.state === 'changed') return object;
  if (after.state !== 'back') await log?.returned(cluster, kept);
  return null;
}

/** Whether undoing it would write anything. */
export function hasWork(plan: UndoPlan): boolean {
  switch (plan.to) {
    case 'before':
      return plan.objects.some(({ state }) => state === 'back' || state === 'changed');
    case 'defaults':
      return plan.changes.length > 0;
    case 'files':
      return true;
    case 'foreign':
    case 'born':
      return false;
  }
}
