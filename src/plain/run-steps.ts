import type { Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatChangedObject } from '../i18n/host-file.ts';
import type { AnyStep, Plan, StepContext, StepId } from '../steps/contract.ts';
import { STEPS } from '../steps/registry.ts';
import { runStepAction } from '../steps/shared/run-step-action.ts';
import { isStep, SCREEN_IDS, type ScreenId } from '../wizard/state.ts';
import { formatInstructions } from './output-lines.ts';
import { isFatal, type PlainIo, printFindings, reportFailure, type StepResult } from './plain-io.ts';
import { runFirstProbe, waitForStepEnd } from './step-probes.ts';

const words = () => catalogue().plain;
const stepWords = () => catalogue().steps;

export interface PlainRunResult {
  /** Every step is done, and no finding needs the user's attention. */
  readonly isVerified: boolean;
  readonly isDeclined: boolean;
  readonly findings: readonly Finding[];
}

/** Maximum number of planned changes to print if no confirmation is asked; the rest is counted. */
const MAX_SHOWN_CHANGES = 12;

/** A change that does not last is not applied over and over. */
const MAX_APPLY_ATTEMPTS = 3;

/**
 * Runs the steps in their order, each to its end, and prints what happens line by line. Stops at the first step that
 * does not reach its end; skips a step that is already done.
 * @param screens the existing screens: only their steps are run
 */
export async function runSteps(
  context: StepContext,
  io: PlainIo,
  steps: Readonly<Record<StepId, AnyStep>> = STEPS,
  screens: readonly ScreenId[] = SCREEN_IDS,
): Promise<PlainRunResult> {
  const findings: Finding[] = [];
  const ids = screens.filter(isStep);
  for (const id of ids) {
    io.print(words().heading(screens.indexOf(id) + 1, screens.length, stepWords().titles[id]));
    const result = await runWithOverrides(steps[id], context, io);
    findings.push(...result.findings);
    if (result.end !== 'done') return { isVerified: false, isDeclined: result.end === 'declined', findings };
  }
  const last = ids.at(-1);
  if (last !== undefined) io.onCurrentStep?.(last);
  return { isVerified: findings.every(({ severity }) => severity === 'note'), isDeclined: false, findings };
}

/** Runs a step to its end. While failed checks block it, asks for a reason to override them. */
async function runWithOverrides(step: AnyStep, context: StepContext, io: PlainIo): Promise<StepResult> {
  for (;;) {
    const result = await runStep(step, context, io);
    const { end, overridable = [] } = result;
    if (end !== 'stuck' || overridable.length === 0) return result;
    for (const { title, cause } of overridable) io.print(words().progressLine(words().blockedBy(title, cause)));
    const reason = (await io.requestOverrideReason?.(overridable)) ?? null;
    if (reason === null) return result;
    try {
      await runStepAction(step, context, { action: 'override', subject: reason }, (line) =>
        io.print(words().progressLine(line)),
      );
    } catch (error) {
      return reportFailure(error, io);
    }
  }
}

async function runStep(step: AnyStep, context: StepContext, io: PlainIo): Promise<StepResult> {
  const stepProbe = await runFirstProbe(step, context, io);
  if (!('probe' in stepProbe) || stepProbe.probe.state !== 'done') io.onCurrentStep?.(step.id);
  if (!('probe' in stepProbe)) return { end: 'stuck', findings: [stepProbe] };
  const first = stepProbe.probe;
  if (first.state === 'done') {
    io.print(words().progressLine(words().alreadyDone(first.summary)));
    printFindings(first.findings, io);
    return { end: 'done', findings: first.findings };
  }
  if (first.state === 'blocked' && first.findings.some(isFatal)) {
    printFindings(first.findings, io);
    return { end: 'stuck', findings: first.findings, overridable: first.overridable };
  }
  const began = context.clock.now();
  let plan = () => stepProbe.plan();
  for (let attempt = 1; ; attempt += 1) {
    const result = await applyOnce(step, context, io, plan);
    if (result !== null) return result;
    const outcome = await waitForStepEnd(step, context, io, { began, canReapply: attempt < MAX_APPLY_ATTEMPTS });
    if (outcome !== 'act-again') return outcome;
    plan = async () => (await step.probe(context)).plan();
  }
}

/** Shows what a step would do, asks for confirmation if it is dangerous, and applies it; null: it was applied. */
async function applyOnce(
  step: AnyStep,
  context: StepContext,
  io: PlainIo,
  createPlan: () => Promise<Plan>,
): Promise<StepResult | null> {
  let plan: Plan;
  try {
    plan = await createPlan();
  } catch (error) {
    return reportFailure(error, io);
  }
  // A plan that needs confirmation is shown completely.
  const shownChanges = plan.isDangerous ? plan.changes : plan.changes.slice(0, MAX_SHOWN_CHANGES);
  for (const change of shownChanges) io.print(words().plan(formatChangedObject(change), change.what));
  if (plan.changes.length > shownChanges.length) io.print(words().more(plan.changes.length - shownChanges.length));
  for (const line of formatInstructions(plan.instructions)) io.print(line);
  if (plan.isDangerous && plan.changes.length > 0 && !((await io.confirm()) && (await confirmLoss(plan, io)))) {
    io.print(words().declined);
    return { end: 'declined', findings: [] };
  }
  try {
    await runStepAction(step, context, { action: 'apply', subject: null, shown: plan }, (line) =>
      io.print(words().progressLine(line)),
    );
  } catch (error) {
    return reportFailure(error, io);
  }
  return null;
}

async function confirmLoss({ typedConfirmation }: Plan, io: PlainIo): Promise<boolean> {
  if (typedConfirmation === undefined || !io.confirmWord) return true;
  io.print(words().progressLine(typedConfirmation.reason));
  return await io.confirmWord(typedConfirmation.word);
}
