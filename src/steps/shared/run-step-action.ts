import { readFile } from 'node:fs/promises';
import type { Finding } from '../../checks/check.ts';
import { getCheckKey, isValidReason, type Override } from '../../checks/prepare/overrides.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { getUserName } from '../../platform/environment.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact, Secret } from '../../platform/secrets.ts';
import { runLogged } from '../../session/audit-log.ts';
import type { AnyStep, Page, Plan, Report, StepAction, StepContext } from '../contract.ts';
import { formatAction } from '../step-action.ts';
import { readSnapshot } from './cluster-access.ts';
import { workspace } from './workspace.ts';

/**
 * Runs an action of a step and records it in the audit log: the only way for every front end.
 * @param options.shown the plan that was agreed to
 * @throws UserErrorException `session-unwritable` if it cannot be recorded: then nothing has begun; else what the step
 * throws
 */
export async function runStepAction(
  step: AnyStep,
  context: StepContext,
  { action, shown = null }: { readonly action: StepAction; readonly shown?: Plan | null },
  report: Report,
): Promise<void> {
  const run = async () => {
    switch (action.type) {
      case 'apply':
        return await step.apply(context, report, shown);
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
  await (step.job ? run() : runLogged(context, { step: step.id, ...formatAction(action) }, run));
}

const MAX_REASON_LENGTH = 300;

/** Reads the overrides of this installation, oldest first. */
export function readOverrides({ stepState }: Pick<StepContext, 'stepState'>): readonly Override[] {
  return stepState.get('check-overrides') ?? [];
}

/**
 * Overrides these failed checks, and no others. The session and the report keep the user's reason.
 * @param findFailed lists what has failed now; called only with a valid reason
 * @throws UserErrorException `override-reason` if the text is no valid reason
 */
export async function overrideFailedChecks(
  context: StepContext,
  reason: string,
  findFailed: () => Promise<readonly Finding[]>,
  report: (line: string) => void,
): Promise<void> {
  const text = sanitizeLine(redact(reason.trim()), MAX_REASON_LENGTH);
  const { title, cause, remedy, done } = catalogue().steps.prepare.override;
  if (!isValidReason(text))
    throw new UserErrorException({ code: 'override-reason', title, cause: cause(text), remedy });
  const checks = (await findFailed()).map(getCheckKey);
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

/**
 * Builds the page about logging in to the console, with the current password of kubeadmin from its file; the page says
 * so if there is none.
 */
export async function buildPasswordPage(context: StepContext): Promise<Page> {
  const {
    title,
    console: consoleLine,
    consoleUnknown,
    user,
    label,
    hideHint,
    missing,
  } = catalogue().operatorPages.password;
  const path = workspace(context.dir).kubeadminPassword;
  const text = sanitizeLine((await readFile(path, 'utf8').catch(() => '')).trim(), 200);
  if (text === '') return { title, lines: [missing(path)] };
  const snapshot = await readSnapshot(context, ['consoleHost']);
  const url = snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : consoleUnknown;
  return {
    title,
    lines: [consoleLine(url), user],
    secret: { label, value: new Secret(text) },
    after: [hideHint, path],
  };
}
