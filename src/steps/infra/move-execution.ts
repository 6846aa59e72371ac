import { randomUUID } from 'node:crypto';
import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../../i18n/user-error.ts';
import { applyMoves } from '../../infra/apply-moves.ts';
import type { InfraContext } from '../../infra/context.ts';
import type { MoveChange } from '../../infra/edit.ts';
import type { ObservedMove } from '../../infra/moves.ts';
import { probeMoves } from '../../infra/probe.ts';
import { formatMoveEvent, type MoveEvent, type MovesResult } from '../../infra/run.ts';
import { createUndoLog } from '../../infra/undo/undo-log.ts';
import type { UndoConsent } from '../../infra/undo/undo-move.ts';
import { undoMoves } from '../../infra/undo-moves.ts';
import { retryWhileApiDown } from '../../kube/api-health.ts';
import { formatTimeOfDay, systemClock } from '../../platform/clock.ts';
import { runWithAuditLog } from '../../session/audit-log.ts';
import { getUndoLogFile, openNdjsonFile } from '../../session/ndjson-file.ts';
import type { ItemProgress, PlannedChange, ProgressReporter, StepContext } from '../contract.ts';
import { openCluster } from '../shared/cluster-access.ts';
import { createLoadBalancerFiles } from '../shared/hosts/load-balancer.ts';
import { readBootImages } from '../shared/installer/images.ts';
import { POLL_INTERVAL_MS } from '../shared/moves/move-job.ts';
import {
  createRecordingState,
  findMoveFailure,
  type MoveEnd,
  type MoveQuestion,
  type MoveRequest,
  openMoveRecords,
  readMoveRun,
} from '../shared/moves/move-run.ts';

const words = () => catalogue().steps.infra;

/** Creates the context of the infra moves for an install directory. */
export function createInfraContext(context: StepContext): InfraContext {
  const { design, clock, signal, resolveEndpoint, auditLog, stepState, probeCache } = context;
  return {
    design,
    clock,
    signal,
    async connect() {
      const cluster = await openCluster(context);
      if (cluster === null) throw new UserErrorException({ code: 'move-failed', ...words().noCluster });
      return cluster;
    },
    directory: {
      loadBalancers: createLoadBalancerFiles(context),
      resolveEndpoint,
      auditLog,
      readBootImages: () => readBootImages(context),
      cache: probeCache,
      findLastFailure() {
        const run = readMoveRun(context.dir);
        return run && findMoveFailure(run);
      },
      saveTraffic: (move, traffic) => stepState.set('traffic', { ...stepState.get('traffic'), [move]: traffic }),
      saveUndone: (move) => stepState.set('undone-at', { ...stepState.get('undone-at'), [move]: clock.now() }),
      savePodTransitions(move, doing, transitions) {
        const allTransitions = stepState.get('moved-pods') ?? {};
        const earlierTransitions =
          doing === 'apply' ? [] : (allTransitions[move] ?? []).filter((transition) => transition.doing === 'apply');
        stepState.set('moved-pods', {
          ...allTransitions,
          [move]: [...earlierTransitions, ...transitions.map((transition) => ({ doing, ...transition }))],
        });
      },
    },
    undoLog: createUndoLog(openNdjsonFile(getUndoLogFile(context.dir))),
  };
}

/**
 * Carries out a request, one move after the other.
 * @param ask asks about changes that the user has not confirmed, and waits for the answer
 * @returns whether everything was done; false: the user declined
 * @throws UserErrorException for the move at which the request stopped; the reason of the signal
 */
export async function executeMoves(
  context: StepContext,
  request: MoveRequest,
  { report, ask }: { readonly report: ProgressReporter; readonly ask: (question: MoveQuestion) => Promise<boolean> },
): Promise<boolean> {
  const infra = createInfraContext(context);
  const onEvent = createReporter(report);
  const result =
    request.action === 'undo' ? await undo(infra, request, onEvent) : await apply(infra, request, onEvent, ask);
  if (result.end === 'stopped') throw new UserErrorException(result.userError);
  return result.end === 'done';
}

async function apply(
  infra: InfraContext,
  { moves, shown }: MoveRequest,
  onEvent: (event: MoveEvent) => void,
  ask: (question: MoveQuestion) => Promise<boolean>,
): Promise<MovesResult> {
  const confirmedChanges =
    shown ?? (await retryWhileApiDown(infra, () => probeMoves(infra, moves))).flatMap(({ changes }) => changes);
  const requestConsent = (move: ObservedMove, unconfirmedChanges: readonly MoveChange[]) =>
    ask(toQuestion(move, unconfirmedChanges));
  return await applyMoves(infra, moves, { onEvent, confirmedChanges, requestConsent: requestConsent });
}

async function undo(
  infra: InfraContext,
  { moves, toDefaults, overwrites }: MoveRequest,
  onEvent: (event: MoveEvent) => void,
): Promise<MovesResult> {
  const consent: UndoConsent = { toDefaults, shouldOverwrite: () => overwrites };
  return await undoMoves(infra, moves, { onEvent, requestConsent: async () => consent, toDefaults });
}

function toQuestion(
  { name, notes = [], confirmationWord }: ObservedMove,
  changes: readonly MoveChange[],
): MoveQuestion {
  const what = catalogue().moves.byName[name].action;
  return {
    type: 'question',
    id: randomUUID(),
    move: name,
    changes: changes.map((change) => toPlannedChange(what, change)),
    ...(confirmationWord === undefined
      ? {}
      : { typedConfirmation: { word: confirmationWord, reason: notes.join(' ') } }),
  };
}

/**
 * Describes a change with the effect of its move, and with the GitOps product that would revert it, so that the user
 * confirms both.
 */
export function toPlannedChange(what: string, change: MoveChange): PlannedChange {
  const { object, isFile = false, before, after, copyOf, managers = [] } = change;
  const products = managers.filter(({ isGitOps }) => isGitOps).map(({ name }) => name);
  const effect = products.length === 0 ? what : words().managed(what, products.join(', '));
  return { object, ...(isFile ? { isFile } : {}), what: effect, before, after, ...(copyOf ? { copyOf } : {}) };
}

/** Reports events as lines. A reason to wait that comes back during a move updates its progress, without a new line. */
function createReporter(report: ProgressReporter) {
  let lastLine: string | null = null;
  const waitLines = new Set<string>();
  return (event: MoveEvent) => {
    const line = formatMoveEvent(event);
    if (event.type === 'began') waitLines.clear();
    const isRepeated = event.type === 'waiting' && line !== null && waitLines.has(line);
    const item = toItemProgress(event);
    if (isRepeated && line !== lastLine && item !== undefined) report.updateItem?.(item);
    else if (line !== null && line !== lastLine) report(line, item);
    if (event.type === 'waiting' && line !== null) waitLines.add(line);
    lastLine = line;
  };
}

function toItemProgress(event: MoveEvent): ItemProgress | undefined {
  const { type, move: subject } = event;
  if (type === 'began') return { subject, state: 'begun' };
  if (type === 'waiting') return { subject, state: 'begun', detail: event.why };
  if (type !== 'done') return undefined;
  return { subject, state: 'done', ...(event.why === '' ? {} : { detail: event.why }) };
}

/**
 * Carries out the requested moves of an install directory, as the program of the job. Records everything that its
 * followers show, and the end.
 * @param print prints a line to the log of the job
 * @param onQuestion called when a question waits for an answer
 * @returns the recorded end; null if there is no request, or if it was begun before
 * @throws UserErrorException `session-unwritable` if the end cannot be recorded
 */
export async function executeMovesAsJob(
  context: StepContext,
  print: (line: string) => void,
  onQuestion: (question: MoveQuestion) => void,
): Promise<MoveEnd | null> {
  const { dir, signal } = context;
  const run = readMoveRun(dir);
  if (run === null || run.hasBegun) return null;
  const { request } = run;
  const file = openMoveRecords(dir);
  file.append([{ type: 'begun' }]);
  const jobContext: StepContext = { ...context, stepState: createRecordingState(context.stepState, file) };
  const report: ProgressReporter = Object.assign(
    (line: string, item?: ItemProgress) => {
      print(line);
      const timedLine = `${formatTimeOfDay(context.clock.now())} ${line}`;
      file.append([{ type: 'report', line: timedLine, ...(item ? { item } : {}) }]);
    },
    { updateItem: (item: ItemProgress) => file.append([{ type: 'report', line: '', item }]) },
  );
  const ask = async (question: MoveQuestion) => {
    file.append([question]);
    print(words().job.asks(question.move));
    onQuestion(question);
    for (;;) {
      await systemClock.sleep(POLL_INTERVAL_MS, signal);
      const answer = readMoveRun(dir)?.records.find(
        (record) => record.type === 'answer' && record.question === question.id,
      );
      if (answer?.type !== 'answer') continue;
      print(words().job.answered(answer.isYes));
      return answer.isYes;
    }
  };
  const stopTraffic = recordTraffic(jobContext, file);
  let end: MoveEnd;
  try {
    const { action, subject } = request;
    const isDone = await runWithAuditLog(jobContext, { step: 'infra', action, subject }, () =>
      executeMoves(jobContext, request, { report, ask }),
    );
    end = { type: 'end', end: isDone ? 'done' : 'declined' };
  } catch (error) {
    end = signal.aborted
      ? { type: 'end', end: 'cancelled' }
      : { type: 'end', end: 'failed', userError: toUserError(error), at: context.clock.now() };
  }
  stopTraffic();
  file.append([end]);
  return end;
}

const TRAFFIC_INTERVAL_MS = 2000;

/**
 * Records the counters of the simulated user requests whenever they change.
 * @returns a function that records the last counters and stops
 */
export function recordTraffic(
  { probeCache }: Pick<StepContext, 'probeCache'>,
  file: Pick<ReturnType<typeof openMoveRecords>, 'append'>,
): () => void {
  let lastTraffic = probeCache.traffic;
  const record = () => {
    if (probeCache.traffic === null || probeCache.traffic === lastTraffic) return;
    lastTraffic = probeCache.traffic;
    const { move, ...traffic } = probeCache.traffic;
    try {
      file.append([{ type: 'traffic', move, traffic }]);
    } catch {
      // A full disk: the counters are shown again at the end.
    }
  };
  const stop = systemClock.startInterval(TRAFFIC_INTERVAL_MS, record);
  return () => {
    stop();
    record();
  };
}
