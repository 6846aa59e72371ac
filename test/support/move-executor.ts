import type { Design } from '../../src/design/model.ts';
import { findMove, type MoveName } from '../../src/infra/moves.ts';
import type { Cluster } from '../../src/kube/api.ts';
import { createExecutor } from '../../src/steps/infra/executor.ts';
import type { InfraContext, MoveExecutor } from '../../src/steps/infra/infra-context.ts';
import { isSatisfied } from '../../src/steps/infra/move-predicates.ts';
import { createProbe } from '../../src/steps/infra/probe.ts';
import type { UndoConsent } from '../../src/steps/infra/undo.ts';
import { createFrozenClock } from './frozen-clock.ts';

/** Creates the context of infra moves on a cluster alone, without an install directory. */
export function createInfraContextFor(cluster: Cluster, design: Design, log: InfraContext['log'] = null): InfraContext {
  const { signal } = new AbortController();
  return { design, clock: createFrozenClock(), signal, connect: async () => cluster, context: null, log };
}

/** Creates the executor of one move. */
export function createMoveExecutor(infra: InfraContext, name: MoveName): MoveExecutor {
  const move = findMove(name);
  if (move === null) throw new Error(`there is no move ${name}`);
  return createExecutor(infra, move, createProbe(infra), isSatisfied);
}

/** Consent to restore the operator defaults, for changes without an undo record. */
export const TO_DEFAULTS: UndoConsent = { toDefaults: true, overwrites: () => false };
