import type { Finding } from '../../checks/check.ts';
import { isWaitFailure } from '../../checks/installer.ts';
import { isValidReason } from '../../checks/prepare/overrides.ts';
import type { UserError } from '../../i18n/user-error.ts';
import type { Confirmation, ItemProgress, Plan, Probe, StepId } from '../../steps/contract.ts';
import { needsPreview, type StepActionType } from '../../steps/contract.ts';
import { formatTarget } from '../../steps/step-action.ts';
import { computeShare } from '../../steps/wait-progress.ts';
import { type ListFilter, NO_FILTER } from '../list-filter.ts';
import { createTextField, type TextFieldState } from '../text-input.ts';
import { LOG_END_POSITION, type LogPosition } from './log-position.ts';

/** A prompt before an action. `subject`: the one item that it is about, null for the whole step. */
export interface ConfirmationPrompt {
  readonly action: StepActionType;
  readonly subject: string | null;
  /** To confirm, the user types one of `words`, or a reason if there are none; null if a key confirms. */
  readonly input: { readonly field: TextFieldState; readonly words: readonly string[] } | null;
  /** The confirmation text before an undo or a setup; `reading` until it is known. */
  readonly confirmation?: Confirmation | 'reading';
  /** The selection among the parts of the plan; missing: the first part, and no part is open. */
  readonly fold?: PlanFold;
}

/** The parts of a plan as the question shows them: the selected one, and those with their changes below them. */
export interface PlanFold {
  readonly selectedPart: number;
  readonly openParts: readonly number[];
}

export const INITIAL_FOLD: PlanFold = { selectedPart: 0, openParts: [] };

/**
 * The parts of a prompt that a session saves. `typed`: the reason typed so far; a word that confirms is typed again.
 */
export interface PromptSpec extends Pick<ConfirmationPrompt, 'action' | 'subject'> {
  readonly words: readonly string[] | null;
  readonly typed?: string;
}

/** Creates a prompt. */
export function createPrompt({ action, subject, words, typed = '' }: PromptSpec): ConfirmationPrompt {
  const input = words && { field: createTextField(words.length === 0 ? typed : ''), words };
  return { action, subject, input, ...(needsPreview(action) ? { confirmation: 'reading' } : {}) };
}

/**
 * A failed probe is repeated anyway, and the next result removes its error. A failed action stays on the screen until
 * the user retries it.
 */
export type Failure =
  | { readonly during: 'probe'; readonly userError: UserError }
  | { readonly during: 'run'; readonly userError: UserError; readonly attempt: ConfirmationPrompt };

/** The progress of an item, with the time of the first report about it (ms of the clock). */
interface TimedProgress extends ItemProgress {
  readonly startedAt: number;
}

/** The fields of every phase. */
interface StepRunBase {
  readonly probe: Probe<unknown> | null;
  readonly plan: Plan | null;
  /** The progress lines of the action, the newest last. */
  readonly lines: readonly string[];
  /** The last progress of each item that this action has begun or done, and when it began, by subject. */
  readonly itemProgress: Readonly<Partial<Record<string, TimedProgress>>>;
  /** The greatest share of the wait that was observed, 0 to 1: it never goes back. */
  readonly share: number;
  /** Since when the probes show the same state and progress, ms of the clock; null before the first probe. */
  readonly unchangedSince: number | null;
  /** When apply began, ms of the clock; null if it did not, or if a later probe found the step done. */
  readonly appliedAt: number | null;
  /** The selected row of the step's list; -1: the user has not moved, and the page selects one. */
  readonly row: number;
  /**
   * The id of the selected row, which stays selected when rows come and go. Null: none is selected, or the list has no
   * ids.
   */
  readonly rowId: string | null;
  /** The filter of the step's list. */
  readonly filter: ListFilter;
  /** The first visible line of the selected row's text. */
  readonly top: number;
  /** The position in the log of the step. */
  readonly logPosition: LogPosition;
  /** The user has requested a new probe, and its result is not here yet. */
  readonly isRechecking: boolean;
}

/** `wasStopped`: the user stopped the action before it was done. */
interface StopFlag {
  readonly wasStopped: boolean;
}

/** The subject of a diagnosis of a step. */
export type DiagnosisSubject =
  /** The failed findings, each by its code and subject. */
  | { readonly kind: 'findings'; readonly ids: readonly string[] }
  /** A wait without failed findings in which nothing has changed since `since` (ms of the clock). */
  | { readonly kind: 'unchanged'; readonly since: number | null }
  /** The cause on the page of such a wait: whether it still exists. */
  | { readonly kind: 'shown-cause' };

/** Identifies a diagnosis: the same subject is diagnosed again after progress, and at intervals. */
export interface DiagnosisRequest {
  readonly subject: DiagnosisSubject;
  /** The minute of the clock of the last progress, where progress may be that of a repair. */
  readonly changedInMinute?: number;
  /** The number of the interval. `requested`: the user requested it. */
  readonly period: number | 'requested';
}

/**
 * The most likely cause of what a waiting step shows as failed, or of a wait without progress. The page with the
 * diagnosis names the same cause. `finding`: null if a diagnosis found none.
 */
export interface LikelyCause {
  readonly step: StepId;
  readonly request: DiagnosisRequest;
  readonly finding: Finding | 'unknown' | null;
}

/** The phase of a step. Each phase holds only its own fields. */
type Phase =
  /** Not probed yet. */
  | { readonly phase: 'unknown' }
  /** The first probe runs, also the first one after an action. `isReopened`: the page was opened again. */
  | ({ readonly phase: 'probing'; readonly isReopened?: true } & StopFlag)
  /** The plan is shown, and Enter applies it. */
  | ({ readonly phase: 'ready'; readonly probe: Probe<unknown> } & StopFlag)
  /** Applied or waiting: the step is probed repeatedly. */
  | ({ readonly phase: 'watching'; readonly probe: Probe<unknown> } & StopFlag)
  /** Waits for yes or no. After a no, an earlier failure still applies. */
  | ({ readonly phase: 'asking'; readonly prompt: ConfirmationPrompt; readonly failure: Failure | null } & StopFlag)
  /** The action runs. `isStopping`: the user has requested its end, and it has not stopped yet. */
  | {
      readonly phase: 'applying';
      readonly appliedAt: number;
      readonly attempt: ConfirmationPrompt;
      readonly isStopping: boolean;
    }
  | { readonly phase: 'done'; readonly probe: Probe<unknown>; readonly appliedAt: null }
  | { readonly phase: 'failed'; readonly failure: Failure };

/** The state of one step in this session. It is not saved: a resumed session probes the cluster again. */
export type StepRun = StepRunBase & Phase;

/** A step that has not been probed in this session. */
export const INITIAL_STEP_RUN: StepRun = {
  phase: 'unknown',
  probe: null,
  plan: null,
  lines: [],
  itemProgress: {},
  share: 0,
  unchangedSince: null,
  appliedAt: null,
  row: -1,
  rowId: null,
  filter: NO_FILTER,
  top: 0,
  logPosition: LOG_END_POSITION,
  isRechecking: false,
};

/** Whether the user can override what blocks the step: failed checks, or a wait that may never end. */
export function canOverride(run: StepRun): boolean {
  return (run.phase === 'ready' || run.phase === 'watching') && (run.probe.overridableChecks ?? []).length > 0;
}

/** Whether an action runs that the user has not stopped yet. */
export const canStop = (run: StepRun): boolean => run.phase === 'applying' && !run.isStopping;

/** Whether the installer gave up waiting: the step goes on only when the user starts it again. */
export function hasGivenUp({ phase, probe }: StepRun): boolean {
  return phase === 'ready' && (probe?.findings.some(isWaitFailure) ?? false);
}

/** Whether a step is being applied, or waits for its end. */
export const isInProgress = ({ phase }: Pick<StepRun, 'phase'>): boolean =>
  phase === 'watching' || phase === 'applying';

/**
 * Returns the run to show. While a step is probed because its page was opened again, the run stays as the last probe
 * left it, in doubt: nothing moves until the result is here.
 */
export function getShownRun(run: StepRun): StepRun {
  if (run.phase !== 'probing' || run.isReopened !== true || run.probe === null) return run;
  return { ...toProbedPhase(pickBase(run), run.probe, run.wasStopped), isRechecking: true };
}

/** Returns the error of a step as the user reads it; null if nothing failed. */
export function getStepError(run: StepRun): UserError | null {
  return getFailure(run)?.userError ?? null;
}

/**
 * Returns whether the user stopped the action. `requested`: the action still runs. `stopped`: it ended before it was
 * done. Null: neither.
 */
export function getStopState(run: StepRun): 'requested' | 'stopped' | null {
  if (run.phase === 'applying') return run.isStopping ? 'requested' : null;
  return wasStopped(run) ? 'stopped' : null;
}

/**
 * Whether the running action itself blocks the part of a finding. The part is still queued, or the last probe ran
 * before the part began, and saw another part in progress. The user need not correct anything.
 */
export function isBlockedForNow({ code, subject }: Pick<Finding, 'code' | 'subject'>, run: StepRun): boolean {
  if (run.phase !== 'applying' || subject === null || Object.keys(run.itemProgress).length === 0) return false;
  // A probe that finds a part to start reports the others as they are.
  if (code === 'move-blocked' && run.probe?.state !== 'needed') return true;
  return (
    run.itemProgress[subject] === undefined && (run.plan?.changes.some(({ object }) => object === subject) ?? false)
  );
}

/** Whether a step is done, but a lost node awaits its repair, or a part is not as designed. */
export function isDoneWithProblem({ phase, probe }: StepRun): boolean {
  return phase === 'done' && (probe.awaitsRepair === true || probe.hasWarning === true);
}

/** Returns the prompt that waits for an answer; null if there is none. */
export function getOpenPrompt(run: StepRun): ConfirmationPrompt | null {
  return run.phase === 'asking' ? run.prompt : null;
}

/** Whether the required word, or a reason, was typed: a key pressed by mistake is no answer. */
export function hasRequiredInput({ input }: ConfirmationPrompt): boolean {
  if (input === null) return true;
  const text = input.field.text.trim();
  return input.words.length === 0
    ? isValidReason(text)
    : input.words.some((word) => word.toLowerCase() === text.toLowerCase());
}

/**
 * Returns the prompt with its answer. A typed reason becomes the subject of the action. A yes confirms everything that
 * the confirmation shows, so the target of the confirmation becomes the subject.
 */
export function resolvePrompt(prompt: ConfirmationPrompt): ConfirmationPrompt {
  const { input, confirmation } = prompt;
  if (confirmation !== undefined && confirmation !== 'reading' && confirmation.target)
    return { ...prompt, subject: formatTarget(confirmation.target) };
  return input?.words.length === 0 ? { ...prompt, subject: input.field.text.trim() } : prompt;
}

/** Starts a new probe; earlier results do not count any more, and the text of the selected row begins at its top. */
export function startProbe(run: StepRun, wasStopped = false): StepRun {
  return { ...pickBase(run), top: 0, phase: 'probing', wasStopped };
}

/** Opens a prompt before an action. */
export function openPrompt(run: StepRun, prompt: ConfirmationPrompt): StepRun {
  return {
    ...pickBase(run),
    phase: 'asking',
    prompt,
    failure: getFailure(run),
    wasStopped: wasStopped(run),
    top: 0,
  };
}

/**
 * Starts an action of a step.
 * @param now ms of the clock
 */
export function startAction(step: StepId, run: StepRun, attempt: ConfirmationPrompt, now: number): StepRun {
  const phaseFields = {
    phase: 'applying',
    attempt,
    isStopping: false,
    lines: [],
    itemProgress: {},
    top: 0,
    appliedAt: now,
  } as const;
  // The list of the moves follows the running one, until the user selects another.
  const selection = step === 'infra' && attempt.action === 'apply' ? { row: -1, rowId: null } : {};
  return { ...pickBase(run), ...selection, ...phaseFields };
}

/** Closes the prompt after a no: probes made while it was open count now, and an earlier failure still applies. */
export function declinePrompt(run: Extract<StepRun, { phase: 'asking' }>): StepRun {
  const { failure, probe, wasStopped } = run;
  // The question may have been scrolled; the detail of the page begins at its start again.
  const base = { ...pickBase(run), top: 0 };
  if (failure && probe?.state !== 'done') return { ...base, phase: 'failed', failure };
  return probe ? toProbedPhase(base, probe, wasStopped) : { ...base, phase: 'unknown' };
}

/** Requests a new probe. A manual probe dismisses a failure: only the new result counts. */
export function startRecheck(run: StepRun): StepRun {
  const base = run.phase === 'failed' ? startProbe(run) : run;
  return { ...base, isRechecking: run.probe !== null };
}

/**
 * Records the result of a probe; `plan` is null if the probe created none.
 * @param now ms of the clock
 * @param isSuperseded the probe began before the user requested a new one
 */
export function recordProbeResult(
  previousRun: StepRun,
  probe: Probe<unknown>,
  plan: Plan | null,
  now: number,
  isSuperseded = false,
): StepRun {
  const isRechecking = previousRun.isRechecking && isSuperseded;
  const share = computeGreatestShare(previousRun, probe);
  const isUnchanged =
    previousRun.share === share && previousRun.probe !== null && isSameResult(previousRun.probe, probe);
  const unchangedSince = isUnchanged ? (previousRun.unchangedSince ?? now) : now;
  // The list may be sorted again before the user moves the cursor, which must stay on the same row.
  const rowId = findRowIdToKeep(previousRun, probe) ?? (previousRun.row > 0 ? null : (probe.selectedRowId ?? null));
  const run = { ...previousRun, isRechecking, share, unchangedSince, rowId };
  switch (run.phase) {
    // A result that arrives during a prompt or an action must not replace the screen that the user is working on.
    case 'applying':
      return { ...run, probe };
    case 'asking':
      return { ...run, probe, failure: run.failure?.during === 'run' ? run.failure : null };
    case 'failed':
      if (run.failure.during === 'run' && probe.state !== 'done') return { ...run, probe, plan: plan ?? run.plan };
      return toProbedPhase({ ...pickBase(run), plan: plan ?? run.plan }, probe, false);
    case 'unknown':
    case 'probing':
    case 'ready':
    case 'watching':
    case 'done':
      return toProbedPhase({ ...pickBase(run), plan: plan ?? run.plan }, probe, wasStopped(run));
  }
}

/** Returns the id of the selected row. Null: none is selected, or the untouched cursor is on a settled row. */
function findRowIdToKeep({ row, rowId }: StepRun, { settledRowIds = [] }: Probe<unknown>): string | null {
  return row < 0 && rowId !== null && settledRowIds.includes(rowId) ? null : rowId;
}

/** Whether two probes show the same state, summary and findings. */
function isSameResult(a: Probe<unknown>, b: Probe<unknown>): boolean {
  const formatFindings = ({ findings }: Probe<unknown>) =>
    findings.map(({ code, subject }) => `${code} ${subject}`).join('\n');
  return a.state === b.state && a.summary === b.summary && formatFindings(a) === formatFindings(b);
}

/** Returns the greatest share so far; a step that starts over begins at 0 again. */
function computeGreatestShare({ share }: StepRun, { state, progress }: Probe<unknown>): number {
  const observedShare = progress === undefined ? 0 : computeShare(progress);
  const canStartOver = state === 'needed' || state === 'blocked';
  return canStartOver && progress !== undefined && observedShare === 0 ? 0 : Math.max(share, observedShare);
}

/**
 * Finds the error of a failed action, other than apply, on a step that the probe finds done: for example, one item was
 * not undone. Null otherwise.
 */
export function findPartialFailure(previousRun: StepRun, { phase }: StepRun): UserError | null {
  if (previousRun.phase !== 'failed' || previousRun.failure.during === 'probe' || phase !== 'done') return null;
  return previousRun.failure.attempt.action === 'apply' ? null : previousRun.failure.userError;
}

/**
 * Records a failure. A failed action stays on the screen until a retry; a failed probe replaces nothing in progress.
 */
export function recordFailure(previousRun: StepRun, during: Failure['during'], userError: UserError): StepRun {
  const run = { ...previousRun, isRechecking: false };
  if (during === 'run') {
    const attempt = run.phase === 'applying' ? run.attempt : APPLY_PROMPT;
    return { ...pickBase(run), top: 0, phase: 'failed', failure: { during, userError, attempt } };
  }
  const isBusy = run.phase === 'asking' || run.phase === 'applying' || getFailure(run)?.during === 'run';
  return isBusy ? run : { ...pickBase(run), phase: 'failed', failure: { during, userError } };
}

const APPLY_PROMPT: ConfirmationPrompt = { action: 'apply', subject: null, input: null };

/**
 * Returns the phase that follows from a probe. A done step resets its start time, so that a later wait counts from
 * zero.
 */
function toProbedPhase(base: StepRunBase, probe: Probe<unknown>, wasStopped: boolean): StepRun {
  switch (probe.state) {
    case 'done':
      return { ...base, probe, phase: 'done', appliedAt: null };
    case 'waiting':
      return { ...base, probe, phase: 'watching', wasStopped };
    case 'needed':
    case 'blocked':
      return { ...base, probe, phase: 'ready', wasStopped };
  }
}

function getFailure(run: StepRun): Failure | null {
  return run.phase === 'failed' || run.phase === 'asking' ? run.failure : null;
}

function wasStopped(run: StepRun): boolean {
  return 'wasStopped' in run && run.wasStopped;
}

/** Returns the fields that a step keeps in its next phase. */
function pickBase({
  probe,
  plan,
  lines,
  itemProgress,
  share,
  unchangedSince,
  appliedAt,
  row,
  rowId,
  filter,
  top,
  logPosition,
  isRechecking,
}: StepRun): StepRunBase {
  return {
    probe,
    plan,
    lines,
    itemProgress,
    share,
    unchangedSince,
    appliedAt,
    row,
    rowId,
    filter,
    top,
    logPosition,
    isRechecking,
  };
}
