import type { Design } from '../design/model.ts';
import { catalogue } from '../text/catalogue.ts';
import type { MoveName } from './table.ts';

/** What a move causes beside its changes, in words. */
export interface Effects {
  /** What restarts; empty: nothing. */
  readonly restarts: readonly string[];
  /** What it costs in outage, and why. */
  readonly outage: string;
  /** What cannot be known before the move is made, each with why. */
  readonly knownLater: readonly string[];
}

/** What making the move causes with this design. */
export function effectsOf(name: MoveName, { infra }: Pick<Design, 'infra'>): Effects {
  return catalogue().moves.each[name].effects({
    isVolume: infra.registry.storage === 'pvc',
    hasVolumes: infra.monitoring.storageClass !== null,
    noExecute: infra.taint.noExecute,
  });
}
