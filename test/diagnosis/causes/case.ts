import type { Likelihood } from '../../../src/diagnosis/causes/cause.ts';
import type { Evidence } from '../../../src/diagnosis/causes/evidence.ts';
import type { CauseId } from '../../../src/diagnosis/causes/index.ts';

/** A rule, evidence that shows its cause and how surely, and evidence that looks like it and is something else, or nothing. */
export type Case = readonly [CauseId, readonly [Evidence, Likelihood][], readonly Evidence[]];
