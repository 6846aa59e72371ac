import { groupByPhase, type PhaseResults } from '../../checks/prepare/items.ts';
import { getElapsedSince, SECOND } from '../../platform/clock.ts';
import { checkSite } from '../check/index.ts';
import type { StepContext } from '../contract.ts';

/** Cached results older than this are checked again. */
const CACHE_PERIOD = 10 * SECOND;

/** Results of the site checks by phase, cached for a moment; none where no network exists yet to probe. */
export async function readSitePhases(context: StepContext): Promise<readonly PhaseResults[]> {
  if (!context.manualActions.canCheckSite) return [];
  const { probeCache, design, clock } = context;
  const cached = probeCache.siteChecks;
  if (cached?.design === design && getElapsedSince(clock, cached.at) < CACHE_PERIOD)
    return groupByPhase(cached.results);
  const results = await checkSite(context);
  probeCache.siteChecks = { at: clock.now(), design, results };
  return groupByPhase(results);
}

/** Clears the cache: the next probe runs the checks again. */
export function clearSiteChecks({ probeCache }: Pick<StepContext, 'probeCache'>): void {
  probeCache.siteChecks = null;
}
