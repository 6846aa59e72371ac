import { runEventCommand } from '../../bastion/jobs/event-command.ts';
import { type Clock, SECOND } from '../../ports/clock.ts';
import { readSession } from '../../session/load.ts';
import { noteEvent, readOnEvent, wasRaised } from '../../session/on-event.ts';
import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { StepId } from '../contract.ts';
import { BUILT_IN, commandEnvironment } from './command.ts';

const words = () => catalogue().events;

/** What a person may want to hear of who is not there, in the order of the help page. */
export const EVENTS = [
  'question',
  'step-done',
  'step-failed',
  'step-blocked',
  'job-ended',
  'job-restarted',
  'certificate-refused',
  'installation-complete',
] as const;
export type EventName = (typeof EVENTS)[number];

export interface WizardEvent {
  readonly event: EventName;
  /** The step that it is about. */
  readonly step: StepId;
  /** One line for a person. */
  readonly text: string;
  /** Raised once in an install directory for this, whichever program sees it first; left out: each time. */
  readonly key?: string;
}

/** Where events go. */
export interface Events {
  /** Runs the person's command, where there is one; returns at once and never throws. */
  readonly raise: (event: WizardEvent) => void;
  /** When all commands so far have ended. @returns whether all of them did what they should */
  readonly settled: () => Promise<boolean>;
  /** Waits for no command any more: those that run go on alone. */
  readonly leave: () => void;
}

/** A command that takes longer is ended (ms). */
export const LIMIT = 30 * SECOND;
/** So many commands run at once, */
const AT_ONCE = 2;
/** and so many wait; what happens beyond that is left out. */
const WAITING = 20;

/**
 * The events of an install directory.
 * @param options.clock of the machine: the command is a person's, whatever the time at the site is
 * @param options.tell gets a sentence about the first command that fails
 */
export function createEvents(options: {
  readonly dir: string;
  readonly clock: Clock;
  readonly tell: (trouble: string) => void;
}): Events {
  const { dir, clock, tell } = options;
  const waiting: WizardEvent[] = [];
  const running = new Set<Promise<void>>();
  const told = new Set<string>();
  const left = new AbortController();
  let isWell = true;

  async function run({ event, step, text }: WizardEvent, command: string): Promise<void> {
    const env = commandEnvironment({ event, dir, step, text });
    const { end, output } = await runEventCommand({
      command: BUILT_IN[command] ?? command,
      cwd: dir,
      env,
      clock,
      limit: LIMIT,
      left: left.signal,
    });
    if (left.signal.aborted) return;
    const said = endText(end);
    noteEvent(dir, { command: said, output });
    if (end.how === 'done') return;
    if (isWell) tell(words().failed(event, said));
    isWell = false;
  }

  function next(): void {
    while (running.size < AT_ONCE && !left.signal.aborted) {
      const event = waiting.shift();
      if (event === undefined) return;
      const command = readOnEvent(dir);
      if (command === null) continue;
      const one = run(event, command).finally(() => {
        running.delete(one);
        next();
      });
      running.add(one);
    }
  }

  return {
    raise({ key, ...event }) {
      if (readOnEvent(dir) === null) return;
      // Nobody reads hundreds; what is raised once may be raised later.
      if (waiting.length >= WAITING) return;
      const once = key === undefined ? null : `${event.event} ${key}`;
      if (key !== undefined && once !== null && (told.has(once) || wasRaised(dir, event.event, key))) return;
      if (once !== null) told.add(once);
      const line = sanitizeLine(redact(isRehearsal(dir) ? words().rehearsal(event.text) : event.text));
      noteEvent(dir, { raised: event.event, key: key ?? null, text: line });
      waiting.push({ ...event, text: line });
      next();
    },
    leave: () => left.abort(),
    async settled() {
      while (running.size > 0) await Promise.all(running);
      return isWell;
    },
  };
}

function isRehearsal(dir: string): boolean {
  try {
    return (readSession(dir)?.rehearsal ?? null) !== null;
  } catch {
    // A session that cannot be read is told by what works with it.
    return false;
  }
}

function endText(end: Awaited<ReturnType<typeof runEventCommand>>['end']): string {
  switch (end.how) {
    case 'done':
      return words().ends.done;
    case 'code':
      return words().ends.code(end.code);
    case 'signal':
      return words().ends.signal(end.signal);
    case 'late':
      return words().ends.late(LIMIT / SECOND);
    case 'not-started':
      return words().ends.notStarted(sanitizeLine(end.why));
  }
}
