import type { Design } from '../../design/model.ts';
import type { ClusterMove, MoveState, Sight } from '../../moves/move.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Cluster } from '../client.ts';
import { isClusterError } from '../errors.ts';
import { applyEdit, changeOf, type Written } from './edit.ts';

const words = () => catalogue().moves;

/** The titles of the moves that must come first and are not done. */
export type NotYet = () => Promise<readonly string[]>;

/** The cluster as moves look at it. */
export function sightOf(cluster: Cluster): Sight {
  const listed: Sight['list'] = async (kind, options) => (await listIfServed(cluster, kind, options)) ?? [];
  return {
    get: (kind, name, namespace) => cluster.get(kind, name, namespace),
    list: listed,
    serves: async (kind) => (await listIfServed(cluster, kind, {})) !== null,
  };
}

async function listIfServed(cluster: Cluster, ...[kind, options]: Parameters<Cluster['list']>) {
  return await cluster.list(kind, options).catch((error: unknown) => {
    if (isClusterError(error, 'absent')) return null;
    throw error;
  });
}

/** How far a move is: what it would change or, with nothing left to write, what runs. @throws ClusterError */
export async function probeMove(
  cluster: Cluster,
  move: ClusterMove,
  design: Design,
  notYet: NotYet,
): Promise<MoveState> {
  const sight = sightOf(cluster);
  const planned = await move.plan(sight, design, notYet);
  if (planned.state !== 'edits') return { ...planned, changes: [] };
  const found = await Promise.all(planned.edits.map((edit) => changeOf(cluster, edit)));
  const changes = found.flatMap((change) => change ?? []);
  if (changes.length > 0) return { state: 'needed', why: words().why.needed(changes.length), changes };
  return { ...(await move.settled(sight, design)), changes: [] };
}

/**
 * Writes what is missing, one object after the other: the order of the edits is part of the plan. Writes nothing when
 * all is in place. @throws TroubleError `infra-…` when it is blocked or not kept; ClusterError
 */
export async function applyMove(
  cluster: Cluster,
  move: ClusterMove,
  design: Design,
  notYet: NotYet,
  tell: (written: Written) => void,
): Promise<void> {
  const planned = await move.plan(sightOf(cluster), design, notYet);
  if (planned.state === 'absent') return;
  if (planned.state !== 'edits') {
    throw new TroubleError({ code: 'infra-blocked', cause: planned.why, ...words().trouble.blocked });
  }
  for (const edit of planned.edits) tell(await applyEdit(cluster, edit));
}

/** Sets the settings back to the operators' own defaults. @throws as applyMove does */
export async function undoMove(
  cluster: Cluster,
  move: ClusterMove,
  design: Design,
  tell: (written: Written) => void,
): Promise<void> {
  for (const edit of await move.undoEdits(sightOf(cluster), design)) tell(await applyEdit(cluster, edit));
}
