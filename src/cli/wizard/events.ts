import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { MINUTE, systemClock } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { setOnEventCommand } from '../../session/on-event.ts';
import { createEventQueue, type EventQueue } from '../../steps/events.ts';
import { findUnansweredPrompt, type WizardState } from '../../wizard/state.ts';
import type { WizardStore } from '../../wizard/store.ts';
import { describeQuestion } from '../session/session-holder.ts';
import { UsageError } from '../shared/io.ts';

const words = () => catalogue().events;

/**
 * Saves the command of `--on-event` for an install directory whose lock is held; `off` removes it.
 * @returns a message about it; null without the option
 */
export function saveOnEventCommand(dir: string, option: string | undefined): string | null {
  if (option === undefined) return null;
  const command = option.trim();
  if (command === '') throw new UsageError(words().noCommand);
  setOnEventCommand(dir, command === 'off' ? null : command);
  return command === 'off'
    ? words().off
    : words().configured(sanitizeLine(command, 80), formatCommandLine('help', 'events'));
}

/**
 * Creates the event queue of a front end.
 * @param onFailure receives a sentence about the first command that fails
 */
export function createFrontEndEventQueue(dir: string, onFailure: (message: string) => void): EventQueue {
  return createEventQueue({ dir, clock: systemClock, report: onFailure });
}

/** Delay of the event in ms of the machine's clock: a user at the terminal answers sooner. */
const UNANSWERED_DELAY_MS = MINUTE;

/** Raises the event `question` for a question that stays open longer than a user at the terminal takes. */
export function raiseQuestionEvents(
  store: WizardStore,
  { raise }: Pick<EventQueue, 'raise'>,
  clock = systemClock,
): void {
  let currentKey: string | null = null;
  let delayController = new AbortController();
  store.subscribe(() => {
    const state = store.getState();
    const key = getQuestionKey(state);
    if (key === currentKey) return;
    currentKey = key;
    delayController.abort();
    if (key === null) return;
    delayController = new AbortController();
    void clock.sleep(UNANSWERED_DELAY_MS, delayController.signal).then(
      () => raiseQuestionEvent(store.getState(), raise),
      () => undefined,
    );
  });
}

/** Identifies a question; null if none is open. */
function getQuestionKey(state: WizardState): string | null {
  const unansweredPrompt = findUnansweredPrompt(state);
  return unansweredPrompt === null
    ? null
    : JSON.stringify([unansweredPrompt.step, unansweredPrompt.prompt.action, unansweredPrompt.prompt.subject]);
}

function raiseQuestionEvent(state: WizardState, raise: EventQueue['raise']): void {
  const unansweredPrompt = findUnansweredPrompt(state);
  if (unansweredPrompt === null) return;
  const { title, question } = describeQuestion(unansweredPrompt.step, unansweredPrompt.prompt, null);
  raise({ event: 'question', step: unansweredPrompt.step, text: words().question(title, question) });
}
