import { type Finding, findingOf } from '../diagnosis/finding.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { beginWait } from '../ports/waiting.ts';
import type { AnyStep, Probe, Seen, StepContext, StepId } from '../steps/contract.ts';
import { catalogue } from '../text/catalogue.ts';
import { asTrouble } from '../text/trouble.ts';
import { clusterNews } from './cluster-news.ts';
import { isFatal, type PlainIo, printFindings, type StepResult } from './plain-io.ts';

const words = () => catalogue().plain;
const stepWords = () => catalogue().steps;

/** What was done may take a moment to be seen: it is done again when it has been asked for this long. */
const STAYS_NEEDED = 2 * MINUTE;
/** Where time runs fast, the patience of a step is seconds of a machine that may be busy. */
const LEAST_LOOKS = 10;

/** The first look at a step; reports a look that throws, and repeats it until the step's patience ends. */
export async function firstLook(step: AnyStep, context: StepContext, io: PlainIo): Promise<Seen | Finding> {
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
export async function waitForEnd(
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
      const findings = [...probe.findings, stuckFinding(step.id, probe.summary)];
      return { end: 'stuck', findings, overridable: probe.overridable };
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
