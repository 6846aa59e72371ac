import type { CsrVerdict } from '../../cluster/csr/csr-verdict.ts';
import { updateFlood } from '../../cluster/csr/flood.ts';
import type { FloodEvidence } from '../../diagnosis/certificates/evidence.ts';
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
