import { isDeepStrictEqual } from 'node:util';
import { checkPullSecret } from '../../checks/machine/checks.ts';
import { groupFindingsByPhase, type PhaseResults } from '../../checks/prepare/items.ts';
import { getElapsedSince, SECOND } from '../../platform/clock.ts';
import { type CheckFinding, checkSite } from '../check/index.ts';
import type { StepContext } from '../contract.ts';
import { checkCredentialFiles } from '../shared/files/credentials.ts';
import { readPowerOnTimes } from '../shared/machines/node-facts.ts';

/** Cached results older than this are checked again. */
const CACHE_PERIOD = 10 * SECOND;

/**
 * Runs the site checks and returns the results by phase, cached for a moment. A pull secret that is wrong comes first;
 * it is the only result if the site cannot be checked.
 */
export async function readSitePhases(context: StepContext): Promise<readonly PhaseResults[]> {
  const [credentialResults, siteResults] = await Promise.all([checkCredentials(context), readSiteResults(context)]);
  return groupFindingsByPhase([...credentialResults, ...siteResults]);
}

async function readSiteResults(context: StepContext): Promise<readonly CheckFinding[]> {
  if (!context.manualActions.canCheckSite) return [];
  const { probeCache, design, clock } = context;
  const cachedChecks = probeCache.siteChecks;
  if (cachedChecks?.design === design && getElapsedSince(clock, cachedChecks.at) < CACHE_PERIOD)
    return cachedChecks.results;
  const results = await checkSite(context);
  probeCache.siteChecks = { at: clock.now(), design, results };
  recordUnknownChecks(context, results);
  return results;
}

/**
 * Lists the failure of the pull secret as `check` has it, if nodes could not install with it. A missing file is left
 * out: it matters only while install-config.yaml is not generated, and then has its own finding.
 */
async function checkCredentials({ credentials, design }: StepContext): Promise<readonly CheckFinding[]> {
  const problems = await checkCredentialFiles(credentials, design);
  const problem = problems.find(({ path }) => path === 'credentials.pullSecretFile');
  if (problem === undefined || problem.rule === 'pull-secret-missing') return [];
  const file = credentials.pullSecretFile ?? design.credentials.pullSecretFile;
  const findings = checkPullSecret({ file, problem }).filter(({ severity }) => severity === 'fatal');
  return findings.map((finding) => ({ phase: 'start', finding }));
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
