import { catalogue } from '../../i18n/catalogue.ts';
import type { ClusterReader } from '../../infra/cluster-reader.ts';
import { overlayPlan } from '../../infra/existing-cluster.ts';
import { type ClusterMove, type InfraMove, readOperator } from '../../infra/infra-move.ts';
import { withMachineNodes } from '../../infra/moves/machine-sets.ts';
import { getRolloutTarget, listDependencies, type MoveName } from '../../infra/moves.ts';
import {
  applyClusterMove,
  createClusterReader,
  probeClusterMove,
  type UndoRecorder,
  type UnfinishedMoveLister,
} from '../../infra/send-edits.ts';
import type { ObservedMove } from '../probe-cache.ts';
import type { InfraContext, MoveExecutor, MoveProbe } from './infra-context.ts';
import { loadBalancerExecutor } from './load-balancer-executor.ts';
import { drainCreatedObjects, planUndo, undoMove } from './undo.ts';

/**
 * Creates the executor of a move.
 * @param probe probes the needed moves: one probe of each is enough for all
 * @param isDone whether a needed move is done by the time this one starts
 */
export function createExecutor(
  infra: InfraContext,
  move: InfraMove<MoveName>,
  probe: MoveProbe,
  isDone: (observed: ObservedMove) => boolean,
): MoveExecutor {
  const listUnfinished = async () => {
    const found = await Promise.all(
      listDependencies(move).map(async (needed) => ({ needed, ...(await probe(needed)) })),
    );
    const open = found.filter((observed) => !isDone(observed));
    const titles = await Promise.all(
      open.map(async ({ needed: { name, mustPrecedeTaint }, state }) => {
        const isConditional = move.isTaint === true && typeof mustPrecedeTaint === 'function';
        const isRequired =
          !isConditional || (await mustPrecedeTaint(createClusterReader(await infra.connect()), state));
        return isRequired ? [catalogue().moves.byName[name].title] : [];
      }),
    );
    return titles.flat();
  };
  return move.where === 'cluster'
    ? clusterExecutor(infra, move, listUnfinished)
    : loadBalancerExecutor(infra, move, listUnfinished);
}

function clusterExecutor(
  infra: InfraContext,
  move: ClusterMove<MoveName>,
  listUnfinished: UnfinishedMoveLister,
): MoveExecutor {
  const { connect, log } = infra;
  const readDesign = (reader: ClusterReader) => withMachineNodes(infra.design, reader);
  const openReader = async () => {
    const cluster = await connect();
    const reader = createClusterReader(cluster);
    return { cluster, reader, design: await readDesign(reader) };
  };
  return {
    async probe(planned) {
      const reader = planned ?? overlayPlan(createClusterReader(await connect()));
      return await probeClusterMove(reader, move, await readDesign(reader), listUnfinished);
    },
    async apply(onWrite, check = () => undefined, waitWhilePending) {
      const { cluster, design } = await openReader();
      const recordUndo: UndoRecorder = async (edit, current) =>
        await log?.recordObject(cluster, move.name, edit, current);
      await applyClusterMove(cluster, move, design, listUnfinished, { onWrite, check, recordUndo, waitWhilePending });
    },
    async getOperator() {
      const target = getRolloutTarget(move.name);
      return target && (await readOperator(createClusterReader(await connect()), target));
    },
    async planUndo(toDefaults) {
      const { cluster, design } = await openReader();
      return await planUndo(cluster, move, { design, log, toDefaults });
    },
    async undo(onWrite, consent) {
      const { cluster, design } = await openReader();
      return await undoMove(cluster, move, { design, log, consent }, onWrite);
    },
    async drain(onWrite, consent) {
      const cluster = await connect();
      return move.drainBeforeDelete
        ? await drainCreatedObjects(cluster, move, move.drainBeforeDelete, { log, consent, report: onWrite })
        : null;
    },
    untilDrained: async (names) =>
      move.drainBeforeDelete
        ? await move.drainBeforeDelete.untilDrained(createClusterReader(await connect()), names)
        : null,
    async untilUndoable() {
      const { reader, design } = await openReader();
      return move.untilUndoable ? await move.untilUndoable(reader, design) : null;
    },
    async untilPodsGone() {
      const { reader, design } = await openReader();
      return move.untilPodsGone ? await move.untilPodsGone(reader, design) : null;
    },
    manualSteps: [],
  };
}
