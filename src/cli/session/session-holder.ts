import { catalogue, commandLine } from '../../i18n/catalogue.ts';
import { toUserError, type UserError } from '../../i18n/user-error.ts';
import { systemClock } from '../../platform/clock.ts';
import type { SessionLock } from '../../session/lock.ts';
import { type LeaveReason, type OpenQuestion, servePeers } from '../../session/session-protocol.ts';
import { getAt } from '../../wizard/design/document.ts';
import { findUnansweredPrompt, type WizardState } from '../../wizard/state.ts';

import type { WizardStore } from '../../wizard/store.ts';
import { describeQuestion, parseAnswer } from './pending-question.ts';

const words = () => catalogue().holder;

/** How often the holder checks that it still has the lock (ms of the machine's clock). */
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
    peer: () => peer,
    begin(store: WizardStore): void {
      stop = systemClock.interval(LOCK_CHECK_INTERVAL_MS, () => {
        if (!isLockHeld(lock)) store.dispatch({ type: 'session/lose' });
      });
      servePeers(lock, {
        status: () => getWizardStatus(store.getState()),
        leave(how, by) {
          peer = by;
          // Dispatch is synchronous: when it returns, everything is saved, or this session stays.
          store.dispatch({ type: 'session/yield', how });
          const { leaveReason, saveError } = store.getState();
          return leaveReason === null ? (saveError?.cause ?? '') : null;
        },
        question: () => getOpenQuestion(store.getState()),
        answer: (text) => answerOpenQuestion(store, text),
        watchSource: { current: () => withoutSecretPage(store.getState()), subscribe: store.subscribe },
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

/** A page that shows a secret until the next key is only for the holder's own terminal. */
function withoutSecretPage(state: WizardState): WizardState {
  const isSecret = state.overlay?.kind === 'page' && state.overlay.shown?.secret !== undefined;
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
export function holdForProgram(lock: SessionLock, leave: ((reason: LeaveReason, peer: string) => void) | null): void {
  const { program } = lock.owner;
  servePeers(lock, {
    status: () => ({ place: program, cluster: '', isActing: true }),
    leave(reason, peer) {
      if (leave === null) return words().busy(program);
      // Runs after the reply is on its way.
      setImmediate(() => leave(reason, peer));
      return null;
    },
    question: () => null,
    answer: () => catalogue().holder.answer.none,
    watchSource: null,
  });
}

function getOpenQuestion(state: WizardState): OpenQuestion | null {
  const open = findUnansweredPrompt(state);
  return open && describeQuestion(open.step, open.prompt, state.runs[open.step].plan);
}

/** Answers the open question like a key on the screen where it is asked. */
function answerOpenQuestion(store: WizardStore, text: string): string | null {
  const { none, otherPage, stillChecking } = catalogue().holder.answer;
  const state = store.getState();
  const { screen, runs } = state;
  const open = findUnansweredPrompt(state);
  if (open === null) return none;
  if (screen !== open.step) return otherPage;
  if (runs[open.step].phase !== 'asking') return stillChecking;
  const answer = parseAnswer(text, open.prompt.words);
  if ('refused' in answer) return answer.refused;
  if (answer.isYes && open.prompt.words !== null) {
    store.dispatch({ type: 'step/type', event: { kind: 'key', name: 'ctrl-u' } });
    store.dispatch({ type: 'step/type', event: { kind: 'paste', text: text.trim() } });
  }
  store.dispatch({ type: 'step/answer', isYes: answer.isYes });
  return null;
}

/** Returns the message on a terminal whose session another one ended. */
export function formatSessionEnd(reason: LeaveReason, peer: string, dir: string): readonly string[] {
  const { takenOver, detached, reattach } = words().exit;
  return [reason === 'taken-over' ? takenOver(peer) : detached(peer), reattach(commandLine('attach', '--dir', dir))];
}
