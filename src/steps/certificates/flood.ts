import { floodAfter } from '../../cluster/csr/flood.ts';
import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { FloodEvidence } from '../../diagnosis/certificates/evidence.ts';
import type { StepContext } from '../contract.ts';

/**
 * The flood of requests after this look; null when there was none.
 * @param requests all, judged; null: not available, which ends no flood
 */
export function seeFlood(
  { design, clock, recollection }: Pick<StepContext, 'design' | 'clock' | 'recollection'>,
  requests: readonly Judgement[] | null,
): FloodEvidence | null {
  if (requests !== null) recollection.flood = floodAfter(recollection.flood, requests, { design, now: clock.now() });
  return recollection.flood;
}
