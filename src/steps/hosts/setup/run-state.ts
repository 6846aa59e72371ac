import { runOnHost } from '../../../host/host-run.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { toUserError } from '../../../i18n/user-error.ts';
import { SECOND } from '../../../platform/clock.ts';

import type { StepContext } from '../../contract.ts';
import type { HostRun } from '../../probe-cache.ts';
import { recordHostFiles } from '../../shared/hosts/put-in-place.ts';
import { formatHostEvent, formatRunEnd, type HostEvent, type RunEnd } from './events.ts';
import { parseRunStatus, type RunStatus } from './records.ts';
import { isHostRestored } from './restore-check.ts';
import { locateRunner } from './runner-location.ts';

const RUNS_FACT = 'host-runs';

/** Lists the service hosts with a run whose end is not observed yet. */
export function listUnfinishedRuns({ stepState }: Pick<StepContext, 'stepState'>): readonly string[] {
  return Object.keys(stepState.get(RUNS_FACT) ?? {});
}

function forgetRun({ stepState }: StepContext, name: string): void {
  const { [name]: _ended, ...others } = stepState.get(RUNS_FACT) ?? {};
  stepState.set(RUNS_FACT, others);
}

/**
 * Creates an event handler that records the events on a host, for a later session and for the screen, and passes them
 * on.
 */
export function createEventRecorder(context: StepContext, name: string, onEvent: (event: HostEvent) => void) {
  const { clock, stepState, probeCache } = context;
  return (event: HostEvent): void => {
    if (event.type === 'began') stepState.set(RUNS_FACT, { ...stepState.get(RUNS_FACT), [name]: clock.now() });
    if (event.type === 'ended') forgetRun(context, name);
    const run = deriveRun(event, probeCache.hostRuns.get(name) ?? null, clock.now());
    if (run !== null) probeCache.hostRuns.set(name, run);
    onEvent(event);
  };
}

/** Marks the run on a host as not followed by this process. The run may continue there. */
export function stopFollowing({ probeCache }: StepContext, name: string): void {
  const run = probeCache.hostRuns.get(name);
  if (run?.isFollowed) probeCache.hostRuns.set(name, { ...run, isFollowed: false });
}

function deriveRun(event: HostEvent, before: HostRun | null, now: number): HostRun | null {
  const statusText = formatHostEvent(event);
  switch (event.type) {
    case 'began':
    case 'stage':
      return { state: 'running', isMissing: false, isFollowed: true, statusText, revertsAt: null };
    case 'checking': {
      const revertsAt = event.secondsLeft === null ? null : now + event.secondsLeft * SECOND;
      return { state: 'open', isMissing: false, isFollowed: true, statusText, revertsAt };
    }
    case 'ended':
      return toEndedRun(event.end);
    case 'line':
    case 'connection-lost':
    case 'connection-restored':
      return before === null || event.type === 'line' ? null : { ...before, statusText };
  }
}

const IN_PLACE: ReadonlySet<RunEnd['end']> = new Set(['same', 'confirmed', 'unproven', 'stuck']);

function toEndedRun(end: RunEnd): HostRun {
  return {
    state: 'ended',
    isMissing: !IN_PLACE.has(end.end),
    isFollowed: false,
    statusText: formatRunEnd(end),
    revertsAt: null,
  };
}

/** Probes the hosts whose runs this process does not follow: records the end of each, and verifies its result there. */
export async function refreshRuns(context: StepContext): Promise<void> {
  const { probeCache, signal } = context;
  const unfollowed = listUnfinishedRuns(context).filter((name) => !probeCache.hostRuns.get(name)?.isFollowed);
  await Promise.all(
    unfollowed.map(async (name) => {
      try {
        probeCache.hostRuns.set(name, await refreshRun(context, name));
      } catch (error) {
        signal.throwIfAborted();
        const statusText = catalogue().hosts.progress.statusUnknown(toUserError(error).cause);
        probeCache.hostRuns.set(name, {
          state: 'running',
          isMissing: false,
          isFollowed: false,
          statusText,
          revertsAt: null,
        });
      }
    }),
  );
}

async function refreshRun(context: StepContext, name: string): Promise<HostRun> {
  const runner = locateRunner(context, name);
  const status = parseRunStatus(await runOnHost(runner, ['status'], { signal: context.signal }));
  const { running, progress } = catalogue().hosts;
  if (status.isRunning)
    return { state: 'running', isMissing: false, isFollowed: false, statusText: running, revertsAt: null };
  if (status.outcome === 'open' && status.secondsLeft !== null) {
    const revertsAt = context.clock.now() + status.secondsLeft * SECOND;
    return { state: 'open', isMissing: false, isFollowed: false, statusText: progress.unconfirmed, revertsAt };
  }
  const end = await deriveEnd(context, name, status);
  if (end.end === 'confirmed') recordHostFiles(context, [name]);
  forgetRun(context, name);
  return toEndedRun(end);
}

async function deriveEnd(
  context: StepContext,
  name: string,
  { id, action, exitCode, outcome, wasRestarted }: RunStatus,
): Promise<RunEnd> {
  const { rebootedBeforeConfirmation, notFollowed } = catalogue().hosts.progress;
  const why = wasRestarted ? rebootedBeforeConfirmation : notFollowed;
  if (id === null) return { end: 'lost' };
  if (outcome === 'confirmed') return { end: 'confirmed' };
  if (outcome === 'revert-failed') return { end: 'stuck', why };
  if (outcome === 'reverted')
    return {
      end: 'reverted',
      why,
      isRestored: await isHostRestored(context, locateRunner(context, name), null, () => undefined),
    };
  return action === 'undo' && exitCode === 0 ? { end: 'undone' } : { end: 'failed', why };
}
