import { type Diagnosis, diagnose, isUnsettled } from '../../diagnosis/causes/index.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Page, StepContext } from '../contract.ts';
import { gatherEvidence } from './gather.ts';
import { diagnosisLines } from './text.ts';

export { diagnoseBundle } from './bundle.ts';
export { diagnosisLines } from './text.ts';

const words = () => catalogue().diagnose;

/** HAProxy calls a member UP after two checks, ten seconds apart; a firewall that reloads is back sooner. */
const SETTLES_IN = 30 * SECOND;

/**
 * Looks at everything and says what is wrong, the most likely cause first. What may pass in seconds is looked at twice. Changes
 * nothing.
 * @param report takes a line when it takes longer
 * @throws the reason of the signal when it is aborted
 */
export async function diagnoseNow(
  context: StepContext,
  report: (line: string) => void = () => undefined,
): Promise<Diagnosis[]> {
  const first = diagnose(await gatherEvidence(context));
  if (!isUnsettled(first)) return first;
  report(words().secondLook(SETTLES_IN / SECOND));
  await context.clock.sleep(SETTLES_IN, context.signal);
  return diagnose(await gatherEvidence(context), first);
}

/** The same as a page of the wizard. */
export async function diagnosisPage(context: StepContext): Promise<Page> {
  const found = await diagnoseNow(context);
  return { title: words().title(found.length), lines: diagnosisLines(found, false) };
}
