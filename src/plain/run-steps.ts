import { isSilentMachineReported } from '../checks/boot/checks.ts';
import { convertErrorToFinding, type Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { toUserError } from '../i18n/user-error.ts';
import { MINUTE, SECOND, startWaitTimer } from '../platform/clock.ts';
import type { AnyStep, Plan, Probe, ProgressReporter, StepContext, StepId, StepProbe } from '../steps/contract.ts';
import { STEPS } from '../steps/registry.ts';
import { runStepAction } from '../steps/shared/run-step-action.ts';
import { isReportedCause } from '../wizard/live/likely-cause.ts';
import { isStep, SCREEN_IDS, type ScreenId } from '../wizard/state.ts';
import { formatFindings, formatInstructions, formatPlannedChanges, removeScreenKeys, toOutputLines } from './output.ts';
import { describeClusterChanges, getFindingKey } from './state-changes.ts';

/** Output of lines, and confirmations before dangerous actions. */
export interface PlainIo {
  readonly print: (line: string) => void;
  /** Called with each step that is not done yet, and at the end with the last step: a later session continues there. */
  readonly onCurrentStep?: (step: StepId) => void;
  /** Requests a confirmation; true to continue. Returns at once if there is no user. */
  readonly confirm: () => Promise<boolean>;
  /** Asks the user to type `word` to confirm a possible loss; true if it was typed. Absent: no word is needed. */
  readonly confirmWord?: (word: string) => Promise<boolean>;
  /** Requests the reason for overriding these failed checks; null if the user gives none. */
  readonly requestOverrideReason?: (failedChecks: readonly Finding[]) => Promise<string | null>;
  /** Finds what is wrong with the installation. Absent: a failed step is not diagnosed. */
  readonly diagnose?: () => Promise<FailureDiagnosis>;
}

/** The result of `diagnose` after a step failed. */
interface FailureDiagnosis {
  /** The most likely cause; null if nothing was found. */
  readonly cause: Finding | null;
  /** The most likely causes with their evidence and remedies, as lines. */
  readonly lines: readonly string[];
  /** The command that repairs the most likely cause in a rehearsal; empty or missing: none. */
  readonly repairText?: string;
}

interface StepResult {
  readonly outcome: 'done' | 'stuck' | 'declined';
  readonly findings: readonly Finding[];
  /** For a stuck step: the checks that a reason can override. */
  readonly overridableChecks?: readonly Finding[];
}

/** Reports why a step stopped. */
function reportFailure(error: unknown, io: PlainIo): StepResult {
  const finding = convertErrorToFinding(toUserError(error));
  printFindings([finding], io);
  return { outcome: 'stuck', findings: [finding] };
}

/** Prints findings as lines, without the keys of the full screens. */
export function printFindings(findings: readonly Finding[], io: PlainIo): void {
  for (const line of formatFindings(findings)) io.print(removeScreenKeys(line));
}

/** Creates a reporter that prints the progress of a step. An empty line only updates an item, which no line shows. */
const createReporter =
  (io: PlainIo): ProgressReporter =>
  (line) => {
    if (line !== '') io.print(words().progressLine(line));
  };

/** Whether the finding stops the step. */
const isFatal = (finding: Finding) => finding.severity === 'fatal';

/** An applied change may take a moment to be visible: the step is applied again once it was needed for this long. */
const REAPPLY_DELAY = 2 * MINUTE;
/** Minimum number of probes before a timeout counts: in a fast rehearsal, it lasts only seconds. */
const MIN_PROBES = 10;

/** Probes a step for the first time. Reports a probe that throws, and repeats it until the step's timeout. */
async function runFirstProbe(step: AnyStep, context: StepContext, io: PlainIo): Promise<StepProbe | Finding> {
  const startedAt = context.clock.now();
  const waitTimer = startWaitTimer(context.clock);
  let lastCause = '';
  for (;;) {
    try {
      return await step.probe(context);
    } catch (error) {
      const userError = toUserError(error);
      const elapsedMs = context.clock.now() - startedAt;
      const finding = convertErrorToFinding(userError);
      if (waitTimer.isOverAfterProbe(step.timeoutMs, MIN_PROBES)) {
        printFindings([finding], io);
        return finding;
      }
      if (userError.cause !== lastCause)
        io.print(words().elapsedLine(elapsedMs, `${userError.title}: ${userError.cause}`));
      lastCause = userError.cause;
    }
    await context.clock.sleep(step.probeIntervalMs ?? SECOND, context.signal);
  }
}

/**
 * Probes a step until it is done, fails or times out. The result is `reapply` if its job has another question, or if
 * the step was needed again for a while. (Another program changed a service, or a wait gave up.)
 */
async function waitForStepEnd(
  step: AnyStep,
  context: StepContext,
  io: PlainIo,
  { startedAt, canReapply }: { readonly startedAt: number; readonly canReapply: boolean },
): Promise<StepResult | 'reapply'> {
  // The duration of the apply itself does not count towards the timeout.
  const waitTimer = startWaitTimer(context.clock);
  const reportedFindings = new Set<string>();
  let lastSummary = '';
  let lastView: unknown = null;
  let neededSince: number | null = null;
  for (;;) {
    const probeStartedAt = context.clock.now();
    const probe = await probeSafely(() => step.verify(context), step.id);
    const elapsedMs = context.clock.now() - startedAt;
    printFindings(
      probe.findings.filter((finding) => !reportedFindings.has(getFindingKey(finding))),
      io,
    );
    for (const finding of probe.findings) reportedFindings.add(getFindingKey(finding));
    for (const line of describeClusterChanges(step.id, lastView, probe.view)) io.print(words().progressLine(line));
    lastView = probe.view;
    if (probe.state === 'done') {
      // A step that is probed once only writes files.
      io.print(words().done(step.probeIntervalMs === null ? null : elapsedMs, removeScreenKeys(probe.summary)));
      return { outcome: 'done', findings: probe.findings };
    }
    // The step's job waits for an answer to another plan.
    if (probe.job?.isAsking) return 'reapply';
    if (probe.findings.some(isFatal))
      return { outcome: 'stuck', findings: probe.findings, overridableChecks: probe.overridableChecks };
    neededSince = probe.state === 'needed' ? (neededSince ?? probeStartedAt) : null;
    if (canReapply && neededSince !== null && context.clock.now() - neededSince >= REAPPLY_DELAY) return 'reapply';
    if (probe.summary !== lastSummary) io.print(words().elapsedLine(elapsedMs, probe.summary));
    lastSummary = probe.summary;
    // Its job has done all it can: what still blocks the step needs the user.
    if (step.job !== undefined && probe.state === 'blocked')
      return { outcome: 'stuck', findings: probe.findings, overridableChecks: probe.overridableChecks };
    if (waitTimer.isOverAfterProbe(step.timeoutMs, MIN_PROBES)) {
      io.print(words().timedOut(elapsedMs, probe.summary));
      const findings = [...probe.findings, createStuckFinding(step.id, probe.summary)];
      return { outcome: 'stuck', findings, overridableChecks: probe.overridableChecks };
    }
    // After a slow probe, the pause is at least as long as the probe.
    await context.clock.sleep(
      Math.max(step.probeIntervalMs ?? SECOND, context.clock.now() - probeStartedAt),
      context.signal,
    );
  }
}

/** Runs a probe. An error becomes a waiting probe with the error as its summary, so that the wait continues. */
async function probeSafely(probe: () => Promise<Probe<unknown>>, id: StepId): Promise<Probe<unknown>> {
  try {
    return await probe();
  } catch (error) {
    const userError = toUserError(error);
    return {
      state: 'waiting',
      summary: `${stepWords().titles[id]}: ${userError.title}: ${userError.cause}`,
      view: null,
      findings: [],
    };
  }
}

function createStuckFinding(id: StepId, summary: string): Finding {
  return {
    code: 'not-finished',
    state: 'failed',
    severity: 'fatal',
    subject: id,
    title: words().unfinished(stepWords().titles[id]),
    cause: summary,
    remedy: '',
  };
}

const words = () => catalogue().plain;
const stepWords = () => catalogue().steps;

interface PlainRunResult {
  /** Every step is done, and no finding needs the user's attention. */
  readonly isVerified: boolean;
  readonly isDeclined: boolean;
  readonly findings: readonly Finding[];
}

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
    // The cause comes first: the other findings are its consequences.
    if (result.outcome === 'stuck') findings.unshift(...(await diagnoseFailure(result.findings, io)));
    if (result.outcome !== 'done') return { isVerified: false, isDeclined: result.outcome === 'declined', findings };
  }
  const lastStep = ids.at(-1);
  if (lastStep !== undefined) io.onCurrentStep?.(lastStep);
  return { isVerified: findings.every(({ severity }) => severity === 'note'), isDeclined: false, findings };
}

/**
 * Diagnoses the installation after a step failed, and prints the most likely causes.
 * @param findings the findings of the step, which are printed already
 * @returns the most likely cause; empty if there is none, or if a finding of the step reports it
 */
async function diagnoseFailure(findings: readonly Finding[], io: PlainIo): Promise<readonly Finding[]> {
  try {
    const { cause = null, lines = [], repairText = '' } = (await io.diagnose?.()) ?? {};
    if (cause === null) return [];
    const isReported = isReportedCause(cause, findings) || isSilentMachineReported(cause, findings);
    // The finding of the step has the cause and its remedy already, but not what a rehearsal can simulate.
    if (isReported && repairText !== '')
      for (const line of toOutputLines(words().progressLine(repairText))) io.print(line);
    if (isReported) return [];
    for (const line of lines.flatMap(toOutputLines)) io.print(line);
    return [cause];
  } catch (error) {
    return reportFailure(error, io).findings;
  }
}

/** Runs a step to its end. While failed checks block it, asks for a reason to override them. */
async function runWithOverrides(step: AnyStep, context: StepContext, io: PlainIo): Promise<StepResult> {
  for (;;) {
    const result = await runStep(step, context, io);
    const { outcome, overridableChecks = [] } = result;
    if (outcome !== 'stuck' || overridableChecks.length === 0) return result;
    for (const { title, cause } of overridableChecks) io.print(words().progressLine(words().blockedBy(title, cause)));
    const reason = (await io.requestOverrideReason?.(overridableChecks)) ?? null;
    if (reason === null) return result;
    try {
      await runStepAction(step, context, { action: { type: 'override', reason } }, createReporter(io));
    } catch (error) {
      return reportFailure(error, io);
    }
  }
}

async function runStep(step: AnyStep, context: StepContext, io: PlainIo): Promise<StepResult> {
  const firstProbe = await runFirstProbe(step, context, io);
  if (!('probe' in firstProbe) || firstProbe.probe.state !== 'done') io.onCurrentStep?.(step.id);
  if (!('probe' in firstProbe)) return { outcome: 'stuck', findings: [firstProbe] };
  // A running job may block its own step for a while.
  const stepProbe = await followRunningJob(step, context, firstProbe, io);
  if (!('probe' in stepProbe)) return stepProbe;
  const currentProbe = stepProbe.probe;
  if (currentProbe.state === 'done') {
    io.print(words().progressLine(words().alreadyDone(removeScreenKeys(currentProbe.summary))));
    printFindings(currentProbe.findings, io);
    return { outcome: 'done', findings: currentProbe.findings };
  }
  if (currentProbe.state === 'blocked' && currentProbe.findings.some(isFatal)) {
    printFindings(currentProbe.findings, io);
    return { outcome: 'stuck', findings: currentProbe.findings, overridableChecks: currentProbe.overridableChecks };
  }
  const startedAt = context.clock.now();
  let createPlan = () => stepProbe.plan();
  for (let attempt = 1; ; attempt += 1) {
    const result = await applyOnce(step, context, io, createPlan);
    if (result !== null) return result;
    const waitResult = await waitForStepEnd(step, context, io, {
      startedAt,
      canReapply: attempt < MAX_APPLY_ATTEMPTS,
    });
    if (waitResult !== 'reapply') return waitResult;
    createPlan = async () => (await step.probe(context)).plan();
  }
}

/** Follows the action that a job of the step carries out already; then probes again. */
async function followRunningJob(
  step: AnyStep,
  context: StepContext,
  firstProbe: StepProbe,
  io: PlainIo,
): Promise<StepProbe | StepResult> {
  let currentProbe = firstProbe;
  while (currentProbe.probe.job?.isAsking === false) {
    try {
      await step.job?.follow(context, createReporter(io));
      currentProbe = await step.probe(context);
    } catch (error) {
      return reportFailure(error, io);
    }
  }
  return currentProbe;
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
  for (const line of formatPlannedChanges(plan, plan.isDangerous ? plan.changes.length : undefined)) io.print(line);
  for (const line of formatInstructions(plan.instructions)) io.print(line);
  if (plan.question !== undefined) io.print(words().progressLine(plan.question));
  if (plan.isDangerous && plan.changes.length > 0 && !((await io.confirm()) && (await confirmLoss(plan, io)))) {
    // A job of the step that waits for the answer to this plan continues without the plan.
    step.job?.decline(context);
    io.print(words().declined);
    return { outcome: 'declined', findings: [] };
  }
  try {
    await runStepAction(step, context, { action: { type: 'apply' }, confirmedPlan: plan }, createReporter(io));
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
