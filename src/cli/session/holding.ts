import { systemClock } from '../../ports/clock.ts';
import { converse, type Leave, type OpenQuestion } from '../../session/conversation.ts';
import type { SessionLock } from '../../session/lock.ts';
import { catalogue, commandLine } from '../../text/catalogue.ts';
import { asTrouble, type Trouble } from '../../text/trouble.ts';
import { getAt } from '../../wizard/design/document.ts';
import { unansweredOf, type WizardState } from '../../wizard/state.ts';
import type { WizardStore } from '../../wizard/store.ts';
import { answerOf, describeQuestion } from './pending-question.ts';

const words = () => catalogue().holder;

/** How often to look whether the directory is still ours (ms of the machine's clock). */
const GUARD = 1000;

/**
 * Holds a directory for a wizard: answers other sessions from the moment that it runs, and ends it when it is taken over.
 */
export function holdWizard(lock: SessionLock) {
  let guest = '';
  let stop = (): void => undefined;
  return {
    /** Who asked it to leave, once somebody has. */
    guest: () => guest,
    begin(store: WizardStore): void {
      stop = systemClock.interval(GUARD, () => {
        if (!isOurs(lock)) store.dispatch({ type: 'session/lose' });
      });
      converse(lock, {
        news: () => newsOf(store.getState()),
        leave(how, by) {
          guest = by;
          // Synchronous: when this returns, everything is saved or we stay.
          store.dispatch({ type: 'session/yield', how });
          const { isLeaving, saveTrouble } = store.getState();
          return isLeaving === null ? (saveTrouble?.cause ?? '') : null;
        },
        question: () => questionToOthers(store.getState()),
        answer: (text) => answered(store, text),
        watched: { current: () => watchable(store.getState()), subscribe: store.subscribe },
      });
    },
    /** Ends the guard. */
    stop: () => stop(),
  };
}

function newsOf({ screen, document, runs }: WizardState) {
  const isActing = Object.values(runs).some(({ phase }) => phase === 'applying');
  return { place: catalogue().screens.rail[screen], cluster: String(getAt(document, 'cluster.name') ?? ''), isActing };
}

/** A page that shows a secret until the next key is for the terminal where that key is. */
function watchable(state: WizardState): WizardState {
  const isSecret = state.overlay?.kind === 'page' && state.overlay.shown?.secret !== undefined;
  return isSecret ? { ...state, overlay: null } : state;
}

function isOurs(lock: SessionLock): boolean {
  try {
    lock.check();
    return true;
  } catch {
    return false;
  }
}

/** Why a session ended that was lost. */
export function lossOf(lock: SessionLock): Trouble {
  try {
    lock.check();
  } catch (error) {
    return asTrouble(error);
  }
  // It came back meanwhile: somebody else has had it.
  return { code: 'session-taken', ...words().taken };
}

/** Answers other sessions for a program without screens. @param leave saves and ends; null: it cannot be interrupted */
export function holdProgram(lock: SessionLock, leave: ((how: Leave, guest: string) => void) | null): void {
  const { program } = lock.owner;
  converse(lock, {
    news: () => ({ place: program, cluster: '', isActing: true }),
    leave(how, guest) {
      if (leave === null) return words().busy(program);
      // After the answer is on its way.
      setImmediate(() => leave(how, guest));
      return null;
    },
    question: () => null,
    answer: () => catalogue().holder.answer.none,
    watched: null,
  });
}

function questionToOthers(state: WizardState): OpenQuestion | null {
  const open = unansweredOf(state);
  return open && describeQuestion(open.step, open.asked, state.runs[open.step].plan);
}

/** Answers the open question as its person would, on the screen where it is asked. */
function answered(store: WizardStore, text: string): string | null {
  const { none, elsewhere, notYet } = catalogue().holder.answer;
  const state = store.getState();
  const { screen, runs } = state;
  const open = unansweredOf(state);
  if (open === null) return none;
  if (screen !== open.step) return elsewhere;
  if (runs[open.step].phase !== 'asking') return notYet;
  const answer = answerOf(text, open.asked.words);
  if ('refused' in answer) return answer.refused;
  if (answer.isYes && open.asked.words !== null) {
    store.dispatch({ type: 'step/type', event: { kind: 'key', name: 'ctrl-u' } });
    store.dispatch({ type: 'step/type', event: { kind: 'paste', text: text.trim() } });
  }
  store.dispatch({ type: 'step/answer', isYes: answer.isYes });
  return null;
}

/** What is said at a terminal whose session another has ended. */
export function leftLines(how: Leave, guest: string, dir: string): readonly string[] {
  const { takenOver, detached, back } = words().left;
  return [how === 'taken-over' ? takenOver(guest) : detached(guest), back(commandLine('attach', '--dir', dir))];
}
