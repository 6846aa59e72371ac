import type { CsrVerdict } from './csr-verdict.ts';

/**
 * Requests that need a decision come first. A superseded request still belongs to one of our nodes. Foreign requests
 * were filtered before the review, as in cluster-machine-approver, and decided ones are complete.
 */
const RANK: Readonly<Record<CsrVerdict['verdict'], number>> = {
  expected: 0,
  refused: 1,
  superseded: 2,
  'not-ours': 3,
  decided: 4,
};

/** Comparator for lists of requests: by rank, then newest first, then by name. */
export function compareForReview(a: CsrVerdict, b: CsrVerdict): number {
  return RANK[a.verdict] - RANK[b.verdict] || (b.requestedAt ?? 0) - (a.requestedAt ?? 0) || (a.name < b.name ? -1 : 1);
}
