import type { Design } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { MoveName } from './moves.ts';

/** Consequences of a move beyond its changes, as sentences. */
interface MoveEffects {
  /** The workloads that restart; empty if none does. */
  readonly restarts: readonly string[];
  /** The expected outage and its reason. */
  readonly outage: string;
  /** Facts that are unknown before the move is applied, each with its reason. */
  readonly knownLater: readonly string[];
}

/** Describes the consequences of a move for this design. */
export function describeEffects(name: MoveName, { infra }: Pick<Design, 'infra'>): MoveEffects {
  return catalogue().moves.byName[name].effects({
    isVolume: infra.registry.storage === 'pvc',
    hasVolumes: infra.monitoring.storageClass !== null,
    noExecute: infra.taint.noExecute,
  });
}
