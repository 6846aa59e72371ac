import type { Act, ActEnd, ActLog } from '../../session/acts.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { AnyStep, Plan, Report, StepAction, StepContext } from '../contract.ts';

/** For a cluster without an install directory, where there is no journal. */
export const UNLOGGED: ActLog = { begin: () => () => undefined };

/**
 * Has a step act: the one way for every front end.
 * @param what.shown the plan that was agreed to
 * @throws TroubleError `session-unwritable` where it cannot be written down: then nothing has begun; else as the step does
 */
export async function haveAct(
  step: AnyStep,
  context: StepContext,
  {
    action,
    subject,
    shown = null,
  }: { readonly action: StepAction; readonly subject: string | null; readonly shown?: Plan | null },
  report: Report,
): Promise<void> {
  await logged(context, { step: step.id, action, subject }, async () => {
    if (action === 'apply') await step.apply(context, report, shown);
    else if (action === 'undo') await step.undo?.(context, subject, report);
    else if (action === 'override') await step.override?.(context, subject ?? '', report);
    else if (subject === null) return;
    else if (action === 'set-up') await step.setUp?.(context, subject, report);
    else await step.applyOne?.(context, subject, report);
  });
}

/**
 * Does something between two lines of the journal.
 * @param codeOf why the result is a failure; null where it is none
 * @throws TroubleError `session-unwritable`, and nothing has begun; else what `act` throws
 */
export async function logged<T>(
  { acts, signal }: Pick<StepContext, 'acts' | 'signal'>,
  what: Act,
  act: () => Promise<T>,
  codeOf: (result: T) => string | null = () => null,
): Promise<T> {
  const end = acts.begin([what]);
  try {
    const result = await act();
    end([endOf(codeOf(result))]);
    return result;
  } catch (error) {
    end([signal.aborted ? { outcome: 'cancelled', code: null } : endOf(asTrouble(error).code)]);
    throw error;
  }
}

/** How an act with this failure ended. */
export function endOf(code: string | null): ActEnd {
  return code === null ? { outcome: 'done', code } : { outcome: 'failed', code };
}
