import type { Finding } from '../diagnosis/finding.ts';
import type { AnyStep, Plan, StepContext, StepId } from '../steps/contract.ts';
import { STEPS } from '../steps/registry.ts';
import { haveAct } from '../steps/shared/acts.ts';
import { catalogue } from '../text/catalogue.ts';
import { changedThing } from '../text/host-file.ts';
import { isStep, SCREEN_IDS, type ScreenId } from '../wizard/state.ts';
import { firstLook, waitForEnd } from './looks.ts';
import { failed, isFatal, type PlainIo, printFindings, type StepResult } from './plain-io.ts';
import { instructionLines } from './told-lines.ts';

const words = () => catalogue().plain;
const stepWords = () => catalogue().steps;

export interface PlainOutcome {
  /** Every step ended done, and no finding on the way needs a person's attention. */
  readonly isVerified: boolean;
  readonly isDeclined: boolean;
  readonly findings: readonly Finding[];
}

/** How many planned changes it prints where nobody is asked; it counts the rest. */
const SHOWN_CHANGES = 12;

/** What does not hold is not done over and over. */
const MOST_ACTS = 3;

/**
 * Takes the steps in their order, each to its end, and prints what happens line by line. Stops at the first step that
 * does not reach its end; passes a step that is already done.
 * @param screens those that there are: only their steps are taken
 */
export async function runSteps(
  context: StepContext,
  io: PlainIo,
  steps: Readonly<Record<StepId, AnyStep>> = STEPS,
  screens: readonly ScreenId[] = SCREEN_IDS,
): Promise<PlainOutcome> {
  const findings: Finding[] = [];
  const ids = screens.filter(isStep);
  for (const id of ids) {
    io.print(words().heading(screens.indexOf(id) + 1, screens.length, stepWords().titles[id]));
    const result = await runPastChecks(steps[id], context, io);
    findings.push(...result.findings);
    if (result.end !== 'done') return { isVerified: false, isDeclined: result.end === 'declined', findings };
  }
  const last = ids.at(-1);
  if (last !== undefined) io.at?.(last);
  return { isVerified: findings.every(({ severity }) => severity === 'note'), isDeclined: false, findings };
}

/** Takes a step to its end; where failed checks block it, as often as somebody has a reason to go past them. */
async function runPastChecks(step: AnyStep, context: StepContext, io: PlainIo): Promise<StepResult> {
  for (;;) {
    const result = await runStep(step, context, io);
    const { end, overridable = [] } = result;
    if (end !== 'stuck' || overridable.length === 0) return result;
    for (const { title, cause } of overridable) io.print(words().doing(words().closed(title, cause)));
    const reason = (await io.reason?.(overridable)) ?? null;
    if (reason === null) return result;
    try {
      await haveAct(step, context, { action: 'override', subject: reason }, (line) => io.print(words().doing(line)));
    } catch (error) {
      return failed(error, io);
    }
  }
}

async function runStep(step: AnyStep, context: StepContext, io: PlainIo): Promise<StepResult> {
  const seen = await firstLook(step, context, io);
  if (!('probe' in seen) || seen.probe.state !== 'done') io.at?.(step.id);
  if (!('probe' in seen)) return { end: 'stuck', findings: [seen] };
  const first = seen.probe;
  if (first.state === 'done') {
    io.print(words().doing(words().alreadyDone(first.summary)));
    printFindings(first.findings, io);
    return { end: 'done', findings: first.findings };
  }
  if (first.state === 'blocked' && first.findings.some(isFatal)) {
    printFindings(first.findings, io);
    return { end: 'stuck', findings: first.findings, overridable: first.overridable };
  }
  const began = context.clock.now();
  let plan = () => seen.plan();
  for (let acts = 1; ; acts += 1) {
    const stopped = await actOnce(step, context, io, plan);
    if (stopped !== null) return stopped;
    const ended = await waitForEnd(step, context, io, { began, mayActAgain: acts < MOST_ACTS });
    if (ended !== 'act-again') return ended;
    plan = async () => (await step.look(context)).plan();
  }
}

/** Shows what a step would do, asks where it is dangerous, and does it; null: it is done. */
async function actOnce(
  step: AnyStep,
  context: StepContext,
  io: PlainIo,
  makePlan: () => Promise<Plan>,
): Promise<StepResult | null> {
  let plan: Plan;
  try {
    plan = await makePlan();
  } catch (error) {
    return failed(error, io);
  }
  // What a person is asked about is shown whole.
  const shown = plan.isDangerous ? plan.changes : plan.changes.slice(0, SHOWN_CHANGES);
  for (const change of shown) io.print(words().plan(changedThing(change), change.what));
  if (plan.changes.length > shown.length) io.print(words().more(plan.changes.length - shown.length));
  for (const line of instructionLines(plan.instructions)) io.print(line);
  if (plan.isDangerous && plan.changes.length > 0 && !((await io.confirm()) && (await agreesToLoss(plan, io)))) {
    io.print(words().declined);
    return { end: 'declined', findings: [] };
  }
  try {
    await haveAct(step, context, { action: 'apply', subject: null, shown: plan }, (line) =>
      io.print(words().doing(line)),
    );
  } catch (error) {
    return failed(error, io);
  }
  return null;
}

async function agreesToLoss({ typed }: Plan, io: PlainIo): Promise<boolean> {
  if (typed === undefined || !io.typeWord) return true;
  io.print(words().doing(typed.why));
  return await io.typeWord(typed.word);
}
