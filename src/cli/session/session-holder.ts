import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isValidReason } from '../../checks/prepare/overrides.ts';
import { getAt } from '../../design/paths.ts';
import { catalogue, formatCommandLine, isYesAnswer } from '../../i18n/catalogue.ts';
import { formatChangedObject, toUserError, type UserError } from '../../i18n/user-error.ts';
import { type Clock, SECOND, systemClock } from '../../platform/clock.ts';
import { DIFF_SIGNS, diffLines } from '../../platform/diff.ts';
import type { SessionLock } from '../../session/lock.ts';
import { computeChecksum, readSafely } from '../../session/safe-file.ts';
import { type LeaveReason, type OpenQuestion, servePeers } from '../../session/session-protocol.ts';
import type { SavedQuestion } from '../../session/state.ts';
import {
  type Confirmation,
  type Plan,
  STEP_ACTION_TYPES,
  STEP_IDS,
  type StepActionType,
  type StepId,
} from '../../steps/contract.ts';
import type { Intent } from '../../wizard/intents.ts';
import { getOpenPrompt, type PromptSpec } from '../../wizard/live/step-run.ts';
import { findUnansweredPrompt, getScreenIndex, SCREEN_IDS, type WizardState } from '../../wizard/state.ts';
import type { WizardStore } from '../../wizard/store.ts';
import { looksLikeSecret } from '../../wizard/unfinished-text.ts';

/** Returns the pending question in saved form; null if there is none. */
export function toSavedQuestion(state: WizardState): SavedQuestion | null {
  const unansweredPrompt = findUnansweredPrompt(state);
  if (unansweredPrompt === null) return null;
  const { step, prompt } = unansweredPrompt;
  const { typed = '', ...spec } = prompt;
  const { plan } = state.runs[step];
  const typedPart = typed === '' || looksLikeSecret(typed) ? {} : { typed };
  return { step, ...spec, ...typedPart, plan: prompt.action === 'apply' && plan ? computePlanChecksum(plan) : null };
}

/** Computes the checksum of a plan, so that a yes counts only for the plan that was shown. */
export function computePlanChecksum({ changes }: Plan): string {
  return computeChecksum({ changes });
}

/** Returns the step and the action of a saved question; null if a newer version saved it. */
export function parseSavedQuestion({
  step,
  action,
}: SavedQuestion): { readonly step: StepId; readonly action: StepActionType } | null {
  const knownStep = STEP_IDS.find((id) => id === step);
  const knownAction = STEP_ACTION_TYPES.find((type) => type === action);
  return knownStep && knownAction ? { step: knownStep, action: knownAction } : null;
}

/** Creates the intents that make the wizard show the question again, once it has probed the step. */
export function createRestorePromptIntents(question: SavedQuestion): Intent[] {
  const parsedQuestion = parseSavedQuestion(question);
  if (parsedQuestion === null) return [];
  const { subject, words, typed = '' } = question;
  return [
    {
      type: 'step/restore-prompt',
      step: parsedQuestion.step,
      prompt: { action: parsedQuestion.action, subject, words, typed },
    },
  ];
}

/** Maximum number of listed changes; the rest are counted. */
const MAX_CHANGES = 12;

/**
 * Describes a question in text, for use without screens.
 * @param plan the plan that it is about; null if unknown
 */
export function describeQuestion(
  step: StepId,
  { action, subject, words }: PromptSpec,
  plan: Plan | null,
): OpenQuestion {
  const { titles } = catalogue().steps;
  const { heading, plan: formatChange, more } = catalogue().plain;
  const changes = action === 'apply' ? (plan?.changes ?? []) : [];
  const changeLines = changes
    .slice(0, MAX_CHANGES)
    .map((change) => formatChange(formatChangedObject(change), change.what.replaceAll('\n', ' ')).trim());
  const remainingCount = changes.length - changeLines.length;
  return {
    step,
    title: heading(getScreenIndex(step) + 1, SCREEN_IDS.length, titles[step]),
    question:
      (action === 'apply' ? plan?.question : undefined) ??
      catalogue().screens.step.question[action](subject ?? titles[step]),
    lines: remainingCount > 0 ? [...changeLines, more(remainingCount).trim()] : changeLines,
    words,
  };
}

/**
 * Parses an answer in words.
 * @param words the words that mean yes; empty: a reason is required; null: "yes" is enough
 * @returns `refused`: why the answer is not accepted
 */
export function parseAnswerText(
  text: string,
  words: readonly string[] | null,
): { readonly isYes: boolean } | { readonly refused: string } {
  const { yesOrNo, expectedWords, reasonRequired } = catalogue().holder.answer;
  const reply = text.trim().toLowerCase();
  if (/^no?$/.test(reply)) return { isYes: false };
  if (words === null) return isYesAnswer(reply) ? { isYes: true } : { refused: yesOrNo };
  if (words.length === 0) return isValidReason(text.trim()) ? { isYes: true } : { refused: reasonRequired };
  return words.some((word) => word.toLowerCase() === reply)
    ? { isYes: true }
    : { refused: expectedWords(words.join(', ')) };
}

const words = () => catalogue().holder;

/** Interval at which the holder checks that it still has the lock (ms of the machine's clock). */
const LOCK_CHECK_INTERVAL_MS = 1000;

/**
 * Holds a directory for a wizard: answers other sessions while the wizard runs, and ends it when another session takes
 * over.
 */
export function holdForWizard(lock: SessionLock) {
  let peer = '';
  let stop = (): void => undefined;
  return {
    /** Returns the session that asked this one to leave; empty if none did. */
    getPeer: () => peer,
    begin(store: WizardStore): void {
      stop = systemClock.startInterval(LOCK_CHECK_INTERVAL_MS, () => {
        if (!isLockHeld(lock)) store.dispatch({ type: 'session/lose' });
      });
      servePeers(lock, {
        getStatus: () => getWizardStatus(store.getState()),
        leave(reason, peerName) {
          peer = peerName;
          // Dispatch is synchronous: when it returns, everything is saved, or this session stays.
          store.dispatch({ type: 'session/yield', reason });
          const { leaveReason, saveError } = store.getState();
          return leaveReason === null ? (saveError?.cause ?? '') : null;
        },
        getQuestion: () => getOpenQuestion(store.getState()),
        answer: (text) => answerOpenQuestion(store, text),
        watchSource: { getState: () => hideSecretPage(store.getState()), subscribe: store.subscribe },
      });
    },
    /** Ends the lock check. */
    stop: () => stop(),
  };
}

function getWizardStatus({ screen, document, runs }: WizardState) {
  const isActing = Object.values(runs).some(({ phase }) => phase === 'applying');
  return {
    place: catalogue().screens.sidebar[screen],
    cluster: String(getAt(document, 'cluster.name') ?? ''),
    isActing,
  };
}

/** Removes a page that shows a secret: it is only for the holder's own terminal. */
function hideSecretPage(state: WizardState): WizardState {
  const isSecret = state.overlay?.kind === 'page' && state.overlay.page?.secret !== undefined;
  return isSecret ? { ...state, overlay: null } : state;
}

function isLockHeld(lock: SessionLock): boolean {
  try {
    lock.assertHeld();
    return true;
  } catch {
    return false;
  }
}

/** Returns the reason why a session was lost. */
export function getLossReason(lock: SessionLock): UserError {
  try {
    lock.assertHeld();
  } catch (error) {
    return toUserError(error);
  }
  // The lock is back, so another session had it meanwhile.
  return { code: 'session-taken', ...words().takenOver };
}

/**
 * Answers other sessions for a program without screens.
 * @param leave saves and ends; null: the program cannot be interrupted
 */
export function servePeersOfProgram(
  lock: SessionLock,
  leave: ((reason: LeaveReason, peer: string) => void) | null,
): void {
  const { program } = lock.record;
  servePeers(lock, {
    getStatus: () => ({ place: program, cluster: '', isActing: true }),
    leave(reason, peer) {
      if (leave === null) return words().busy(program);
      // Deferred, so that the reply is sent first.
      setImmediate(() => leave(reason, peer));
      return null;
    },
    getQuestion: () => null,
    answer: () => catalogue().holder.answer.none,
    watchSource: null,
  });
}

function getOpenQuestion(state: WizardState): OpenQuestion | null {
  const unansweredPrompt = findUnansweredPrompt(state);
  if (unansweredPrompt === null) return null;
  const run = state.runs[unansweredPrompt.step];
  const openQuestion = describeQuestion(unansweredPrompt.step, unansweredPrompt.prompt, run.plan);
  const confirmation = getOpenPrompt(run)?.confirmation;
  if (confirmation === undefined || confirmation === 'reading') return openQuestion;
  const { question, summary = [], lines, blockedReason } = confirmation;
  return {
    ...openQuestion,
    question,
    lines: [
      ...summary.map(({ label, text }) => (label === '' ? text : `${label}: ${text}`)),
      ...lines.flatMap(formatConfirmationLine),
      ...(blockedReason === undefined ? [] : [blockedReason]),
    ],
  };
}

function formatConfirmationLine(line: Confirmation['lines'][number]): readonly string[] {
  if (typeof line === 'string') return [line];
  if ('diffLine' in line) return [line.diffLine];
  const { before, after } = line.change;
  return [
    formatChangedObject(line.change),
    ...diffLines(before, after).map(({ kind, text }) => `  ${DIFF_SIGNS[kind]}${text}`),
  ];
}

/** Answers the open question like a key on the screen where it is asked. */
function answerOpenQuestion(store: WizardStore, text: string): string | null {
  const { none, otherPage, stillChecking } = catalogue().holder.answer;
  const state = store.getState();
  const { screen, runs } = state;
  const unansweredPrompt = findUnansweredPrompt(state);
  if (unansweredPrompt === null) return none;
  if (screen !== unansweredPrompt.step) return otherPage;
  if (runs[unansweredPrompt.step].phase !== 'asking') return stillChecking;
  const answer = parseAnswerText(text, unansweredPrompt.prompt.words);
  if ('refused' in answer) return answer.refused;
  if (answer.isYes && unansweredPrompt.prompt.words !== null) {
    store.dispatch({ type: 'step/type', event: { kind: 'key', name: 'ctrl-u' } });
    store.dispatch({ type: 'step/type', event: { kind: 'paste', text: text.trim() } });
  }
  store.dispatch({ type: 'step/answer', isYes: answer.isYes });
  return null;
}

/** Returns the message for a terminal whose session was ended by another session. */
export function formatSessionEnd(reason: LeaveReason, peer: string, dir: string): readonly string[] {
  const { takenOver, detached, reattach } = words().exit;
  return [
    reason === 'taken-over' ? takenOver(peer) : detached(peer),
    reattach(formatCommandLine('attach', '--dir', dir)),
  ];
}

/** The mark of a wizard that uses the terminal. */
interface TerminalMark {
  /** The last wizard never restored the terminal: it was killed, or the machine went down. */
  readonly wasAbrupt: boolean;
  /** When that wizard ran last, ms of the clock, which may have stood still since; null: unknown. */
  readonly ranLastAt: number | null;
  /** Removes the mark. */
  readonly end: () => void;
}

/** Real time between two records that the wizard runs, ms. */
const MARK_INTERVAL_MS = 10 * SECOND;

/**
 * Marks that a wizard uses the terminal, until it has restored the terminal. Call this while holding the lock of the
 * install directory.
 */
export function markTerminalInUse(dir: string, clock: Pick<Clock, 'now'>): TerminalMark {
  const markFile = join(dir, '.upi-wizard', 'terminal');
  const previousMark = existsSync(markFile) ? readSafely(markFile) : null;
  const [, lastTimeText] = previousMark?.kind === 'text' ? previousMark.text.split(' ') : [];
  const write = () => {
    try {
      writeFileSync(markFile, `${process.pid} ${clock.now()}\n`, { mode: 0o600 });
    } catch {
      // A full disk is reported when the answers are saved.
    }
  };
  const interval = setInterval(write, MARK_INTERVAL_MS).unref();
  const end = () => {
    clearInterval(interval);
    process.off('exit', end);
    try {
      rmSync(markFile, { force: true });
    } catch {
      // If the mark stays, the next start reports an abrupt end that did not happen.
    }
  };
  write();
  process.once('exit', end);
  return {
    wasAbrupt: previousMark !== null,
    ranLastAt: lastTimeText === undefined ? null : Number(lastTimeText),
    end,
  };
}
