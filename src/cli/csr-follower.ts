import { resolve } from 'node:path';
import type { ApprovalResult } from '../csr/approve.ts';
import type { CsrContext } from '../csr/csr-context.ts';
import { followRequests, formatFollowEvent } from '../csr/follow.ts';
import { explainReasons } from '../csr/node-membership.ts';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { SECOND, systemClock } from '../platform/clock.ts';
import { limitHeapGrowth } from '../platform/memory.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { createCsrContext } from '../steps/certificates/create-csr-context.ts';
import { createEventQueue, createRefusedEvent } from '../steps/events.ts';
import { createProbeCache } from '../steps/probe-cache.ts';
import {
  CSR_APPROVAL_JOB,
  checkLogout,
  findCsrApprovalJob,
  startCsrApprovalJob,
  stopCsrApprovalJob,
} from '../steps/shared/jobs.ts';
import { type StepFacts, withOverlay } from '../steps/step-state.ts';
import { type ClusterTarget, type TargetOptions, withClusterTarget } from './shared/cluster-target.ts';
import { formatUserError, UsageError } from './shared/io.ts';
import { InterruptedError, type ProcessIo } from './shared/process-io.ts';
import type { Programs } from './shared/runtime.ts';

const words = () => catalogue().clusterCommands.follower;
/** Milliseconds. A kubelet waits 15 minutes for its certificate, so this is often enough, and cheap. */
const PROBE_INTERVAL_MS = 10_000;

interface FollowerOptions extends TargetOptions {
  readonly names: readonly string[];
  readonly yes: readonly string[];
  readonly json: boolean;
  readonly forever: boolean;
  readonly background: boolean;
  readonly stop: boolean;
}

/**
 * `csr approve --follow --forever` runs until a signal stops it; `--background` starts that as a job, `--stop` ends it.
 * @returns 0; 4 when there is no job to stop; with `--forever` the code of the signal that ends it
 */
export async function followerCommand(options: FollowerOptions, io: ProcessIo, programs: Programs): Promise<number> {
  const { names, yes, json, forever, background, stop } = options;
  if ([forever, background, stop].filter(Boolean).length > 1) throw new UsageError(words().oneOf);
  // Approving by name needs an interactive user.
  if (names.length > 0 || yes.length > 0 || json) throw new UsageError(words().noNames);
  if (forever) return await followForever(options, io, programs);
  return await withClusterTarget(options, io, programs, async ({ session }) => {
    if (session === null) throw new UsageError(words().needsDirectory);
    const { context } = session;
    if (stop) {
      const job = await findCsrApprovalJob(context);
      if (job?.state !== 'running') {
        io.stderr(`${words().notRunning}\n`);
        return 4;
      }
      await stopCsrApprovalJob(context);
      io.stderr(`${words().stopped}\n`);
      return 0;
    }
    const { wasRunning, logFile } = await startCsrApprovalJob(context);
    const stopCommand = formatCommandLine('csr', 'approve', '--stop', '--dir', sanitizeLine(context.dir));
    io.stderr(`${(wasRunning ? words().runsAlready : words().started)(sanitizeLine(logFile), stopCommand)}\n`);
    for (const finding of await checkLogout(context, CSR_APPROVAL_JOB)) io.stderr(formatUserError(finding));
    return 0;
  });
}

/**
 * Approves expected requests as they appear, until a signal ends the program. Reads the design again at each probe.
 * Reports an unavailable API or an invalid design once, and waits until it is usable. Logs one line with its time
 * per event; a refused request is reported once and left alone.
 * @returns the code of the signal that ends it; 4 when waiting cannot help (see `followRequests`)
 */
async function followForever(target: TargetOptions, io: ProcessIo, programs: Programs): Promise<number> {
  const log = (text: string) => {
    for (const line of text.split('\n')) io.stdout(`${new Date(systemClock.now()).toISOString()} ${line}\n`);
  };
  const events =
    target.dir === undefined
      ? null
      : createEventQueue({ dir: resolve(io.cwd, target.dir), clock: systemClock, report: log });
  try {
    await followRequests(reopenForEachProbe(target, io, programs, log), {
      signal: io.signal,
      interval: PROBE_INTERVAL_MS,
      until: 'stopped',
      emit(event) {
        if (event.type !== 'nodes/joined') log(formatFollowEvent(event, 'full'));
        if (event.type === 'request/refused')
          events?.raise(createRefusedEvent(event.request, explainReasons(event.request, event.rejoinAssessments)));
      },
    });
  } catch (error) {
    if (!(error instanceof UserErrorException)) throw error;
    log(words().logGaveUp(error.userError));
    return 4;
  }
  log(words().logEnd);
  events?.detach();
  return io.signal.reason instanceof InterruptedError ? io.signal.reason.exitCode : 0;
}

/** Opens the cluster again for each probe. If the session or the design cannot be read, reports it once and waits. */
function reopenForEachProbe(target: TargetOptions, io: ProcessIo, programs: Programs, log: (text: string) => void) {
  let messages: string[] = [];
  const quietIo: ProcessIo = { ...io, stderr: (text) => void messages.push(text.trim()) };
  const probeCache = createProbeCache();
  const facts: StepFacts = {};
  let lastError = '';
  let isFirstProbe = true;
  let hasProbed = false;
  return async (probe: (context: CsrContext) => Promise<void>): Promise<void> => {
    messages = [];
    const probeErrors: unknown[] = [];
    let hasOpened = false;
    const logStart = () => {
      if (isFirstProbe) log(words().logStart);
      isFirstProbe = false;
    };
    const probeOnce = async (target: ClusterTarget) => {
      hasOpened = true;
      logStart();
      // A failed probe stops the follower; a cluster that cannot be opened does not.
      await probe(createCsrContext({ ...target, stepState: withOverlay(target.stepState, facts) })).catch(
        (error: unknown) => {
          // A full disk is temporary; until then, nothing is done that cannot be recorded.
          if (!(error instanceof UserErrorException && error.userError.code === 'session-unwritable'))
            probeErrors.push(error);
          else messages.push(words().logPaused(formatUserError(error.userError)));
        },
      );
      return 0;
    };
    await withClusterTarget(target, quietIo, programs, probeOnce, { probeCache }).catch((error: unknown) => {
      // A usage error at the first probe ends the follower. Later, it means that the session is being rewritten.
      if (!(error instanceof UsageError && !isFirstProbe)) throw error;
      messages.push(error.message);
    });
    // Logs the start also if the cluster could not be opened.
    logStart();
    if (probeErrors.length > 0) throw probeErrors[0];
    const errorText = sanitizeLine(messages.join(' '), 1000);
    if (errorText !== lastError && !io.signal.aborted) {
      const message = hasOpened ? errorText : words().logPaused(errorText);
      log(errorText === '' ? words().logResumed : message);
    }
    lastError = errorText;
    // All modules are loaded after the first probe. Under the limit, loading would take longer.
    if (!hasProbed) limitHeapGrowth();
    hasProbed = true;
  };
}

const followWords = () => catalogue().clusterCommands.csr;
const FOLLOW_PROBE_INTERVAL_MS = 3 * SECOND;

/**
 * `csr approve --follow`: follows the requests until every node has joined or a signal stops it. Events without a
 * result go to standard error.
 * @param onResult receives the results
 * @param beforeFirstProbe approves the named requests before the first probe; undefined if none is named
 * @returns whether all nodes have joined
 */
export async function followUntilJoined(
  target: ClusterTarget,
  io: ProcessIo,
  onResult: (result: ApprovalResult) => void,
  beforeFirstProbe: (() => Promise<void>) | undefined,
): Promise<boolean> {
  limitHeapGrowth();
  let progress = '';
  // The step state of the session belongs to the holder of its lock: this command reads it and never writes it.
  const targetWithOverlay = { ...target, stepState: withOverlay(target.stepState) };
  const outcome = await followRequests((probe) => probe(createCsrContext(targetWithOverlay)), {
    signal: io.signal,
    interval: FOLLOW_PROBE_INTERVAL_MS,
    until: 'joined',
    ...(beforeFirstProbe ? { beforeFirstProbe } : {}),
    emit(event) {
      if ('result' in event) return onResult(event.result);
      const text = formatFollowEvent(event, 'full');
      if (event.type === 'nodes/joined') progress = text;
      io.stderr(`${text}\n`);
    },
  });
  if (outcome === 'stopped') io.stderr(`${followWords().stoppedFollowing(progress)}\n`);
  return outcome === 'joined';
}
