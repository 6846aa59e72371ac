import { convertErrorToFinding, type Finding } from '../../../checks/check.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { type RunnerHost, runOnHost } from '../../../host/host-run.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { toUserError } from '../../../i18n/user-error.ts';
import { SECOND } from '../../../platform/clock.ts';
import { sanitizeLine } from '../../../platform/sanitize.ts';
import type { StepContext } from '../../contract.ts';
import type { HostRun } from '../../probe-cache.ts';
import { recordInstallation } from '../../shared/hosts/host-file-records.ts';
import {
  formatHostEvent,
  formatRunEnd,
  type HostEvent,
  type HostPlan,
  parseHostPlan,
  parseRunStatus,
  type RunEnd,
  type RunStatus,
  retryOverLostConnection,
} from './follow.ts';
import { locateRunner } from './runner-location.ts';

const SUCCESSFUL_ENDS: ReadonlySet<RunEnd['kind']> = new Set(['same', 'confirmed', 'undone']);

/** Outcome of the run on a host; `failure`: its reason in one line, null if the host is as intended. */
interface HostRunResult {
  readonly name: string;
  readonly failure: string | null;
}

/** Whether a host is as intended after the run. */
export const isSuccessful = ({ kind }: RunEnd) => SUCCESSFUL_ENDS.has(kind);

/** Runs an action on one host, and reports its events until it has ended. */
export type HostAction = (host: ProbedHost, onEvent: (event: HostEvent) => void) => Promise<RunEnd>;

/** Whether a host needs an action: a change, following a run, or a confirmation. */
export function needsAction({ plan, run }: ProbedHost): boolean {
  return run?.isRunning === true || run?.outcome === 'open' || (plan !== null && plan.changes.length > 0);
}

/** Lists the files of a host that were edited there since they were put in place. */
export function listEditedFiles({ plan }: ProbedHost): readonly string[] {
  return plan?.changes.filter(({ mode }) => mode === 'edited').map(({ subject }) => subject) ?? [];
}

/**
 * Runs an action on probed hosts: one after the other in their order, and on none after a failure; with `isParallel`,
 * on all concurrently. Reports the events line by line, each under the name of its host.
 * @returns the outcomes of the hosts that it ran on
 */
export async function runOnHosts(
  context: Pick<StepContext, 'signal'>,
  hosts: readonly ProbedHost[],
  isParallel: boolean,
  action: HostAction,
  report: (line: string) => void,
): Promise<readonly HostRunResult[]> {
  const runAction = async (host: ProbedHost): Promise<HostRunResult> => {
    const { name } = host;
    const reportLine = (line: string) => report(sanitizeLine(catalogue().hosts.hostLine(name, line), 2000));
    let failingChecks = '';
    const onEvent = (event: HostEvent) => {
      // Checks repeat every few seconds, and mostly only the countdown changes: reported when the failing checks
      // change.
      const previousChecks = failingChecks;
      failingChecks = event.type === 'checking' ? event.failedChecks.join('\n') : '';
      if (failingChecks === '' || failingChecks !== previousChecks) reportLine(formatHostEvent(event));
    };
    try {
      const end = await action(host, onEvent);
      return { name, failure: isSuccessful(end) ? null : formatRunEnd(end) };
    } catch (error) {
      context.signal.throwIfAborted();
      const { title, cause, remedy } = toUserError(error);
      reportLine(`${title}: ${cause} ${remedy}`);
      return { name, failure: `${title}: ${cause}` };
    }
  };
  if (isParallel) return await Promise.all(hosts.map(runAction));
  const outcomes: HostRunResult[] = [];
  for (const host of hosts) {
    const outcome = await runAction(host);
    outcomes.push(outcome);
    if (outcome.failure !== null) break;
  }
  return outcomes;
}

/**
 * Whether a host is as it was before the run: the same changes would be made. Packages do not count.
 * @param previousPlan the changes that were planned before the run; null if unknown: the host then counts as restored
 * if any change is pending
 */
export async function isHostRestored(
  context: Pick<StepContext, 'clock' | 'signal'>,
  runner: RunnerHost,
  previousPlan: HostPlan | null,
  onEvent: (event: HostEvent) => void,
): Promise<boolean> {
  const { signal } = context;
  const currentPlan = parseHostPlan(
    await retryOverLostConnection(context, onEvent, () => runOnHost(runner, ['plan'], { signal })),
  );
  const serializeChanges = ({ changes }: HostPlan) => JSON.stringify(changes.filter(({ kind }) => kind !== 'package'));
  return previousPlan === null
    ? !currentPlan.isUnconfirmed && currentPlan.changes.length > 0
    : serializeChanges(currentPlan) === serializeChanges(previousPlan);
}

const RUNS_FACT = 'host-runs';

/** Lists the service hosts with a run whose end is not observed yet. */
export function listUnfinishedRuns({ stepState }: Pick<StepContext, 'stepState'>): readonly string[] {
  return Object.keys(stepState.get(RUNS_FACT) ?? {});
}

function forgetRun({ stepState }: StepContext, name: string): void {
  const { [name]: _ended, ...otherRuns } = stepState.get(RUNS_FACT) ?? {};
  stepState.set(RUNS_FACT, otherRuns);
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

function deriveRun(event: HostEvent, previousRun: HostRun | null, now: number): HostRun | null {
  const statusText = formatHostEvent(event);
  switch (event.type) {
    case 'began':
    case 'stage':
      return { state: 'running', areFilesMissing: false, isFollowed: true, statusText, revertsAt: null };
    case 'checking': {
      const revertsAt = event.secondsLeft === null ? null : now + event.secondsLeft * SECOND;
      return { state: 'open', areFilesMissing: false, isFollowed: true, statusText, revertsAt };
    }
    case 'ended':
      return toEndedRun(event.end);
    case 'line':
    case 'connection-lost':
    case 'revert-due':
    case 'connection-restored':
      return previousRun === null || event.type === 'line' ? null : { ...previousRun, statusText };
  }
}

const IN_PLACE_ENDS: ReadonlySet<RunEnd['kind']> = new Set(['same', 'confirmed', 'unproven', 'stuck']);

function toEndedRun(end: RunEnd): HostRun {
  return {
    state: 'ended',
    areFilesMissing: !IN_PLACE_ENDS.has(end.kind),
    isFollowed: false,
    statusText: formatRunEnd(end),
    revertsAt: null,
  };
}

/** Probes the hosts whose runs this process does not follow: records the end of each, and verifies its result there. */
export async function refreshRuns(context: StepContext): Promise<void> {
  const { probeCache, signal } = context;
  const unfollowedHosts = listUnfinishedRuns(context).filter((name) => !probeCache.hostRuns.get(name)?.isFollowed);
  await Promise.all(
    unfollowedHosts.map(async (name) => {
      try {
        probeCache.hostRuns.set(name, await refreshRun(context, name));
      } catch (error) {
        signal.throwIfAborted();
        const statusText = catalogue().hosts.progress.statusUnknown(toUserError(error).cause);
        probeCache.hostRuns.set(name, {
          state: 'running',
          areFilesMissing: false,
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
    return { state: 'running', areFilesMissing: false, isFollowed: false, statusText: running, revertsAt: null };
  if (status.outcome === 'open' && status.secondsLeft !== null) {
    const revertsAt = context.clock.now() + status.secondsLeft * SECOND;
    return { state: 'open', areFilesMissing: false, isFollowed: false, statusText: progress.unconfirmed, revertsAt };
  }
  const end = await deriveEnd(context, name, status);
  if (end.kind === 'confirmed') recordInstallation(context, name);
  forgetRun(context, name);
  return toEndedRun(end);
}

async function deriveEnd(
  context: StepContext,
  name: string,
  { id, action, exitCode, outcome, wasHostRebooted }: RunStatus,
): Promise<RunEnd> {
  const { rebootedBeforeConfirmation, notFollowed } = catalogue().hosts.progress;
  const reason = wasHostRebooted ? rebootedBeforeConfirmation : notFollowed;
  if (id === null) return { kind: 'lost' };
  if (outcome === 'confirmed') return { kind: 'confirmed' };
  if (outcome === 'revert-failed') return { kind: 'stuck', reason };
  if (outcome === 'reverted')
    return {
      kind: 'reverted',
      reason,
      isRestored: await isHostRestored(context, locateRunner(context, name), null, () => undefined),
    };
  return action === 'undo' && exitCode === 0 ? { kind: 'undone' } : { kind: 'failed', reason };
}

/** A service host, with the pending changes and the last run that a probe observed. */
export interface ProbedHost {
  /** From the design. */
  readonly host: ServiceHost;
  readonly name: string;
  readonly address: string;
  /** Null: a run is in progress there, or the host could not be probed because of `problem`. */
  readonly plan: HostPlan | null;
  readonly run: RunStatus | null;
  readonly problem: Finding | null;
}

/** The plan that a probe requests: the changes of an install, or of its undo. */
export type PlanCommand = 'plan' | 'undo-plan';

/**
 * Probes hosts concurrently: the changes that would be made there now, by a dry run that writes nothing, and the state
 * of the last run. An unreachable host gets a finding, and does not keep the others from being probed.
 */
export async function probeHosts(
  context: StepContext,
  hosts: readonly ServiceHost[],
  command: PlanCommand = 'plan',
): Promise<readonly ProbedHost[]> {
  return await Promise.all(
    hosts.map(async (host): Promise<ProbedHost> => {
      const { name } = host;
      const identity = { host, name, address: host.ip[0] };
      try {
        return { ...identity, ...(await readPlanAndStatus(context, name, command)), problem: null };
      } catch (error) {
        context.signal.throwIfAborted();
        return {
          ...identity,
          plan: null,
          run: null,
          problem: { ...convertErrorToFinding(toUserError(error)), subject: name },
        };
      }
    }),
  );
}

async function readPlanAndStatus(context: StepContext, name: string, command: PlanCommand) {
  const runner = locateRunner(context, name);
  const { signal } = context;
  const run = parseRunStatus(await runOnHost(runner, ['status'], { signal }));
  // While files are being put in place there is nothing to compare with.
  const plan = run.isRunning ? null : parseHostPlan(await runOnHost(runner, [command], { signal }));
  if (plan !== null && command === 'plan') recordUnits(context, name, plan);
  return { plan, run };
}

function recordUnits({ probeCache, clock }: StepContext, name: string, { units }: HostPlan): void {
  probeCache.hostUnits.set(name, { at: clock.now(), units });
}

/** Probes whether the services of a host run there, as `hosts verify` does. If the probe fails, nothing is cached. */
export async function refreshUnits(context: StepContext, name: string): Promise<void> {
  context.probeCache.hostUnits.delete(name);
  try {
    await readPlanAndStatus(context, name, 'plan');
  } catch {
    context.signal.throwIfAborted();
  }
}
