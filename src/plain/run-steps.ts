import { type Finding, findingOf } from '../diagnosis/finding.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { beginWait } from '../ports/waiting.ts';
import type { AnyStep, Plan, Probe, Seen, StepContext, StepId } from '../steps/contract.ts';
import { STEPS } from '../steps/registry.ts';
import { haveAct } from '../steps/shared/acts.ts';
import { catalogue } from '../text/catalogue.ts';
import { changedThing } from '../text/host-file.ts';
import { asTrouble } from '../text/trouble.ts';
import { isStep, SCREEN_IDS, type ScreenId } from '../wizard/state.ts';
import { clusterNews } from './cluster-news.ts';
import { findingLines, instructionLines } from './told-lines.ts';

const words = () => catalogue().plain;
const stepWords = () => catalogue().steps;

/** Where to write the lines, and whom to ask before something dangerous. */
export interface PlainIo {
  readonly print: (line: string) => void;
  /** A step that is not done yet, or was the last: this is where somebody who comes later goes on. */
  readonly at?: (step: StepId) => void;
  /** True to go on. Answers by itself where there is no person. */
  readonly confirm: () => Promise<boolean>;
  /** Whether somebody types this word, for what may be lost; left out: nobody is asked. */
  readonly typeWord?: (word: string) => Promise<boolean>;
  /** The reason to go past these failed checks; null: nobody gives one. */
  readonly reason?: (failed: readonly Finding[]) => Promise<string | null>;
}

export interface PlainOutcome {
  /** Every step ended done, and no finding on the way needs a person's attention. */
  readonly isVerified: boolean;
  readonly isDeclined: boolean;
  readonly findings: readonly Finding[];
}

/** How many planned changes it prints where nobody is asked; it counts the rest. */
const SHOWN_CHANGES = 12;

/** What was done may take a moment to be seen: it is done again when it has been asked for this long. */
const STAYS_NEEDED = 2 * MINUTE;
/** What does not hold is not done over and over. */
const MOST_ACTS = 3;
/** Where time runs fast, the patience of a step is seconds of a machine that may be busy. */
const LEAST_LOOKS = 10;

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

interface StepResult {
  readonly end: 'done' | 'stuck' | 'declined';
  readonly findings: readonly Finding[];
  /** Of a step that is stuck: the checks that a reason would go past. */
  readonly overridable?: readonly Finding[];
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

function failed(error: unknown, io: PlainIo): StepResult {
  const finding = findingOf(asTrouble(error));
  printFindings([finding], io);
  return { end: 'stuck', findings: [finding] };
}

/** The first look at a step; reports a look that throws, and repeats it until the step's patience ends. */
async function firstLook(step: AnyStep, context: StepContext, io: PlainIo): Promise<Seen | Finding> {
  const began = context.clock.now();
  const wait = beginWait(context.clock);
  let lastCause = '';
  for (;;) {
    try {
      return await step.look(context);
    } catch (error) {
      const trouble = asTrouble(error);
      const elapsed = context.clock.now() - began;
      const finding = findingOf(trouble);
      if (wait.isOver(step.patience, LEAST_LOOKS)) {
        printFindings([finding], io);
        return finding;
      }
      if (trouble.cause !== lastCause) io.print(words().now(elapsed, `${trouble.title}: ${trouble.cause}`));
      lastCause = trouble.cause;
    }
    await context.clock.sleep(step.lookEvery ?? SECOND, context.signal);
  }
}

/**
 * Looks until the step is done, says why it is not, or its patience ends; or until there has been something to do again
 * for a while (a service was changed by somebody, a wait gave up).
 */
async function waitForEnd(
  step: AnyStep,
  context: StepContext,
  io: PlainIo,
  { began, mayActAgain }: { readonly began: number; readonly mayActAgain: boolean },
): Promise<StepResult | 'act-again'> {
  // What the act itself took is not taken from the patience.
  const wait = beginWait(context.clock);
  const seen = new Set<string>();
  let lastSummary = '';
  let lastView: unknown = null;
  let neededSince: number | null = null;
  for (;;) {
    const lookBegan = context.clock.now();
    const probe = await probeSafely(() => step.verify(context), step.id);
    const elapsed = context.clock.now() - began;
    printFindings(
      probe.findings.filter((finding) => !seen.has(finding.title)),
      io,
    );
    for (const finding of probe.findings) seen.add(finding.title);
    for (const line of clusterNews(step.id, lastView, probe.view)) io.print(words().doing(line));
    lastView = probe.view;
    if (probe.state === 'done') {
      io.print(words().done(elapsed, probe.summary));
      return { end: 'done', findings: probe.findings };
    }
    if (probe.findings.some(isFatal)) return { end: 'stuck', findings: probe.findings, overridable: probe.overridable };
    neededSince = probe.state === 'needed' ? (neededSince ?? lookBegan) : null;
    if (mayActAgain && neededSince !== null && context.clock.now() - neededSince >= STAYS_NEEDED) return 'act-again';
    if (probe.summary !== lastSummary) io.print(words().now(elapsed, probe.summary));
    lastSummary = probe.summary;
    if (wait.isOver(step.patience, LEAST_LOOKS)) {
      io.print(words().gaveUp(elapsed, probe.summary));
      return { end: 'stuck', findings: [...probe.findings, stuckFinding(step.id, probe.summary)] };
    }
    // A slow look is not repeated without a rest.
    await context.clock.sleep(Math.max(step.lookEvery ?? SECOND, context.clock.now() - lookBegan), context.signal);
  }
}

/** A probe that throws is no end: we report it and look again. */
async function probeSafely(look: () => Promise<Probe<unknown>>, id: StepId): Promise<Probe<unknown>> {
  try {
    return await look();
  } catch (error) {
    const trouble = asTrouble(error);
    return {
      state: 'waiting',
      summary: `${stepWords().titles[id]}: ${trouble.title}: ${trouble.cause}`,
      view: null,
      findings: [],
    };
  }
}

function printFindings(findings: readonly Finding[], io: PlainIo): void {
  for (const line of findings.flatMap(findingLines)) io.print(line);
}

const isFatal = (finding: Finding) => finding.severity === 'fatal';

function stuckFinding(id: StepId, summary: string): Finding {
  return {
    code: 'not-finished',
    state: 'failed',
    severity: 'fatal',
    subject: id,
    title: stepWords().titles[id],
    cause: summary,
    whatToDo: '',
  };
}
