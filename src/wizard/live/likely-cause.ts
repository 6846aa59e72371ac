import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../../checks/check.ts';
import type { DiagnosticRuleId } from '../../checks/rules/index.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { StepId } from '../../steps/contract.ts';
import type { WizardState } from '../state.ts';
import type { Update } from '../update-result.ts';
import { type DiagnosisRequest, type DiagnosisSubject, hasGivenUp, type StepRun } from './step-run.ts';

/** Interval of the diagnosis: the cause may change while the findings of the step stay the same. */
const DIAGNOSIS_INTERVAL = 5 * MINUTE;

/** Returns the failed findings that block a step. */
export const listFatalFindings = (run: StepRun): readonly Finding[] =>
  (run.probe?.findings ?? []).filter(({ state, severity }) => state === 'failed' && severity === 'fatal');

/**
 * Requests the diagnosis after a probe of a step that waits: when its failed findings change, after progress beside a
 * shown cause (a repair, at most once a minute), and then every `DIAGNOSIS_INTERVAL`. A wait without failed findings is
 * diagnosed when nothing has changed for that time. A cause stays on the page until a diagnosis does not find it any
 * more. A step whose cause is known is diagnosed after the probes of other steps, too: they may be its repair.
 */
export function requestLikelyCause(update: Update, step: StepId): Update {
  const nextUpdate = requestCauseForStep(update, step);
  const otherStep = nextUpdate.state.likelyCause?.step ?? step;
  const isWaiting = getDiagnosisSubject(nextUpdate.state.runs[otherStep]) !== null;
  return otherStep === step || !isWaiting ? nextUpdate : requestCauseForStep(nextUpdate, otherStep);
}

function requestCauseForStep({ state, effects }: Update, step: StepId): Update {
  const run = state.runs[step];
  const { likelyCause } = state;
  const previousCause = likelyCause?.step === step ? likelyCause : null;
  // Two steps that wait do not displace each other's causes in turn: the one on the screen comes first.
  if (
    likelyCause !== null &&
    previousCause === null &&
    state.screen !== step &&
    getDiagnosisSubject(state.runs[likelyCause.step]) !== null
  )
    return { state, effects };
  const currentSubject = getDiagnosisSubject(run);
  if (currentSubject === null)
    return { state: previousCause === null ? state : { ...state, likelyCause: null }, effects };
  const previousSubject = previousCause?.request.subject;
  const isSameSubject = isDeepStrictEqual(previousSubject, currentSubject);
  const shownFinding = getKnownCause(state, step);
  // A cause stays on the page beside progress and other findings. Only a diagnosis, or a step that recovers, ends it.
  const keepsShownCause =
    shownFinding !== null && (currentSubject.kind === 'findings' || previousSubject?.kind !== 'findings');
  const subject: DiagnosisSubject =
    keepsShownCause && currentSubject.kind === 'unchanged' ? { kind: 'shown-cause' } : currentSubject;
  const unchangedMs = subject.kind === 'unchanged' ? state.now - (subject.since ?? state.now) : null;
  // Before `DIAGNOSIS_INTERVAL` has passed, only a diagnosis that the user requested counts.
  if (unchangedMs !== null && unchangedMs < DIAGNOSIS_INTERVAL)
    return { state: previousCause === null || isSameSubject ? state : { ...state, likelyCause: null }, effects };
  const request = {
    subject,
    period: Math.floor((unchangedMs ?? state.now) / DIAGNOSIS_INTERVAL),
    // A step whose installer gave up goes on only after a repair, and a repair lets the stages go on.
    ...(subject.kind === 'shown-cause' || hasGivenUp(run)
      ? { changedInMinute: Math.floor((run.unchangedSince ?? state.now) / MINUTE) }
      : {}),
  };
  if (isDeepStrictEqual(previousCause?.request, request)) return { state, effects };
  const finding = previousCause !== null && (isSameSubject || keepsShownCause) ? previousCause.finding : 'unknown';
  return {
    state: { ...state, likelyCause: { step, request, finding } },
    effects: [...effects, { type: 'find-cause', step, request }],
  };
}

/** Returns the cause that a diagnosis found for a step; null if it found none, or is not complete. */
function getKnownCause({ likelyCause }: Pick<WizardState, 'likelyCause'>, step: StepId): Finding | null {
  return likelyCause?.step === step && likelyCause.finding !== 'unknown' ? likelyCause.finding : null;
}

const hasFatalFindings = (run: StepRun) => listFatalFindings(run).length > 0;

/** Whether the step shows a failure whose cause is worth a diagnosis at once. */
const hasFailed = (run: StepRun) => hasFatalFindings(run) || hasGivenUp(run);

/** Returns what a diagnosis of the step is about; null if the step does not wait. */
function getDiagnosisSubject(run: StepRun): DiagnosisSubject | null {
  if (run.phase !== 'watching' && !hasGivenUp(run)) return null;
  if (!hasFailed(run)) return { kind: 'unchanged', since: run.unchangedSince };
  const findings = hasGivenUp(run) ? (run.probe?.findings ?? []) : listFatalFindings(run);
  return { kind: 'findings', ids: findings.map(({ code, subject }) => JSON.stringify([code, subject])).toSorted() };
}

/**
 * Records the cause that the diagnosis found, unless the step shows something else by now. Beside a step without failed
 * findings only a certain cause counts: anything else may be a normal state of the wait, unless that is stuck.
 * @param request the request of the background diagnosis; absent if the user requested the diagnosis
 */
export function recordLikelyCause(
  state: WizardState,
  step: StepId,
  finding: Finding | null,
  request?: DiagnosisRequest,
): WizardState {
  const run = state.runs[step];
  const { likelyCause } = state;
  const subject = getDiagnosisSubject(run);
  const previousCause = likelyCause?.step === step ? likelyCause : null;
  if (request !== undefined && (previousCause === null || !isSameRequest(previousCause.request, request))) return state;
  const needsCertainCause = subject?.kind !== 'findings' && run.probe?.isStuck !== true;
  const cause = needsCertainCause && finding?.likelihood !== 'certain' ? null : finding;
  if (previousCause !== null) return { ...state, likelyCause: { ...previousCause, finding: cause } };
  if (subject !== null && cause !== null)
    return { ...state, likelyCause: { step, request: { subject, period: 'requested' }, finding: cause } };
  // A diagnosis is about the whole installation: it counts for the step whose cause is known, too.
  return likelyCause === null ? state : recordLikelyCause(state, likelyCause.step, finding);
}

/** Whether two requests differ at most by progress: a rehearsal at a high speed makes some during each diagnosis. */
const isSameRequest = (a: DiagnosisRequest, b: DiagnosisRequest) =>
  a.period === b.period && isDeepStrictEqual(a.subject, b.subject);

/**
 * Whether a step goes on only after a repair: a finding blocks it, its cause is certain, it makes no progress, a node
 * is lost, or the installer gave up. After the installer gave up, a diagnosis that finds nothing shows the repair.
 */
export function needsRepair(state: Pick<WizardState, 'likelyCause' | 'runs'>, step: StepId): boolean {
  const run = state.runs[step];
  if (run.phase === 'applying') return run.probe?.awaitsRepair === true;
  // Infra moves are blocked only if none can be started.
  const isBlocked = step === 'infra' && run.probe?.state === 'blocked';
  if (run.phase === 'ready' && (isBlocked || run.probe.isStuck === true)) return true;
  const isNothingFound = state.likelyCause?.step === step && state.likelyCause.finding === null;
  if (run.phase !== 'watching') return hasGivenUp(run) && !isNothingFound;
  const { isStuck = false, awaitsRepair = false } = run.probe;
  const isCertain = getKnownCause(state, step)?.likelihood === 'certain';
  return isStuck || awaitsRepair || hasFatalFindings(run) || isCertain;
}

/**
 * Returns the cause to show above the findings of a step; null if there is none, or if it is one of them. A finding of
 * the same fault names the machine and the addresses: only a certain cause replaces it.
 */
export function findLikelyCause(state: Pick<WizardState, 'likelyCause'>, step: StepId, run: StepRun) {
  const cause = getKnownCause(state, step);
  return cause === null || run.probe === null || isReportedCause(cause, run.probe.findings) ? null : cause;
}

/**
 * Whether one of the findings reports the cause already. A certain cause says more than a finding of the same fault.
 */
export const isReportedCause = (cause: Finding, findings: readonly Finding[]): boolean =>
  findings.some(
    (finding) => finding.code === cause.code || (cause.likelihood !== 'certain' && isSameFault(cause, finding)),
  );

/** The findings of steps that report the same fault as a diagnostic rule. */
const FINDINGS_BY_RULE: Readonly<Partial<Record<string, readonly string[]>>> = {
  'wrong-mac': ['boot-unknown-mac'],
  'address-taken-twice': ['boot-address-taken'],
  'foreign-dhcp': ['boot-stuck'],
  'etcd-member-lost': ['member-lost'],
  'node-gone': ['member-lost'],
} satisfies Partial<Record<DiagnosticRuleId, readonly string[]>>;

/**
 * Whether a finding of a step reports the same fault, of the same node, as the cause. The rule of etcd names no node.
 */
export function isSameFault(cause: Finding, { code, subject }: Finding): boolean {
  if (!FINDINGS_BY_RULE[cause.code]?.includes(code)) return false;
  return cause.code === 'etcd-member-lost' || cause.subject?.split('.')[0] === subject;
}
