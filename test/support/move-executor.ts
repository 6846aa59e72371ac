import type { Design } from '../../src/design/model.ts';
import { createClusterReader, type PendingWaiter } from '../../src/infra/apply-edits.ts';
import type { InfraContext } from '../../src/infra/context.ts';
import type { MoveChange } from '../../src/infra/edit.ts';
import { createExecutor, describeAbsence } from '../../src/infra/executors.ts';
import type { MoveStatus, PlanFacts } from '../../src/infra/infra-move.ts';
import { addMachineNodes } from '../../src/infra/moves/machine-sets.ts';
import { findMove, type MoveName } from '../../src/infra/moves.ts';
import { createProbeInput } from '../../src/infra/probe.ts';
import { type UndoConsent, undoMove } from '../../src/infra/undo/undo-move.ts';
import type { Cluster } from '../../src/kube/api.ts';
import type { ProgressReporter, StepContext } from '../../src/steps/contract.ts';
import { executeMoves } from '../../src/steps/infra/move-execution.ts';
import { createFrozenClock } from './frozen-clock.ts';

/** Nothing is known beside the cluster: no unfinished moves, no boot images. */
export const NO_PLAN_FACTS: PlanFacts = { listUnfinished: async () => [], readBootImages: async () => null };

/** Creates the context of infra moves on a cluster alone, without an install directory. */
export function createInfraContextFor(
  cluster: Cluster,
  design: Design,
  log: InfraContext['undoLog'] = null,
): InfraContext {
  const { signal } = new AbortController();
  return { design, clock: createFrozenClock(), signal, connect: async () => cluster, directory: null, undoLog: log };
}

/** Probes, applies and undoes one move, without its waiting. */
export function createMoveExecutor(infra: InfraContext, name: MoveName) {
  const move = findMove(name);
  if (move === null) throw new Error(`there is no move ${name}`);
  const executor = createExecutor(infra, move);
  return {
    probe: async (): Promise<MoveStatus> =>
      (await executor?.probe(createProbeInput(infra, move))) ?? {
        state: 'absent',
        why: describeAbsence(infra, move),
        changes: [],
      },
    async apply(check: (change: MoveChange) => void = () => undefined, waitWhilePending?: PendingWaiter) {
      const { listUnfinished } = createProbeInput(infra, move);
      const wait = waitWhilePending === undefined ? {} : { waitWhilePending };
      await executor?.apply({ onWrite: () => undefined, check, listUnfinished, ...wait });
    },
    /** Writes what undo writes to the objects of the cluster. @returns those that others changed */
    async undo(consent: UndoConsent): Promise<readonly string[]> {
      if (move.where === 'files') throw new Error(`${name} is a move of files`);
      const cluster = await infra.connect();
      const design = await addMachineNodes(infra.design, createClusterReader(cluster));
      return await undoMove(cluster, move, { design, log: infra.undoLog, consent }, () => undefined);
    },
  };
}

/** Consent to restore the operator defaults, for changes without an undo record. */
export const TO_DEFAULTS: UndoConsent = { toDefaults: true, shouldOverwrite: () => false };

/** Carries out an order about one move in this process, as the job does it. */
export async function executeJob(
  context: StepContext,
  action: 'apply-one' | 'undo',
  move: MoveName,
  report: ProgressReporter = () => undefined,
): Promise<boolean> {
  const consent = { toDefaults: false, overwrites: false };
  const order = { type: 'order', id: 'test', at: 0, action, subject: move, moves: [move], shown: null } as const;
  return await executeMoves(context, { ...order, ...consent }, { report, ask: async () => false });
}
