import type { Design } from '../../design/model.ts';
import { changeBy, type Edit, type MoveChange } from '../../moves/edit.ts';
import type { Foresight } from '../../moves/foresight.ts';
import type { ClusterMove, MoveState, Sight, Waiting } from '../../moves/move.ts';
import { withOwnCause } from '../../moves/shared/own-cause.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Cluster } from '../api.ts';
import { isClusterError } from '../errors.ts';
import { applyEdit, type BeforeWrite, type Written } from './edit.ts';

const words = () => catalogue().moves;

/** Waits for what edits have set in motion. @throws TroubleError where it does not come to rest */
export type Hold = (look: () => Promise<Waiting | null>) => Promise<void>;

/** The titles of the moves that must come first and are not done. */
export type NotYet = () => Promise<readonly string[]>;

/** The cluster as moves look at it. */
export function sightOf(cluster: Cluster): Sight {
  return {
    get: (kind, name, namespace) => cluster.getWithManagers(kind, name, namespace),
    list: async (kind, options) =>
      await cluster.list(kind, options).catch((error: unknown) => {
        if (isClusterError(error, 'absent')) return [];
        throw error;
      }),
  };
}

/**
 * How far a move is: what it would change or, with nothing left to write, what runs.
 * @param sight where the edits are made, in their order: each is shown as it follows from those before
 * @throws ClusterError
 */
export async function probeMove(
  sight: Foresight,
  move: ClusterMove,
  design: Design,
  notYet: NotYet,
): Promise<MoveState> {
  const planned = await move.plan(sight, design, notYet);
  if (planned.state !== 'edits') return { ...planned, changes: [] };
  const changes: MoveChange[] = [];
  for (const edit of planned.edits) {
    const change = await sight.make(edit);
    if (change !== null) changes.push(change);
  }
  // What runs is judged as it is; the moves after this one see what is to come.
  const found = changes.length > 0 ? null : await move.settled(sight, design);
  const settled = found?.pending ? { ...found, pending: await withOwnCause(sight, design, found.pending) } : found;
  for (const node of planned.foreseen ?? []) sight.expect('Node', node);
  const { says = [], types, pending } = planned;
  const told = (why: string) => [why, ...says].join(' ');
  if (settled === null)
    return {
      state: 'needed',
      why: told(words().why.needed(new Set(changes.map(({ object }) => object)).size)),
      changes,
      says,
      ...(types === undefined ? {} : { types }),
      ...(pending === undefined ? {} : { pending }),
    };
  return { ...settled, why: settled.state === 'done' ? told(settled.why) : settled.why, changes: [] };
}

/**
 * Writes what is missing, one object after the other: the order of the edits is part of the plan. Writes nothing when
 * all is in place.
 * @param run what happens before each write, and who is told after it
 * @throws TroubleError `infra-…` when it is blocked or not kept, what `run` throws; ClusterError
 */
export async function applyMove(
  cluster: Cluster,
  move: ClusterMove,
  design: Design,
  notYet: NotYet,
  {
    tell,
    hold,
    ...before
  }: BeforeWrite & {
    readonly tell: (written: Written) => void;
    readonly hold?: Hold | undefined;
  },
): Promise<void> {
  const planned = await move.plan(sightOf(cluster), design, notYet);
  if (planned.state === 'absent') return;
  if (planned.state !== 'edits') {
    throw new TroubleError({ code: 'infra-blocked', cause: planned.why, ...words().trouble.blocked });
  }
  for (const edit of planned.edits) {
    const { after } = edit;
    if (after && hold && (await isDue(cluster, edit))) await hold(() => after(sightOf(cluster)));
    tell(await applyEdit(cluster, edit, before));
  }
}

async function isDue(cluster: Cluster, edit: Edit): Promise<boolean> {
  return changeBy(edit, await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined)) !== null;
}
