import type { Finding } from '../../diagnosis/finding.ts';
import { closedBy } from '../../diagnosis/prepare/gate.ts';
import { type CheckedPhase, gateFindings } from '../../diagnosis/prepare/items.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { poweredOn } from '../shared/machines/later-nodes.ts';
import { goPast, overridesOf } from '../shared/overrides.ts';
import { sitePhases } from './site.ts';

/**
 * The failed checks that keep Prepare from going on. None once a machine was powered on: what it found is of the past then.
 * @param isServed what machines boot with is made and served
 */
export function closedChecks(
  context: StepContext,
  phases: readonly CheckedPhase[],
  isServed: boolean,
): readonly Finding[] {
  if (Object.keys(poweredOn(context)).length > 0) return [];
  return closedBy(phases, overridesOf(context), isServed);
}

/** @throws TroubleError `site-checks` while a blocking check has failed that nobody has overridden */
export async function assertOpen(context: StepContext): Promise<void> {
  const [first] = gateFindings(closedChecks(context, await sitePhases(context), false));
  if (first !== undefined) throw new TroubleError(first);
}

/**
 * Goes past the blocking checks that have failed now, and past no other, with a person's reason: kept in the session, and told in the report.
 * @throws TroubleError `override-reason` for what is no reason
 */
export async function overrideChecks(
  context: StepContext,
  reason: string,
  isServed: boolean,
  report: (line: string) => void,
): Promise<void> {
  const find = async () => closedChecks(context, await sitePhases(context), isServed);
  await goPast(context, reason, find, report);
}
