import { isDeepStrictEqual } from 'node:util';
import { groupFindingsByPhase, type PhaseResults } from '../../checks/prepare/items.ts';
import { getElapsedSince, SECOND } from '../../platform/clock.ts';
import { type CheckFinding, checkSite } from '../check/index.ts';
import type { StepContext } from '../contract.ts';
import { readPowerOnTimes } from '../shared/machines/node-facts.ts';

/** Cached results older than this are checked again. */
const CACHE_PERIOD = 10 * SECOND;

/** Runs the site checks and returns the results by phase, cached for a moment; empty if the site cannot be checked. */
export async function readSitePhases(context: StepContext): Promise<readonly PhaseResults[]> {
  if (!context.manualActions.canCheckSite) return [];
  const { probeCache, design, clock } = context;
  const cachedChecks = probeCache.siteChecks;
  if (cachedChecks?.design === design && getElapsedSince(clock, cachedChecks.at) < CACHE_PERIOD)
    return groupFindingsByPhase(cachedChecks.results);
  const results = await checkSite(context);
  probeCache.siteChecks = { at: clock.now(), design, results };
  recordUnknownChecks(context, results);
  return groupFindingsByPhase(results);
}

/** Records the checks that could not be decided, for the report; not once a machine was powered on. */
function recordUnknownChecks(context: StepContext, results: readonly CheckFinding[]): void {
  if (Object.keys(readPowerOnTimes(context)).length > 0) return;
  const unknownChecks = results.flatMap(({ finding: { state, title, cause } }) =>
    state === 'unknown' ? [{ title, why: cause }] : [],
  );
  if (!isDeepStrictEqual(context.stepState.get('unknown-checks') ?? [], unknownChecks))
    context.stepState.set('unknown-checks', unknownChecks);
}

/** Clears the cache: the next probe runs the checks again. */
export function clearSiteChecks({ probeCache }: Pick<StepContext, 'probeCache'>): void {
  probeCache.siteChecks = null;
}
