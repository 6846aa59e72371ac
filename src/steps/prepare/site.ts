import { byPhase, type CheckedPhase } from '../../diagnosis/prepare/items.ts';
import { SECOND } from '../../ports/clock.ts';
import { ageOf } from '../../ports/waiting.ts';
import { checkSite, siteOfDesign } from '../check/index.ts';
import type { StepContext } from '../contract.ts';

/** Whoever looks again after that wants to know what it is now. */
const FRESH = 10 * SECOND;

/**
 * The checks of the site by phase: asked at a look, unless they were asked just before. A rehearsed site has no wires to ask; its services are judged by the steps that use them.
 */
export async function sitePhases(context: StepContext): Promise<readonly CheckedPhase[]> {
  if (!context.hands.isPerson) return [];
  const { recollection, design, clock } = context;
  const known = recollection.siteChecks;
  if (known?.design === design && ageOf(clock, known.at) < FRESH) return byPhase(known.checked);
  const checked = await checkSite(context, await siteOfDesign(context));
  recollection.siteChecks = { at: clock.now(), design, checked };
  return byPhase(checked);
}

/** The next look asks again. */
export function forgetSite({ recollection }: Pick<StepContext, 'recollection'>): void {
  recollection.siteChecks = null;
}
