import { runWithAuditLog } from '../../session/audit-log.ts';
import type { AnyStep, Plan, ProgressReporter, StepAction, StepContext } from '../contract.ts';
import { formatAction } from '../step-action.ts';

/**
 * Runs an action of a step and records it in the audit log. Every front end runs actions only through this function.
 * @param confirmedPlan the plan that the user confirmed; null: none
 * @throws UserErrorException `session-unwritable` if the action cannot be recorded: then nothing has begun; otherwise
 * the error of the step
 */
export async function runStepAction(
  step: AnyStep,
  context: StepContext,
  { action, confirmedPlan = null }: { readonly action: StepAction; readonly confirmedPlan?: Plan | null },
  report: ProgressReporter,
): Promise<void> {
  const run = async () => {
    switch (action.type) {
      case 'apply':
        return await step.apply(context, report, confirmedPlan);
      case 'undo':
        return await step.undo?.(context, action.target, report);
      case 'override':
        return await step.override?.(context, action.reason, report);
      case 'set-up':
        return await step.setUp?.(context, action.target, report);
      case 'apply-one':
        return await step.applyOne?.(context, action.target, report);
    }
  };
  // A job records its action itself: it continues when this program ends.
  await (step.job ? run() : runWithAuditLog(context, { step: step.id, ...formatAction(action) }, run));
}
