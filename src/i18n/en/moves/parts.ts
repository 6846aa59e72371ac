import { joinNames, plural } from '../ui.ts';

/** Facts that the effects of a move depend on. */
export interface EffectFacts {
  /** Whether the move changes objects of these kinds (as in the objects themselves) and no others. */
  readonly changesOnly: (...kinds: readonly string[]) => boolean;
  /** Whether the registry stores its images in a volume. */
  readonly hasRegistryVolume: boolean;
  /** Whether monitoring stores its metrics in volumes. */
  readonly hasMonitoringVolumes: boolean;
  readonly noExecute: boolean;
}

/** Subject and verb of a sentence about a number of nodes, for example "3 infra nodes are". */
export const formatNodeSubject = (count: number, node: string) =>
  `${plural(count, node)} ${count === 1 ? 'is' : 'are'}`;

/** Joins names with commas; of more than three only the first three, followed by an ellipsis. */
export const joinFirstNames = (names: readonly string[]) =>
  names.length > 3 ? `${joinNames(names.slice(0, 3))} …` : joinNames(names);
