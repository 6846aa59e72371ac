import { toUserError } from '../../i18n/user-error.ts';
import type { AuditLog, AuditRecord, AuditResult } from '../../session/audit-log.ts';
import type { AnyStep, Plan, Report, StepAction, StepContext } from '../contract.ts';

/** For a cluster without an install directory, which has no journal. */
export const NO_AUDIT_LOG: AuditLog = { begin: () => () => undefined };

/**
 * Runs an action of a step and records it in the audit log: the only way for every front end.
 * @param options.shown the plan that was agreed to
 * @throws UserErrorException `session-unwritable` if it cannot be recorded: then nothing has begun; else what the step
 * throws
 */
export async function runStepAction(
  step: AnyStep,
  context: StepContext,
  {
    action,
    subject,
    shown = null,
  }: { readonly action: StepAction; readonly subject: string | null; readonly shown?: Plan | null },
  report: Report,
): Promise<void> {
  await runLogged(context, { step: step.id, action, subject }, async () => {
    if (action === 'apply') await step.apply(context, report, shown);
    else if (action === 'undo') await step.undo?.(context, subject, report);
    else if (action === 'override') await step.override?.(context, subject ?? '', report);
    else if (subject === null) return;
    else if (action === 'set-up') await step.setUp?.(context, subject, report);
    else await step.applyOne?.(context, subject, report);
  });
}

/**
 * Runs an action between two lines of the journal.
 * @param getErrorCode why the result is a failure; null if it is none
 * @throws UserErrorException `session-unwritable`, and nothing has begun; else what `run` throws
 */
export async function runLogged<T>(
  { auditLog, signal }: Pick<StepContext, 'auditLog' | 'signal'>,
  record: AuditRecord,
  run: () => Promise<T>,
  getErrorCode: (result: T) => string | null = () => null,
): Promise<T> {
  const finish = auditLog.begin([record]);
  try {
    const result = await run();
    finish([toAuditResult(getErrorCode(result))]);
    return result;
  } catch (error) {
    finish([signal.aborted ? { outcome: 'cancelled', code: null } : toAuditResult(toUserError(error).code)]);
    throw error;
  }
}

/** Returns the audit result of an action that ended with this error code; null: without an error. */
export function toAuditResult(code: string | null): AuditResult {
  return code === null ? { outcome: 'done', code } : { outcome: 'failed', code };
}
