import type { Judgement } from './judgement.ts';

/**
 * What waits for somebody comes first. A superseded request is still from one of our nodes; what is not ours was sorted
 * out before it was judged (as cluster-machine-approver ignores it), and decided ones are over.
 */
const RANK: Readonly<Record<Judgement['verdict'], number>> = {
  expected: 0,
  refused: 1,
  superseded: 2,
  'not-ours': 3,
  decided: 4,
};

/** Sorts requests for a list: by what they are to us, then newest first, then by name. */
export function byInterest(a: Judgement, b: Judgement): number {
  return RANK[a.verdict] - RANK[b.verdict] || (b.requestedAt ?? 0) - (a.requestedAt ?? 0) || (a.name < b.name ? -1 : 1);
}
