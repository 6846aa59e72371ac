import type { Finding } from '../../diagnosis/finding.ts';
import { checkKey, isReason, type Override } from '../../diagnosis/prepare/gate.ts';
import { userName } from '../../session/owner.ts';
import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';

const MOST_LETTERS = 300;

/** The overrides of this installation, oldest first. */
export function overridesOf({ memory }: Pick<StepContext, 'memory'>): readonly Override[] {
  return memory.get('check-overrides') ?? [];
}

/**
 * Goes past these failed checks, and past no other, with a person's reason: kept in the session, and told in the report.
 * @param find what has failed now; asked only for what is a reason
 * @throws TroubleError `override-reason` for what is no reason
 */
export async function goPast(
  context: StepContext,
  reason: string,
  find: () => Promise<readonly Finding[]>,
  report: (line: string) => void,
): Promise<void> {
  const said = sanitizeLine(redact(reason.trim()), MOST_LETTERS);
  const { title, cause, whatToDo, done } = catalogue().steps.prepare.override;
  if (!isReason(said)) throw new TroubleError({ code: 'override-reason', title, cause: cause(said), whatToDo });
  const checks = (await find()).map(checkKey);
  if (checks.length === 0) return;
  const override: Override = { checks, reason: said, by: userName(), at: new Date(context.clock.now()).toISOString() };
  context.memory.set('check-overrides', [...overridesOf(context), override]);
  report(done(checks.join(', ')));
}
