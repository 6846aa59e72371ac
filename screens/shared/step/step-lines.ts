import type { Finding } from '../../../src/checks/check.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { markCommand, splitProse, wrapProse } from '../../../src/i18n/prose.ts';
import type { UserError } from '../../../src/i18n/user-error.ts';
import { MINUTE, SECOND } from '../../../src/platform/clock.ts';
import { getDisplayWidth, wrapLines } from '../../../src/platform/text.ts';
import { createSpinner, type PageRow, type Segment, type Tone, type Viewport } from '../../../src/rows/page-rows.ts';
import { createProgressRow } from '../../../src/rows/progress.ts';
import { formatStatusText, getStatusTone, type Status } from '../../../src/rows/status.ts';
import { getNoticeSign, NOTICE_TONES } from '../../../src/rows/text.ts';
import type { StepId } from '../../../src/steps/contract.ts';
import { computeDrawnShare, estimateWait, type WaitPart } from '../../../src/steps/wait-progress.ts';
import { findLikelyCause, isSameFault, needsRepair } from '../../../src/wizard/live/likely-cause.ts';
import { listOutdatedSteps } from '../../../src/wizard/live/outdated-steps.ts';
import {
  canOverride,
  getStepError,
  getStopState,
  hasGivenUp,
  isBlockedForNow,
  isDoneWithProblem,
  isInProgress,
  type StepRun,
} from '../../../src/wizard/live/step-run.ts';
import { filterErrors, SCREEN_IDS, type WizardState } from '../../../src/wizard/state.ts';
import { describeAction } from './step-bindings.ts';

const words = () => catalogue().screens.step;

const STATUS: Readonly<Record<StepRun['phase'], Status>> = {
  unknown: 'running',
  probing: 'running',
  ready: 'pending',
  asking: 'pending',
  applying: 'running',
  watching: 'running',
  done: 'ok',
  failed: 'failed',
};

/**
 * Describes why the API could not be read, in place of its data.
 * @param apiDetail the outage in one line
 * @returns a short note instead of the outage if a finding of the page already reports it
 */
export function describeOutage(apiDetail: string, { probe }: Pick<StepRun, 'probe'>): string {
  const isReported = probe?.findings.some(({ title }) => apiDetail.startsWith(title)) === true;
  return isReported ? catalogue().cluster.outage.reported : apiDetail;
}

/**
 * Minimum elapsed time that is shown, ms. While nothing changes, the time on the screen may lag behind by that much.
 */
const MIN_ELAPSED = 10 * SECOND;

/** Returns the state of the step, in one sentence. */
function formatState(run: StepRun, now: number, { title, busyLine, isBrief }: StateOptions): string {
  if (run.phase === 'unknown') return words().probing;
  if (run.phase === 'probing') return busyLine ?? words().probing;
  const line =
    run.phase === 'applying'
      ? (busyLine ?? run.lines.at(-1) ?? words().applying)
      : (getStepError(run)?.title ?? run.probe?.summary ?? '');
  // The summary of a wait that is stuck has its own time.
  const elapsedText =
    !isBrief &&
    run.appliedAt !== null &&
    run.phase === 'watching' &&
    run.probe?.isStuck !== true &&
    now - run.appliedAt >= MIN_ELAPSED
      ? `, ${words().elapsed(catalogue().screens.age(now - run.appliedAt), title)}`
      : '';
  const remark = run.phase !== 'done' && run.probe?.remark ? ` (${run.probe.remark})` : '';
  return `${line}${elapsedText}${remark}`;
}

/**
 * `height`: maximum rows. `busyLine`: the line while the step is probed or an action runs; undefined: that it is
 * checked, or the newest message of the action. `isBrief`: the time since the step began is left out. `isStuck`: the
 * wait continues only after a repair. `title`: that of the step.
 */
interface StateOptions {
  readonly title: string;
  readonly height: number;
  readonly busyLine: string | undefined;
  readonly isBrief: boolean;
  readonly isStuck: boolean;
}

/** Wraps the state of the step to at most `height` lines; the last line holds the rest. */
function wrapState(run: StepRun, now: number, viewport: Viewport, options: StateOptions): readonly string[] {
  const { height } = options;
  const textColumns = viewport.columns - getDisplayWidth(getSign(deriveStatus(run, options.isStuck), viewport)) - 1;
  const lines = wrapLines(formatState(run, now, options), textColumns);
  // The result is in doubt while it is checked again. Its height stays, so that nothing below moves.
  if (isInDoubt(run)) return [words().rechecking, ...Array<string>(Math.min(height, lines.length) - 1).fill('')];
  return lines.length <= height ? lines : [...lines.slice(0, height - 1), lines.slice(height - 1).join(' ')];
}

/**
 * Returns the state of the step, with its mark or a spinner. A wait that is stuck has no spinner: nothing goes on.
 *
 *     ✔ names and load balancer answer as designed
 *     ⠋ 5 of 10 machines fetched their ignition, for 4 min
 */
export function stateRows(run: StepRun, now: number, viewport: Viewport, options: StateOptions): PageRow[] {
  const status = deriveStatus(run, options.isStuck);
  const tone = getStatusTone(status);
  const isLong = run.appliedAt === null || now - run.appliedAt > MINUTE;
  const pace = isLong ? 'slow' : run.phase === 'watching' ? 'calm' : 'quick';
  const sign: Segment = status === 'running' ? createSpinner(pace, viewport) : { text: getSign(status, viewport) };
  const blank: Segment = { text: ' '.repeat(getDisplayWidth(sign.text)) };
  return wrapState(run, now, viewport, options).map((line, index) => ({
    segments: [
      { ...(index === 0 ? sign : blank), tone },
      { text: ` ${line}`, tone },
    ],
  }));
}

/** Whether the page of a step has a bar: it waits, and its progress was observed. An undo has none. */
export function hasProgressBar(run: StepRun): boolean {
  if (run.phase === 'applying' && run.attempt.action === 'undo') return false;
  return isInProgress(run) && run.probe?.state !== 'done' && run.probe?.progress !== undefined;
}

/** Whether the page of a step estimates its time: the bar does, or else the sentence on how long it usually takes. */
export function hasOwnEstimate(id: StepId, run: StepRun): boolean {
  return isInProgress(run) && (hasProgressBar(run) || getUsualDuration(id) !== undefined);
}

function getUsualDuration(id: StepId): string | undefined {
  const durations: Partial<Record<StepId, string>> = catalogue().steps.usualDurations;
  return durations[id];
}

/** Maximum columns of the bar: a longer bar is not more precise. */
const MAX_BAR_COLUMNS = 40;
/**
 * Up to this many minutes, the exact number is shown; above it, steps of five, since more precision would be
 * misleading.
 */
const EXACT_MINUTES = 20;

/**
 * Returns the progress bar of a wait; no rows if no progress was observed.
 *
 *     ━━━━━━━━━━━━━━━━╸─────────  62 %  about 9 min left
 *
 * @param isStuck whether the step continues only after a repair: no time is estimated
 */
export function waitRows(
  run: StepRun,
  { now, isStuck }: { readonly now: number; readonly isStuck: boolean },
  viewport: Viewport,
): PageRow[] {
  const { probe } = run;
  if (!probe?.progress || !hasProgressBar(run)) return [];
  const { percent, progress } = catalogue().ui;
  // The last probe may have been made before the user confirmed one item alone.
  const onlySubject = run.phase === 'applying' && run.attempt.action === 'apply-one' ? run.attempt.subject : null;
  const parts = probe.progress
    .filter(({ subject }) => onlySubject === null || subject === undefined || subject === onlySubject)
    .map((part) => addReportedProgress(part, run));
  const share = Math.max(onlySubject === null ? run.share : 0, computeDrawnShare(parts, now));
  const { remaining, isOverdue } = estimateWait(parts, now);
  const minutes = Math.floor((remaining[0] + remaining[1]) / 2 / MINUTE);
  const shownMinutes = minutes <= EXACT_MINUTES ? minutes : Math.ceil(minutes / 5) * 5;
  const remainingText = isStuck
    ? progress.needsRepair
    : isOverdue || probe.isLate
      ? progress.overdue
      : progress.remainingMinutes(shownMinutes);
  // Something is still missing: only a step that is done is at 100 %.
  const label = `${percent(Math.min(99, Math.floor(share * 100))).padStart(4)}  ${remainingText}`;
  const width = Math.min(MAX_BAR_COLUMNS, viewport.columns - getDisplayWidth(label) - 2);
  return width < 10
    ? [{ segments: [{ text: label }] }]
    : [createProgressRow({ done: share, total: 1, width, label }, viewport)];
}

/** Adds what the running action has reported about its item since the last probe. */
function addReportedProgress(part: WaitPart, { phase, itemProgress }: StepRun): WaitPart {
  const item = part.subject === undefined || phase !== 'applying' ? undefined : itemProgress[part.subject];
  if (item === undefined) return part;
  return item.state === 'done'
    ? { ...part, share: 1 }
    : { ...part, startedAt: item.startedAt, hasHiddenProgress: true };
}

/** Whether the user has requested a new probe of what is on the screen. */
function isInDoubt({ phase, isRechecking }: StepRun): boolean {
  return isRechecking && (phase === 'ready' || phase === 'watching' || phase === 'done');
}

function deriveStatus(run: StepRun, isStuck: boolean): Status {
  const { phase, probe } = run;
  if (isInDoubt(run)) return 'running';
  if (hasGivenUp(run)) return 'failed';
  if (isDoneWithProblem(run) || (phase === 'ready' && probe?.isStuck === true)) return 'warning';
  if (phase === 'watching' && isStuck) return 'warning';
  if (phase !== 'ready' || probe?.state !== 'blocked') return STATUS[phase];
  // A part that waits is no failure.
  const hasOnlyWarnings = probe.findings.length > 0 && probe.findings.every(({ severity }) => severity === 'warning');
  return hasOnlyWarnings ? 'warning' : 'failed';
}

function getSign(status: Status, viewport: Viewport): string {
  return formatStatusText(status, viewport, '').trimEnd();
}

/**
 * Fits the notes into `maxLines` lines. The last line points to the help page for the rest, so nothing is dropped
 * silently. A command is shown to its end or not at all; the first one that must be visible, with the sentence that
 * introduces it, replaces the lines before it. What to do about the first finding comes before its cause and the
 * command that shows it.
 */
export function fitNotes(allNotes: readonly NoteLine[], maxLines: number, mark = '…'): readonly NoteLine[] {
  if (allNotes.length <= maxLines) return allNotes;
  const notes = favourRemedy(allNotes, maxLines - 1);
  const moreLine: NoteLine = { text: words().moreNotes, tone: 'accent', isCommand: false, mustBeVisible: false };
  if (notes.length < maxLines) return [...notes, moreLine];
  const commandStart = notes.findIndex(({ isCommand, mustBeVisible }) => isCommand && mustBeVisible);
  const command = notes.slice(
    commandStart,
    commandStart + notes.slice(commandStart).findIndex((line) => !line.text.endsWith('\\')) + 1,
  );
  const linesBefore = maxLines - 1 - command.length;
  if (commandStart > linesBefore && linesBefore > 0) {
    // A command that shows the fault has no sentence of its own.
    const isEvidence = command[0]?.part === 'evidence';
    const sentence = isEvidence ? [] : takeLastSentence(notes.slice(0, commandStart));
    const instruction = takeInstruction(notes.slice(0, commandStart), sentence);
    // The instruction is not repeated: the lines before it end where the remedy begins.
    const remedyStart = instruction.length === 0 ? notes.length : notes.findIndex(({ part }) => part === 'remedy');
    const headLines = linesBefore - instruction.length - sentence.length;
    const canKeepBoth = headLines > 0;
    const cutHead = (lines: number) => cutNotes(notes, Math.min(lines, remedyStart), mark);
    if (instruction.length > 0 && !canKeepBoth && maxLines - 1 - instruction.length > 0)
      return [...cutHead(maxLines - 1 - instruction.length), ...instruction, moreLine];
    if (canKeepBoth) return [...cutHead(headLines), ...instruction, ...sentence, ...command, moreLine];
  }
  let end = maxLines - 1;
  while (notes[end - 1]?.isCommand && notes[end - 1]?.text.endsWith('\\')) end -= 1;
  return [...endAtSentence(dropIntroduction(notes, end)), moreLine];
}

/** Returns the first `end` notes, without a sentence that introduces a command after them. */
function dropIntroduction(notes: readonly NoteLine[], end: number): readonly NoteLine[] {
  const lines = notes.slice(0, end);
  if (notes[end]?.isCommand !== true || lines.at(-1)?.text.endsWith(':') !== true) return lines;
  const [firstLine, ...otherLines] = takeLastSentence(lines);
  const line = lines[lines.length - 1 - otherLines.length];
  if (firstLine === undefined || line === undefined) return lines;
  const text = line.text.slice(0, line.text.length - firstLine.text.trimStart().length).trimEnd();
  const linesBefore = lines.slice(0, lines.length - 1 - otherLines.length);
  return text === '' ? linesBefore : [...linesBefore, { ...line, text }];
}

const cutNotes = (notes: readonly NoteLine[], lines: number, mark: string) =>
  markCut(endAtSentence(notes.slice(0, lines)), mark);

/**
 * Returns the lines of the first sentence of a remedy: what to do. Empty if it only introduces the command.
 * @param lastSentence the sentence that introduces the command
 */
function takeInstruction(lines: readonly NoteLine[], lastSentence: readonly NoteLine[]): readonly NoteLine[] {
  const start = lines.findIndex(({ part }) => part === 'remedy');
  if (start < 0) return [];
  const note = lines.slice(start, start + countWhile(lines.slice(start), ({ part }) => part === 'remedy'));
  const end = note.findIndex(({ text }) => /[.?!](?= |$)/.test(text));
  if (end < 0 || note.length <= lastSentence.length) return [];
  return note.slice(0, end + 1).map((line, index) => {
    const [text = line.text] = index < end ? [] : (/^.*?[.?!](?= |$)/.exec(line.text) ?? []);
    return { ...line, text };
  });
}

/** Drops an incomplete sentence at the end of the lines if a complete one precedes it in the same note. */
function endAtSentence(lines: readonly NoteLine[]): readonly NoteLine[] {
  const start = lines.findLastIndex(({ isContinued }) => isContinued !== true) + 1;
  for (const [index, line] of [...lines.entries()].slice(start).toReversed()) {
    const [text] = /^.*[.?!](?= |$)/.exec(line.text) ?? [];
    if (text !== undefined) return [...lines.slice(0, index), { ...line, text }];
  }
  return lines;
}

/** Returns the lines of the sentence at the end of a note, which introduces a command. */
function takeLastSentence(lines: readonly NoteLine[]): readonly NoteLine[] {
  const noteStart = lines.slice(0, -1).findLastIndex(({ isContinued }) => isContinued !== true) + 1;
  const note = lines.slice(noteStart);
  const isStart = /^(.*[.?!] +)(?=\S)/;
  const start = note.findLastIndex(({ text }) => isStart.test(text));
  const [first, ...others] = note.slice(Math.max(0, start));
  if (first === undefined) return [];
  const [indent = ''] = /^ */.exec(first.text) ?? [];
  return [{ ...first, text: indent + first.text.trimStart().replace(isStart, '') }, ...others];
}

/** Puts a mark in place of the last word where a sentence goes on in a line that is left out. */
function markCut(lines: readonly NoteLine[], mark: string): readonly NoteLine[] {
  const lastLine = lines.at(-1);
  if (lastLine?.isContinued !== true || /[.?!:]$/.test(lastLine.text)) return lines;
  return [...lines.slice(0, -1), { ...lastLine, text: lastLine.text.replace(/\S+$/, mark) }];
}

/** Drops the cause of the first finding, then the command that shows the fault, if the remedy needs their lines. */
function favourRemedy(notes: readonly NoteLine[], maxLines: number): readonly NoteLine[] {
  const remedyStart = notes.findIndex(({ part }) => part === 'remedy');
  if (remedyStart < 0) return notes;
  const remedyEnd = remedyStart + countWhile(notes.slice(remedyStart), ({ part }) => part === 'remedy');
  const evidenceEnd = remedyEnd + countWhile(notes.slice(remedyEnd), ({ part }) => part === 'evidence');
  if (evidenceEnd <= maxLines) return notes;
  const isCause = ({ part, mustBeVisible }: NoteLine) => part === 'cause' && !mustBeVisible;
  const linesBefore = notes.slice(0, remedyStart).filter((line) => !isCause(line));
  const evidence = notes.slice(remedyEnd, evidenceEnd);
  const canKeepEvidence = linesBefore.length + evidenceEnd - remedyStart <= maxLines;
  return [
    ...linesBefore,
    ...notes.slice(remedyStart, remedyEnd),
    ...(canKeepEvidence ? evidence : []),
    ...notes.slice(evidenceEnd),
  ];
}

function countWhile<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  const end = items.findIndex((item) => !matches(item));
  return end < 0 ? items.length : end;
}

/** The part of a finding that a note describes; `action`: what to do next in the step, independent of findings. */
type NotePart = 'cause' | 'remedy' | 'evidence' | 'action';

/** A text under the body, with commands in backticks. `mustBeVisible`: whether these must not be dropped. */
interface Note {
  readonly text: string;
  readonly tone?: Tone;
  readonly mustBeVisible?: boolean;
  readonly part?: NotePart;
  /** The sign before the text of a notice. */
  readonly sign?: string;
}

/** A line of a note. A command is never broken, whatever the width. */
export interface NoteLine {
  readonly text: string;
  readonly tone: Tone;
  readonly isCommand: boolean;
  readonly mustBeVisible: boolean;
  readonly part?: NotePart;
  /** Its sentence may go on in the next line. */
  readonly isContinued?: boolean;
}

/** Wraps notes; continuation lines align with the start of the text. */
export function wrapNotes(notes: readonly Note[], columns: number): readonly NoteLine[] {
  return notes.flatMap((note) => {
    const [indent = ''] = /^ */.exec(note.text) ?? [];
    const head = note.sign === undefined ? indent : `${note.sign} `;
    return wrapProse(note.text.slice(indent.length), columns, head).map(
      ({ text, isCommand }, index, lines): NoteLine => ({
        text,
        tone: isCommand ? 'accent' : (note.tone ?? 'text'),
        isCommand,
        mustBeVisible: isCommand && note.mustBeVisible === true,
        ...(note.part === undefined ? {} : { part: note.part }),
        ...(isCommand || lines[index + 1]?.isCommand !== false ? {} : { isContinued: true }),
      }),
    );
  });
}

/** Returns a warning while the answers have errors, because the step still uses the last valid design. */
export function createLastValidDesignNotes({ design, inForce, problems }: WizardState): Note[] {
  if (design !== null || inForce === null) return [];
  return [{ text: words().lastValidDesign(filterErrors(problems).length), tone: 'warn' }];
}

/**
 * Returns a warning with the steps that an answer has changed since: the last page only says that they are not done.
 */
function createOutdatedNotes(state: WizardState): Note[] {
  const names = listOutdatedSteps(state)
    .filter((id) => id !== SCREEN_IDS.at(-1))
    .map((id) => catalogue().screens.sidebar[id]);
  return names.length === 0 ? [] : [{ text: words().outdatedSteps(names.join(', ')), tone: 'warn' }];
}

/** Collects the notes under the body: a key without effect, the failure, the findings, and the instructions. */
export function collectNotes(
  state: WizardState,
  {
    id,
    hasOwnInstructions = false,
    isRowOfList = () => false,
    isErrorOfList = () => false,
    runsInJob = false,
    hasMarkedRow = false,
    hasUnicode = true,
  }: {
    readonly id: StepId;
    readonly hasOwnInstructions?: boolean;
    readonly isRowOfList?: (finding: Finding) => boolean;
    readonly isErrorOfList?: (userError: UserError) => boolean;
    readonly runsInJob?: boolean;
    /** A row of the list has a warning: the user may have something to do. */
    readonly hasMarkedRow?: boolean;
    readonly hasUnicode?: boolean;
  },
  run: StepRun,
): Note[] {
  const instructions = hasOwnInstructions ? [] : createInstructionNotes(run).map(asAction);
  const notes: Note[] = id === SCREEN_IDS.at(-1) ? createOutdatedNotes(state) : [];
  if (state.notice) {
    const { kind, text } = state.notice;
    notes.push({
      text,
      sign: getNoticeSign(kind, { hasUnicode }),
      tone: NOTICE_TONES[kind],
      mustBeVisible: hasCommand(text),
    });
  }
  const noticeCount = notes.length;
  const stopState = getStopState(run);
  if (stopState !== null) {
    const isWatching = stopState === 'stopped' && run.phase === 'watching';
    notes.push({ text: words().stops[isWatching ? 'stoppedWatching' : stopState], tone: 'warn' });
  }
  if (stopState === null && runsInJob && run.phase === 'applying')
    notes.push({ text: words().continues, tone: 'muted' });
  const userError = getStepError(run);
  if (userError !== null && !isErrorOfList(userError)) notes.push(...createErrorNotes(run));
  // The remaining manual work comes before the findings that follow from it.
  if (run.phase === 'watching') notes.push(...instructions);
  // Findings beside a finished step do not hide that it is done.
  const isIdle = run.phase === 'watching' && !needsRepair(state, id) && !hasMarkedRow;
  if (run.phase === 'done')
    notes.push(...createStepSentenceNotes(state, { id, isIdle }, run, instructions).map(asAction));
  const findings = (run.probe?.findings ?? []).filter((finding) => !isBlockedForNow(finding, run));
  // A cause that the diagnosis found comes first. The remedies of fatal findings are then omitted: they would mislead.
  const cause = findLikelyCause(state, id, run);
  if (cause !== null) notes.push(...createFindingNotes(cause, true));
  for (const [index, finding] of findings.entries()) {
    if (cause !== null && isSameFault(cause, finding)) continue;
    const [title, ...details] = createFindingNotes(finding, index === 0 && cause === null);
    const lines = cause !== null && finding.severity === 'fatal' ? [] : details;
    const overrideHint: Note[] =
      index === 0 && canOverride(run) ? [{ text: `  ${words().howToOverride}`, tone: 'accent' }] : [];
    notes.push(...(isRowOfList(finding) ? [] : [...(title ? [title] : []), ...lines]), ...overrideHint);
  }
  // A notice is about a key or the session, and rows of the list show their findings: the sentence stays beside them.
  const isNoticeOnly = notes.length === noticeCount;
  return isNoticeOnly
    ? [...notes, ...createStepSentenceNotes(state, { id, isIdle }, run, instructions).map(asAction)]
    : notes;
}

const asAction = (note: Note): Note => ({ ...note, part: 'action' });

/**
 * The sentence on what Enter does, or on how long the wait usually takes. A blank one keeps its row, so that the list
 * above keeps its height.
 * @param isIdle the user has nothing to do but wait
 */
function createStepSentenceNotes(
  state: WizardState,
  { id, isIdle }: { readonly id: StepId; readonly isIdle: boolean },
  run: StepRun,
  instructions: readonly Note[],
): Note[] {
  if (run.phase === 'done' && run.probe.awaitsRepair === true)
    return [{ text: words().pressEnterUnrepaired, tone: 'warn' }];
  if (run.phase === 'done' && run.probe.hasWarning === true)
    return [{ text: words().pressEnterDespiteWarning, tone: 'warn' }];
  if (run.phase === 'done')
    return [{ text: id === SCREEN_IDS.at(-1) ? getEndSentence(state) : words().pressEnterDone, tone: 'ok' }];
  // While something blocks the step, Enter does nothing.
  if (run.phase === 'ready' && run.probe.state === 'blocked' && run.plan?.enter === undefined) return [...instructions];
  if (run.phase === 'ready') return [...instructions, { text: describeAction(id, run).sentence, tone: 'accent' }];
  if (isInProgress(run)) {
    const usual = getUsualDuration(id);
    const speed = state.welcome.rehearsal?.speed ?? 1;
    const sentences = [
      ...(isIdle ? [words().waiting] : []),
      ...(usual === undefined || hasProgressBar(run) ? [] : [words().usualDuration(usual)]),
      ...(usual === undefined || speed === 1 ? [] : [words().simulatedTimes(speed)]),
    ];
    return [{ text: sentences.join(' '), tone: 'muted' }];
  }
  return [{ text: '' }];
}

function getEndSentence({ welcome, screens }: WizardState): string {
  if (welcome.rehearsal === null) return words().pressEnterEnd;
  return screens.includes('generate') ? words().pressEnterRehearsed : words().pressEnterCloud;
}

/** Returns the failure of a step, with its remedy; empty if nothing failed. */
export function createErrorNotes(run: StepRun): Note[] {
  const userError = getStepError(run);
  if (!userError) return [];
  return [
    { text: `${userError.title}: ${userError.cause}`, tone: 'error', mustBeVisible: hasCommand(userError.cause) },
    { text: userError.remedy, mustBeVisible: true },
  ];
}

/** Returns the instructions for manual work. Commands are indented in a plan. */
export function createInstructionNotes(run: StepRun): Note[] {
  return (run.plan?.instructions ?? []).map((text): Note => {
    return text.startsWith('  ') ? { text: markCommand(text.trim()), mustBeVisible: true } : { text, tone: 'muted' };
  });
}

/** Whether a text has a command in backticks. */
export const hasCommand = (text: string) => splitProse(text).some(({ isCommand }) => isCommand);

/**
 * Describes a finding with its cause and remedy.
 * @param isFirst it is the first finding: its commands must be visible
 */
export function createFindingNotes({ severity, title, cause, remedy, command }: Finding, isFirst = false): Note[] {
  const tone = severity === 'fatal' ? 'error' : severity === 'warning' ? 'warn' : 'muted';
  return [
    { text: title, tone },
    ...(cause === ''
      ? []
      : [
          {
            text: `  ${words().causeLabel}: ${cause}`,
            mustBeVisible: isFirst && hasCommand(cause),
            part: 'cause' as const,
          },
        ]),
    ...(remedy === ''
      ? []
      : [{ text: `  ${words().remedyLabel}: ${remedy}`, mustBeVisible: isFirst, part: 'remedy' as const }]),
    ...(command === undefined
      ? []
      : [{ text: markCommand(command), mustBeVisible: isFirst, part: 'evidence' as const }]),
  ];
}
