import { plural } from '../plural.ts';

/** What the effects of a move depend on. */
export interface EffectFacts {
  /** The registry keeps its images in a volume. */
  readonly isVolume: boolean;
  /** Monitoring keeps its metrics in volumes. */
  readonly hasVolumes: boolean;
  readonly noExecute: boolean;
}

/** The head of a sentence about so many nodes. */
export const areNodes = (count: number, node: string) => `${plural(count, node)} ${count === 1 ? 'is' : 'are'}`;

export const list = (names: readonly string[]) => names.join(', ');

/** The first of many. */
export const some = (names: readonly string[]) => (names.length > 3 ? `${list(names.slice(0, 3))} …` : list(names));
