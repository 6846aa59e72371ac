import type { Finding } from '../checks/check.ts';
import { runEventCommand } from '../host/jobs/event-command.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { toUserError } from '../i18n/user-error.ts';
import { type Clock, SECOND } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { findEntry } from '../platform/table-lookup.ts';
import { logEvent, readOnEventCommand, wasEventRaised } from '../session/on-event.ts';
import { readSession } from '../session/session-file.ts';
import type { CertificatesView } from './certificates/index.ts';
import { type AnyStep, mapSteps, type Probe, type StepContext, type StepId } from './contract.ts';
import type { JOB_NAMES } from './shared/jobs.ts';

/**
 * Built-in commands, by the name that the user enters for them. Each writes one line to terminals that accept messages.
 */
export const BUILT_IN_COMMANDS: Readonly<Record<string, string>> = {
  wall: 'printf "upi-wizard: %s\\n" "$UPI_WIZARD_TEXT" | wall',
  // To the terminals of this user, but not over the screens of the wizard itself.
  write: `me=$(id -un); own=$(ps -o tty= -p "$PPID" | tr -d ' ')
who | while read -r name line rest; do
  if [ "$name" = "$me" ] && [ "$line" != "$own" ]; then
    printf "upi-wizard: %s\\n" "$UPI_WIZARD_TEXT" | write "$name" "$line" || true
  fi
done`,
};

/** Variables that the command inherits from our environment; others may be secret. */
const INHERITED_VARIABLES = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
] as const;

/**
 * Builds the environment of the command, with the details of the event.
 * @param details.text safe to show, and without secrets
 */
function buildCommandEnvironment(details: {
  readonly event: string;
  readonly dir: string;
  readonly step: string;
  readonly text: string;
}): Record<string, string> {
  const inheritedEntries = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    PATH: '/usr/bin:/bin',
    ...(Object.fromEntries(inheritedEntries) as Record<string, string>),
    UPI_WIZARD_EVENT: details.event,
    UPI_WIZARD_DIR: details.dir,
    UPI_WIZARD_STEP: details.step,
    UPI_WIZARD_TEXT: details.text,
  };
}

/** The variables that describe the event to the command, for the help page. */
export const EVENT_VARIABLES = ['UPI_WIZARD_EVENT', 'UPI_WIZARD_DIR', 'UPI_WIZARD_STEP', 'UPI_WIZARD_TEXT'] as const;

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
  /** The step that the event is about. */
  readonly step: StepId;
  /** One line of text to show. */
  readonly text: string;
  /** Raised once in an install directory for this key, by the first program that observes it; missing: each time. */
  readonly onceKey?: string;
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
 * @param options.clock the system clock, also in a rehearsal: the command is the user's
 * @param options.report receives a sentence about the first command that fails
 */
export function createEventQueue(options: {
  readonly dir: string;
  readonly clock: Clock;
  readonly report: (message: string) => void;
}): EventQueue {
  const { dir, clock, report } = options;
  const queue: WizardEvent[] = [];
  const runningCommands = new Set<Promise<void>>();
  const raisedKeys = new Set<string>();
  const detachController = new AbortController();
  let isSuccessful = true;

  async function runCommand({ event, step, text }: WizardEvent, command: string): Promise<void> {
    const env = buildCommandEnvironment({ event, dir, step, text });
    const { outcome, output } = await runEventCommand({
      command: BUILT_IN_COMMANDS[command] ?? command,
      cwd: dir,
      env,
      clock,
      timeoutMs: COMMAND_TIMEOUT,
      detachSignal: detachController.signal,
    });
    if (detachController.signal.aborted) return;
    const outcomeText = describeOutcome(outcome);
    logEvent(dir, { command: outcomeText, output });
    if (outcome.kind === 'done') return;
    if (isSuccessful) report(words().failed(event, outcomeText));
    isSuccessful = false;
  }

  function startNext(): void {
    while (runningCommands.size < MAX_CONCURRENT && !detachController.signal.aborted) {
      const event = queue.shift();
      if (event === undefined) return;
      const command = readOnEventCommand(dir);
      if (command === null) continue;
      const task = runCommand(event, command).finally(() => {
        runningCommands.delete(task);
        startNext();
      });
      runningCommands.add(task);
    }
  }

  return {
    raise({ onceKey, ...event }) {
      if (readOnEventCommand(dir) === null) return;
      // Hundreds of queued events help no user; an event with a key may be raised later.
      if (queue.length >= MAX_QUEUED) return;
      const raisedKey = onceKey === undefined ? null : `${event.event} ${onceKey}`;
      if (
        onceKey !== undefined &&
        raisedKey !== null &&
        (raisedKeys.has(raisedKey) || wasEventRaised(dir, event.event, onceKey))
      )
        return;
      if (raisedKey !== null) raisedKeys.add(raisedKey);
      const line = sanitizeLine(redact(isRehearsal(dir) ? words().rehearsal(event.text) : event.text));
      logEvent(dir, { raised: event.event, key: onceKey ?? null, text: line });
      queue.push({ ...event, text: line });
      startNext();
    },
    detach: () => detachController.abort(),
    async waitUntilIdle() {
      while (runningCommands.size > 0) await Promise.all(runningCommands);
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

function describeOutcome(outcome: Awaited<ReturnType<typeof runEventCommand>>['outcome']): string {
  switch (outcome.kind) {
    case 'done':
      return words().ends.done;
    case 'code':
      return words().ends.code(outcome.code);
    case 'signal':
      return words().ends.signal(outcome.signal);
    case 'timed-out':
      return words().ends.timeout(COMMAND_TIMEOUT / SECOND);
    case 'not-started':
      return words().ends.notStarted(sanitizeLine(outcome.reason));
  }
}

/** The step to which a job belongs. */
const JOB_STEPS: Readonly<Record<(typeof JOB_NAMES)[number], StepId>> = {
  'boot-server': 'boot',
  'bootstrap-complete': 'bootstrap',
  'install-complete': 'operators',
  'csr-follow': 'certificates',
  'infra-moves': 'infra',
};

/**
 * Creates the events for the end of a job's program.
 * @param job the name of the job
 * @param code the exit code of the program
 */
export function createJobEvents(event: EventName, job: string, code: number): readonly WizardEvent[] {
  const title = findEntry(catalogue().welcomeBack.jobs.names, job) ?? sanitizeLine(job, 80);
  const step = findEntry(JOB_STEPS, job) ?? 'report';
  const text = event === 'job-restarted' ? words().jobRestarted(title, code) : words().jobEnded(title, code);
  const isInstalled = event === 'job-ended' && job === 'install-complete' && code === 0;
  return [
    { event, step, text },
    ...(isInstalled ? ([{ event: 'installation-complete', step, text: words().installed, onceKey: '' }] as const) : []),
  ];
}

const getStepTitle = (id: StepId) => catalogue().steps.titles[id];

/**
 * Wraps the steps so that they raise events, below every front end: all front ends raise the same events. A step that
 * was done at its first probe raises no `step-done`, and an action that the user stopped raises no `step-failed`.
 */
export function withStepEvents(
  steps: Readonly<Record<StepId, AnyStep>>,
  { raise }: Pick<EventQueue, 'raise'>,
): Readonly<Record<StepId, AnyStep>> {
  const wrapStep = (id: StepId): AnyStep => {
    const step = steps[id];
    const reportedTitles = new Set<string>();
    let isUnfinished = false;

    function raiseProbeEvents(probe: Probe<unknown>): void {
      if (id === 'certificates') for (const event of createRefusedEvents(probe.view as CertificatesView)) raise(event);
      if (probe.state === 'done') {
        const { summary } = probe;
        // Raised also at the first probe of a finished installation, once a command is set.
        if (id === 'operators')
          raise({ event: 'installation-complete', step: id, text: words().complete, onceKey: '' });
        if (isUnfinished) raise({ event: 'step-done', step: id, text: words().done(getStepTitle(id), summary) });
        isUnfinished = false;
        reportedTitles.clear();
        return;
      }
      isUnfinished = true;
      for (const { title, cause } of probe.findings.filter(isFatal)) {
        if (!reportedTitles.has(title))
          raise({ event: 'step-blocked', step: id, text: words().blocked(getStepTitle(id), title, cause) });
        reportedTitles.add(title);
      }
    }

    async function runAction(context: StepContext, action: () => Promise<void> | undefined): Promise<void> {
      try {
        isUnfinished = true;
        await action();
      } catch (error) {
        const { title, cause } = toUserError(error);
        if (!context.signal.aborted)
          raise({ event: 'step-failed', step: id, text: words().failedStep(getStepTitle(id), title, cause) });
        throw error;
      }
    }

    return {
      ...step,
      async probe(context) {
        const result = await step.probe(context);
        raiseProbeEvents(result.probe);
        return result;
      },
      async verify(context) {
        const probe = await step.verify(context);
        raiseProbeEvents(probe);
        return probe;
      },
      apply: (context, report, confirmedPlan) => runAction(context, () => step.apply(context, report, confirmedPlan)),
      ...(step.applyOne && {
        applyOne: (context, target, report) => runAction(context, () => step.applyOne?.(context, target, report)),
      }),
      ...(step.undo && {
        undo: (context, target, report) => runAction(context, () => step.undo?.(context, target, report)),
      }),
    };
  };
  return mapSteps(wrapStep);
}

const isFatal = ({ severity, state }: Finding) => severity === 'fatal' && state === 'failed';

/** Maximum number of refused CSRs that raise an event each; more of them raise one event together. */
const MAX_SINGLE_EVENTS = 5;

function createRefusedEvents({ requests }: CertificatesView): WizardEvent[] {
  const refusedRequests = requests.filter(({ verdict }) => verdict === 'refused');
  const [first] = refusedRequests;
  if (first !== undefined && refusedRequests.length > MAX_SINGLE_EVENTS)
    return [
      {
        event: 'certificate-refused',
        step: 'certificates',
        text: words().refusedMany(refusedRequests.length),
        onceKey: first.uid,
      },
    ];
  return refusedRequests.map((request) => createRefusedEvent(request, request.reasonTexts));
}

/**
 * Creates the event of a CSR that is left for the user. The wizard and the job that approves CSRs raise the event once
 * in all.
 */
export function createRefusedEvent(
  { name, uid, node, requester }: Pick<CertificatesView['requests'][number], 'name' | 'uid' | 'node' | 'requester'>,
  reasons: readonly string[],
): WizardEvent {
  return {
    event: 'certificate-refused',
    step: 'certificates',
    text: words().refused(name, node ?? requester, reasons.join(' ')),
    onceKey: uid,
  };
}
