import { runEventCommand } from '../../host/jobs/event-command.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { type Clock, SECOND } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import { logEvent, readOnEventCommand, wasRaised } from '../../session/on-event.ts';
import { readSession } from '../../session/session-file.ts';

import type { StepId } from '../contract.ts';
import { BUILT_IN_COMMANDS, buildCommandEnvironment } from './command.ts';

const words = () => catalogue().events;

/** Events for a user who is away, in the order of the help page. */
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
  /** One line of text to show. */
  readonly text: string;
  /** Raised once in an install directory for this key, by the first program that observes it; missing: each time. */
  readonly key?: string;
}

/** Queue of events for the user's command. */
export interface EventQueue {
  /** Runs the user's command, if there is one; returns at once and never throws. */
  readonly raise: (event: WizardEvent) => void;
  /**
   * Resolves when all commands so far have ended.
   * @returns whether all of them succeeded
   */
  readonly waitUntilIdle: () => Promise<boolean>;
  /** Stops waiting for commands: those that run continue on their own. */
  readonly detach: () => void;
}

/** Timeout of a command (ms). */
export const COMMAND_TIMEOUT = 30 * SECOND;
/** Maximum number of commands that run at the same time. */
const MAX_CONCURRENT = 2;
/** Maximum number of events that wait; further ones are dropped. */
const MAX_QUEUED = 20;

/**
 * Creates the event queue of an install directory.
 * @param options.clock the system clock: the command is the user's, whatever the time at the site is
 * @param options.report receives a sentence about the first command that fails
 */
export function createEventQueue(options: {
  readonly dir: string;
  readonly clock: Clock;
  readonly report: (message: string) => void;
}): EventQueue {
  const { dir, clock, report } = options;
  const queued: WizardEvent[] = [];
  const running = new Set<Promise<void>>();
  const raised = new Set<string>();
  const detached = new AbortController();
  let isSuccessful = true;

  async function runCommand({ event, step, text }: WizardEvent, command: string): Promise<void> {
    const env = buildCommandEnvironment({ event, dir, step, text });
    const { end, output } = await runEventCommand({
      command: BUILT_IN_COMMANDS[command] ?? command,
      cwd: dir,
      env,
      clock,
      timeoutMs: COMMAND_TIMEOUT,
      detach: detached.signal,
    });
    if (detached.signal.aborted) return;
    const outcome = describeEnd(end);
    logEvent(dir, { command: outcome, output });
    if (end.how === 'done') return;
    if (isSuccessful) report(words().failed(event, outcome));
    isSuccessful = false;
  }

  function startNext(): void {
    while (running.size < MAX_CONCURRENT && !detached.signal.aborted) {
      const event = queued.shift();
      if (event === undefined) return;
      const command = readOnEventCommand(dir);
      if (command === null) continue;
      const task = runCommand(event, command).finally(() => {
        running.delete(task);
        startNext();
      });
      running.add(task);
    }
  }

  return {
    raise({ key, ...event }) {
      if (readOnEventCommand(dir) === null) return;
      // Hundreds of queued events help no user; an event with a key may be raised later.
      if (queued.length >= MAX_QUEUED) return;
      const onceKey = key === undefined ? null : `${event.event} ${key}`;
      if (key !== undefined && onceKey !== null && (raised.has(onceKey) || wasRaised(dir, event.event, key))) return;
      if (onceKey !== null) raised.add(onceKey);
      const line = sanitizeLine(redact(isRehearsal(dir) ? words().rehearsal(event.text) : event.text));
      logEvent(dir, { raised: event.event, key: key ?? null, text: line });
      queued.push({ ...event, text: line });
      startNext();
    },
    detach: () => detached.abort(),
    async waitUntilIdle() {
      while (running.size > 0) await Promise.all(running);
      return isSuccessful;
    },
  };
}

function isRehearsal(dir: string): boolean {
  try {
    return (readSession(dir)?.rehearsal ?? null) !== null;
  } catch {
    // An unreadable session is reported where the session is used.
    return false;
  }
}

function describeEnd(end: Awaited<ReturnType<typeof runEventCommand>>['end']): string {
  switch (end.how) {
    case 'done':
      return words().ends.done;
    case 'code':
      return words().ends.code(end.code);
    case 'signal':
      return words().ends.signal(end.signal);
    case 'late':
      return words().ends.timeout(COMMAND_TIMEOUT / SECOND);
    case 'not-started':
      return words().ends.notStarted(sanitizeLine(end.reason));
  }
}
