import { MINUTE, systemClock } from '../../ports/clock.ts';
import { setOnEvent } from '../../session/on-event.ts';
import { createEvents, type Events } from '../../steps/events/index.ts';
import { catalogue, commandLine } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { unansweredOf, type WizardState } from '../../wizard/state.ts';
import type { WizardStore } from '../../wizard/store.ts';
import { describeQuestion } from '../session/pending-question.ts';
import { UsageError } from '../shared/usage.ts';

const words = () => catalogue().events;

/**
 * Notes the command of `--on-event` for an install directory that is held; `off` ends it.
 * @returns what to say about it; null without the option
 */
export function keepOnEvent(dir: string, named: string | undefined): string | null {
  if (named === undefined) return null;
  const command = named.trim();
  if (command === '') throw new UsageError(words().noCommand);
  setOnEvent(dir, command === 'off' ? null : command);
  return command === 'off' ? words().off : words().kept(sanitizeLine(command, 80), commandLine('help', 'events'));
}

/** The events of a front end. @param tell gets a sentence about the first command that fails */
export function frontEndEvents(dir: string, tell: (trouble: string) => void): Events {
  return createEvents({ dir, clock: systemClock, tell });
}

/** A person who is there answers sooner (ms of the machine's clock). */
const UNANSWERED_AFTER = MINUTE;

/** Raises a question that waits for its answer in a wizard for longer than a person who is there would take. */
export function raiseQuestions(store: WizardStore, { raise }: Pick<Events, 'raise'>, clock = systemClock): void {
  let asked: string | null = null;
  let over = new AbortController();
  store.subscribe(() => {
    const state = store.getState();
    const now = keyOf(state);
    if (now === asked) return;
    asked = now;
    over.abort();
    if (now === null) return;
    over = new AbortController();
    void clock.sleep(UNANSWERED_AFTER, over.signal).then(
      () => raiseQuestion(store.getState(), raise),
      () => undefined,
    );
  });
}

/** Tells one question from the next; null where none is asked. */
function keyOf(state: WizardState): string | null {
  const open = unansweredOf(state);
  return open === null ? null : JSON.stringify([open.step, open.asked.action, open.asked.subject]);
}

function raiseQuestion(state: WizardState, raise: Events['raise']): void {
  const open = unansweredOf(state);
  if (open === null) return;
  const { title, question } = describeQuestion(open.step, open.asked, null);
  raise({ event: 'question', step: open.step, text: words().question(title, question) });
}
