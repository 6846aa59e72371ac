import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import type { ClusterReader, PendingReason } from '../../moves/cluster-reader.ts';
import { describeChange, type Edit, type MoveChange } from '../../moves/edit.ts';
import type { ClusterMove, MoveStatus } from '../../moves/infra-move.ts';
import type { PlannedCluster } from '../../moves/planned-cluster.ts';
import { refinePendingCause } from '../../moves/shared/pending-cause.ts';
import type { Cluster } from '../api.ts';
import { isClusterError } from '../errors.ts';
import { applyEdit, type EditResult, type WriteHooks } from './edit.ts';

const words = () => catalogue().moves;

/** Waits until the changes that edits have started are complete. @throws UserErrorException if they do not complete */
export type PendingWaiter = (findPending: () => Promise<PendingReason | null>) => Promise<void>;

/** Lists the titles of the needed moves that are not done. */
export type UnfinishedMoveLister = () => Promise<readonly string[]>;

/** Creates the reader through which moves read the cluster. */
export function createClusterReader(cluster: Cluster): ClusterReader {
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
 * Determines the status of a move: the changes that it would make or, with nothing left to write, the rollout.
 * @param cluster the planned cluster; edits are applied to it in order, so that each change follows from the earlier
 * ones
 * @throws ClusterError
 */
export async function probeClusterMove(
  cluster: PlannedCluster,
  move: ClusterMove,
  design: Design,
  listUnfinished: UnfinishedMoveLister,
): Promise<MoveStatus> {
  const planned = await move.plan(cluster, design, listUnfinished);
  if (planned.state !== 'edits') return { ...planned, changes: [] };
  const changes: MoveChange[] = [];
  for (const edit of planned.edits) {
    const change = await cluster.apply(edit);
    if (change !== null) changes.push(change);
  }
  // The rollout is assessed on the cluster as it is. Nodes that will be created are added after that, for later moves.
  const status = changes.length > 0 ? null : await move.probeRollout(cluster, design);
  const rollout = status?.pending
    ? { ...status, pending: await refinePendingCause(cluster, design, status.pending) }
    : status;
  for (const node of planned.expectedNodes ?? []) cluster.addExpected('Node', node);
  const { notes = [], confirmationWord, pending } = planned;
  const appendNotes = (why: string) => [why, ...notes].join(' ');
  if (rollout === null)
    return {
      state: 'needed',
      why: appendNotes(words().why.needed(new Set(changes.map(({ object }) => object)).size)),
      changes,
      notes,
      ...(confirmationWord === undefined ? {} : { confirmationWord }),
      ...(pending === undefined ? {} : { pending }),
    };
  return { ...rollout, why: rollout.state === 'done' ? appendNotes(rollout.why) : rollout.why, changes: [] };
}

/**
 * Applies the missing edits one object after the other: their order is part of the plan. Writes nothing if everything
 * is in place.
 * @param run hooks before each write, `onWrite` after it, and `waitWhilePending` between writes
 * @throws UserErrorException `infra-…` if it is blocked or not kept; errors of `run`; ClusterError
 */
export async function applyClusterMove(
  cluster: Cluster,
  move: ClusterMove,
  design: Design,
  listUnfinished: UnfinishedMoveLister,
  {
    onWrite,
    waitWhilePending,
    ...hooks
  }: WriteHooks & {
    readonly onWrite: (result: EditResult) => void;
    readonly waitWhilePending?: PendingWaiter | undefined;
  },
): Promise<void> {
  const planned = await move.plan(createClusterReader(cluster), design, listUnfinished);
  if (planned.state === 'absent') return;
  if (planned.state !== 'edits') {
    throw new UserErrorException({ code: 'infra-blocked', cause: planned.why, ...words().trouble.blocked });
  }
  for (const edit of planned.edits) {
    const { waitFor } = edit;
    if (waitFor && waitWhilePending && (await isDue(cluster, edit)))
      await waitWhilePending(() => waitFor(createClusterReader(cluster)));
    onWrite(await applyEdit(cluster, edit, hooks));
  }
}

async function isDue(cluster: Cluster, edit: Edit): Promise<boolean> {
  return describeChange(edit, await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined)) !== null;
}
