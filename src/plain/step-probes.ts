import { type Finding, findingFromError } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { toUserError } from '../i18n/user-error.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import { startWaitTimer } from '../platform/wait-timer.ts';
import type { AnyStep, Probe, StepContext, StepId, StepProbe } from '../steps/contract.ts';
import { describeClusterChanges } from './cluster-changes.ts';
import { isFatal, type PlainIo, printFindings, type StepResult } from './plain-io.ts';

const words = () => catalogue().plain;
const stepWords = () => catalogue().steps;

/** An applied change may take a moment to be visible: the step is applied again once it was needed for this long. */
const REAPPLY_DELAY = 2 * MINUTE;
/** In accelerated time, the timeout of a step is only seconds of a host that may be busy. */
const MIN_PROBES = 10;

/** Probes a step for the first time. Reports a probe that throws, and repeats it until the step's timeout. */
export async function runFirstProbe(step: AnyStep, context: StepContext, io: PlainIo): Promise<StepProbe | Finding> {
  const began = context.clock.now();
  const wait = startWaitTimer(context.clock);
  let lastCause = '';
  for (;;) {
    try {
      return await step.probe(context);
    } catch (error) {
      const userError = toUserError(error);
      const elapsed = context.clock.now() - began;
      const finding = findingFromError(userError);
      if (wait.isOver(step.timeoutMs, MIN_PROBES)) {
        printFindings([finding], io);
        return finding;
      }
      if (userError.cause !== lastCause)
        io.print(words().elapsedLine(elapsed, `${userError.title}: ${userError.cause}`));
      lastCause = userError.cause;
    }
    await context.clock.sleep(step.probeIntervalMs ?? SECOND, context.signal);
  }
}

/**
 * Probes until the step is done, reports why it is not, or times out; or until it was needed again for a while (another
 * program changed a service, a wait gave up).
 */
export async function waitForStepEnd(
  step: AnyStep,
  context: StepContext,
  io: PlainIo,
  { began, canReapply: mayActAgain }: { readonly began: number; readonly canReapply: boolean },
): Promise<StepResult | 'act-again'> {
  // The duration of the apply itself does not count towards the timeout.
  const wait = startWaitTimer(context.clock);
  const reportedTitles = new Set<string>();
  let lastSummary = '';
  let lastView: unknown = null;
  let neededSince: number | null = null;
  for (;;) {
    const probeBegan = context.clock.now();
    const probe = await probeSafely(() => step.verify(context), step.id);
    const elapsed = context.clock.now() - began;
    printFindings(
      probe.findings.filter((finding) => !reportedTitles.has(finding.title)),
      io,
    );
    for (const finding of probe.findings) reportedTitles.add(finding.title);
    for (const line of describeClusterChanges(step.id, lastView, probe.view)) io.print(words().progressLine(line));
    lastView = probe.view;
    if (probe.state === 'done') {
      io.print(words().done(elapsed, probe.summary));
      return { end: 'done', findings: probe.findings };
    }
    if (probe.findings.some(isFatal)) return { end: 'stuck', findings: probe.findings, overridable: probe.overridable };
    neededSince = probe.state === 'needed' ? (neededSince ?? probeBegan) : null;
    if (mayActAgain && neededSince !== null && context.clock.now() - neededSince >= REAPPLY_DELAY) return 'act-again';
    if (probe.summary !== lastSummary) io.print(words().elapsedLine(elapsed, probe.summary));
    lastSummary = probe.summary;
    if (wait.isOver(step.timeoutMs, MIN_PROBES)) {
      io.print(words().timedOut(elapsed, probe.summary));
      const findings = [...probe.findings, createStuckFinding(step.id, probe.summary)];
      return { end: 'stuck', findings, overridable: probe.overridable };
    }
    // After a slow probe, the pause is at least as long as the probe.
    await context.clock.sleep(
      Math.max(step.probeIntervalMs ?? SECOND, context.clock.now() - probeBegan),
      context.signal,
    );
  }
}

/** A probe that throws does not end the wait: it is reported and repeated. */
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
    title: stepWords().titles[id],
    cause: summary,
    remedy: '',
  };
}
