import type { Finding } from '../../diagnosis/finding.ts';
import { checkKey, closedBy, isReason, type Override } from '../../diagnosis/prepare/gate.ts';
import { type CheckedPhase, gateFindings } from '../../diagnosis/prepare/items.ts';
import { userName } from '../../session/owner.ts';
import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { poweredOn } from '../shared/machines/later-nodes.ts';
import { sitePhases } from './site.ts';

const MOST_LETTERS = 300;

/** The overrides of this installation, oldest first. */
export function overridesOf({ memory }: Pick<StepContext, 'memory'>): readonly Override[] {
  return memory.get('check-overrides') ?? [];
}

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
  const said = sanitizeLine(redact(reason.trim()), MOST_LETTERS);
  const { title, cause, whatToDo, done } = catalogue().steps.prepare.override;
  if (!isReason(said)) throw new TroubleError({ code: 'override-reason', title, cause: cause(said), whatToDo });
  const checks = closedChecks(context, await sitePhases(context), isServed).map(checkKey);
  if (checks.length === 0) return;
  const override: Override = { checks, reason: said, by: userName(), at: new Date(context.clock.now()).toISOString() };
  context.memory.set('check-overrides', [...overridesOf(context), override]);
  report(done(checks.join(', ')));
}
