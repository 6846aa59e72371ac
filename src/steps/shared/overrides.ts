import type { Finding } from '../../checks/check.ts';
import { getCheckKey, isValidReason, type Override } from '../../checks/prepare/overrides.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { getUserName } from '../../platform/environment.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import type { StepContext } from '../contract.ts';

const MAX_REASON_LENGTH = 300;

/** Reads the overrides of this installation, oldest first. */
export function readOverrides({ stepState }: Pick<StepContext, 'stepState'>): readonly Override[] {
  return stepState.get('check-overrides') ?? [];
}

/**
 * Overrides these failed checks, and no others. The session and the report keep the user's reason.
 * @param listFailedChecks lists what has failed now; called only with a valid reason
 * @throws UserErrorException `override-reason` if the text is no valid reason
 */
export async function overrideFailedChecks(
  context: StepContext,
  reason: string,
  listFailedChecks: () => Promise<readonly Finding[]>,
  report: (line: string) => void,
): Promise<void> {
  const text = sanitizeLine(redact(reason.trim()), MAX_REASON_LENGTH);
  const { title, cause, remedy, done } = catalogue().steps.prepare.override;
  if (!isValidReason(text))
    throw new UserErrorException({ code: 'override-reason', title, cause: cause(text), remedy });
  const checks = (await listFailedChecks()).map(getCheckKey);
  if (checks.length === 0) return;
  const override: Override = {
    checks,
    reason: text,
    by: getUserName(),
    at: new Date(context.clock.now()).toISOString(),
  };
  context.stepState.set('check-overrides', [...readOverrides(context), override]);
  report(done(checks.join(', ')));
}
