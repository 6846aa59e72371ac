import type { FloodEvidence } from '../../checks/certificates.ts';
import { updateFlood } from '../../csr/review-requests.ts';
import type { CsrVerdict } from '../../csr/verdict.ts';

import type { StepContext } from '../contract.ts';

/**
 * Records the flood of requests after this probe; null if there was none.
 * @param requests all reviewed requests; null: not available, which ends no flood
 */
export function recordFlood(
  { design, clock, probeCache }: Pick<StepContext, 'design' | 'clock' | 'probeCache'>,
  requests: readonly CsrVerdict[] | null,
): FloodEvidence | null {
  if (requests !== null) probeCache.flood = updateFlood(probeCache.flood, requests, { design, now: clock.now() });
  return probeCache.flood;
}
