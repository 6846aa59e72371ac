import { type Finding, runChecks } from '../checks/check.ts';
import { listNodesWithRole } from '../design/derived-facts.ts';
import type { Design } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { needsBootImageRecord } from '../infra/moves/boot-image-record.ts';
import type { ObservedMove } from '../infra/moves.ts';
import {
  describeEffects,
  describeInShort,
  findMove,
  isInPlace,
  isSatisfied,
  listDependencies,
  listMissingDependencies,
  listMoveLines,
  listMovesNotStarted,
  MOVE_NAMES,
  MOVES,
  type MoveName,
  selectMovesToRun,
  selectStartableMoves,
  sortPresentFirst,
  summarizePlan,
  summarizeUndo,
  USUAL_MINUTES,
} from '../infra/moves.ts';
import { findRemedyCommand } from '../infra/pending-pod.ts';
import { probeMoves } from '../infra/probe.ts';
import { createMoveError } from '../infra/run.ts';
import { MOVE_STATUS_CHECKS } from '../infra/status-checks.ts';
import {
  hasChanges,
  listUndoLines,
  listUndoneObjects,
  type UndoConsent,
  type UndoPlan,
} from '../infra/undo/undo-move.ts';
import { findUndoChain, planUndos } from '../infra/undo-moves.ts';
import { isClusterError } from '../kube/errors.ts';
import type { ClusterSnapshot } from '../kube/snapshot.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { ActionTarget, Confirmation, Plan, Probe, Step, StepContext } from './contract.ts';
import { createInfraContext, toPlannedChange } from './infra/move-execution.ts';
import { checkUnattendedRequests } from './shared/certificate-requests.ts';
import { checkApiConnection, readSnapshot } from './shared/cluster-access.ts';
import { checkJob } from './shared/jobs.ts';
import {
  answerMoveQuestion,
  createQuestionPlan,
  describeMoveJob,
  findMoveJob,
  followMoveJob,
  isMoveJobActive,
  runMoveJob,
} from './shared/moves/move-job.ts';
import { MOVES_JOB, type MoveQuestion, type MoveRequest, mergeJobFacts } from './shared/moves/move-run.ts';
import { formatTarget, requireTarget } from './step-action.ts';
import type { WaitPart } from './wait-progress.ts';

const words = () => catalogue().steps.infra;

/** Data of the infra screen: the moves in their order, each with its status; those that do not apply come last. */
export interface InfraView {
  readonly moves: readonly ObservedMove[];
  /** Results of the simulated user traffic during a move, as text; null if there was none. */
  readonly traffic: string | null;
  /** Commands for moves with a pending pod, by move; missing: there are none. */
  readonly remedyCommands?: Readonly<Partial<Record<MoveName, string>>>;
  /** The question of the job that carries out moves; missing: there is none. */
  readonly question?: MoveQuestion;
  /** The effects of each needed move in one line, by move. */
  readonly effects?: Readonly<Partial<Record<MoveName, string>>>;
  /** The plans of the moves that can be applied alone, by move. */
  readonly singlePlans?: Readonly<Partial<Record<MoveName, Plan>>>;
}

const NO_CONSENT = { toDefaults: false, overwrites: false } as const;
const jobWords = () => catalogue().steps.infra.job;
const createOutdatedAnswerError = () => ({ code: 'plan-differs', ...jobWords().outdatedAnswer });

/** Gives the infra nodes their role and moves their workloads there, move by move; each can be undone. */
export const infraStep: Step<InfraView> = {
  id: 'infra',
  probeIntervalMs: 5 * SECOND,
  timeoutMs: 60 * MINUTE,
  probe,
  async plan({ design }, { view }) {
    if (view.question) return createQuestionPlan(view.question);
    const { startableMoves, stoppingMove } = selectStartableMoves(view.moves);
    const plan = createMovePlan(startableMoves, design);
    if (startableMoves.length === 0) return plan;
    return {
      ...plan,
      summary: [...(plan.summary ?? []), ...listMovesNotStarted(view.moves)],
      instructions: stoppingMove === null ? [] : [words().stopsAt(stoppingMove.name, stoppingMove.state === 'failed')],
    };
  },
  async apply(context, report, plan = null) {
    if (plan !== null && findMoveJob(context)?.state === 'asking') {
      if (!answerMoveQuestion(context, true, plan.changes)) throw new UserErrorException(createOutdatedAnswerError());
      return await followMoveJob(context, report);
    }
    // Without a plan, nothing was confirmed, and each move is checked when its turn comes.
    const plannedMoves = plan === null ? null : context.probeCache.infraMoves;
    const request = {
      action: 'apply',
      subject: null,
      moves: plannedMoves === null ? selectMoves(context) : selectMovesToRun(plannedMoves).map(({ name }) => name),
      shown: plan?.changes ?? null,
    } as const;
    await runMoveJob(context, { ...request, ...NO_CONSENT }, report);
  },
  async applyOne(context, target, report) {
    const moves = [requireMoveName(requireTarget(target, 'move').name)];
    // The changes on the page, which the user confirmed.
    const confirmedChanges = context.probeCache.infraMoves?.find(({ name }) => name === moves[0])?.changes;
    const changes = confirmedChanges?.map((change) => toPlannedChange('', change)) ?? null;
    const request = { action: 'apply-one', subject: formatTarget(target), moves, shown: changes } as const;
    await runMoveJob(context, { ...request, ...NO_CONSENT }, report);
  },
  verify: probe,
  async undo(context, target, report) {
    const move = target && requireTarget(target, 'move');
    const moves = move === null ? MOVE_NAMES : [...(move.dependents ?? []), move.name].map(requireMoveName);
    const consent = { toDefaults: move?.consent === 'defaults', overwrites: move?.consent === 'overwrite' };
    const request = {
      action: 'undo',
      subject: target && formatTarget(target),
      moves,
      shown: null,
      ...consent,
    } as const;
    await runMoveJob(context, request, report);
  },
  job: {
    follow: followMoveJob,
    decline: (context) => void answerMoveQuestion(context, false),
    describe(context) {
      const job = findMoveJob(context);
      return job !== null && isMoveJobActive(job) ? describeMoveJob(job) : null;
    },
  },
  async previewAction(context, target) {
    const moveTarget = requireTarget(target ?? { kind: 'move', name: '', consent: null }, 'move');
    const { toDefaults } = toConsent(moveTarget);
    const infra = createInfraContext(context);
    const move = findMove(moveTarget.name);
    const [undoPlan = null] = move === null ? [] : await planUndos(infra, [move], toDefaults);
    if (move === null || undoPlan === null || !hasChanges(undoPlan)) {
      const confirmation = createUndoConfirmation(moveTarget, undoPlan ? [undoPlan] : []);
      if (move === null || undoPlan?.kind !== 'foreign') return confirmation;
      const [currentMove] = await probeMoves(infra, [move.name]);
      const isUndone = currentMove !== undefined && !isInPlace(currentMove);
      return { ...confirmation, nothingToDo: isUndone ? words().alreadyUndone(move.name) : words().foreign(move.name) };
    }
    const chain = await findUndoChain(infra, [move.name]);
    const dependents = MOVES.filter(({ name }) => name !== move.name && chain.includes(name)).toReversed();
    const undoPlans = [...(await planUndos(infra, dependents, toDefaults)), undoPlan];
    const summary = summarizeUndo(undoPlans.map(listUndoneObjects), context.design);
    return { ...createUndoConfirmation(moveTarget, undoPlans), summary };
  },
};

/** Creates the plan of moves that start together: why each is made, and its changes. */
function createMovePlan(startable: readonly ObservedMove[], design: Design): Plan {
  const changesByMove = startable.map((move) => {
    const { name, changes, notes = [] } = move;
    const { byName, purposes } = catalogue().moves;
    const effects = describeEffects(move, design);
    // The summary of a single move says what restarts.
    const restarts = startable.length === 1 ? [] : effects.restarts;
    const effect = [words().effects(purposes[name], { ...effects, restarts }), ...notes].join('\n');
    return [
      { object: name, what: effect, before: null, after: null },
      ...changes.map((change) => toPlannedChange(byName[name].action, change)),
    ];
  });
  const parts = listMoveLines(startable, design).map((line, index) => ({
    ...line,
    changeCount: changesByMove[index]?.length ?? 0,
  }));
  return {
    changes: changesByMove.flat(),
    // Without one, a run only waits for moves that are written already.
    isDangerous: startable.length > 0,
    ...(startable.length === 0
      ? {}
      : {
          summary: summarizePlan(startable, design, catalogue().moves.summary.undoneBy.key, parts.length > 0),
          ...(parts.length > 0 ? { parts } : {}),
        }),
    ...buildTypedConfirmation(startable),
    instructions: [],
  };
}

/** Builds one typed confirmation for all moves that may lose something. */
function buildTypedConfirmation(startable: readonly ObservedMove[]): Pick<Plan, 'typedConfirmation'> {
  const lossyMoves = startable.filter(({ confirmationWord }) => confirmationWord !== undefined);
  const word = lossyMoves[0]?.confirmationWord;
  return word === undefined
    ? {}
    : { typedConfirmation: { word, reason: lossyMoves.flatMap(({ notes = [] }) => notes).join(' ') } };
}

/** @throws UserErrorException `move-failed` if there is no such move */
function requireMoveName(subject: string): MoveName {
  const move = findMove(subject);
  if (move === null) throw createMoveError(subject, words().unknownMove);
  return move.name;
}

/** Whether the design has infra nodes, or lets the cloud create them. */
function hasInfraNodes(design: Design): boolean {
  return listNodesWithRole(design, 'infra').length > 0 || design.infra.machineSets !== null;
}

/**
 * Selects the moves that the design needs. Without infra nodes, these are the label and the taint of storage nodes, the
 * toleration of cluster DNS, and the record of the boot image.
 */
function selectMoves({ design }: StepContext): readonly MoveName[] {
  if (hasInfraNodes(design)) return MOVE_NAMES;
  const storageMoves: readonly MoveName[] =
    listNodesWithRole(design, 'storage').length > 0 ? ['label', 'storage', 'dns'] : [];
  return needsBootImageRecord(design) ? [...storageMoves, 'boot-image-record'] : storageMoves;
}

async function probe(context: StepContext): Promise<Probe<InfraView>> {
  mergeJobFacts(context);
  const clusterProbe = await probeCluster(context);
  const job = findMoveJob(context);
  if (job === null || (!isMoveJobActive(job) && job.run.isAcknowledged)) return clusterProbe;
  const { action, subject, at: startedAt, moves: parts } = job.run.request;
  const findings = isMoveJobActive(job)
    ? [...clusterProbe.findings, ...(await checkJob(context, MOVES_JOB))]
    : clusterProbe.findings;
  const jobProbe = {
    ...clusterProbe,
    findings,
    job: { action, subject, startedAt, isAsking: job.question !== null, parts },
  };
  if (job.question === null) return jobProbe;
  const view = { ...clusterProbe.view, question: job.question };
  return { ...jobProbe, state: 'needed', summary: jobWords().asks(job.question.move), view };
}

async function probeCluster(context: StepContext): Promise<Probe<InfraView>> {
  if (selectMoves(context).length === 0)
    return { state: 'done', summary: words().none, view: { moves: [], traffic: null }, findings: [] };
  const snapshot = await readSnapshot(context, ['nodes', 'requests']);
  const createWaitingProbe = (): Probe<InfraView> => {
    const findings = checkApiConnection(snapshot);
    const view = buildView(context, context.probeCache.infraMoves ?? []);
    return { state: 'waiting', summary: formatApiState(snapshot, findings), view, findings };
  };
  if (snapshot?.api.state === 'away') return createWaitingProbe();
  try {
    const clusterProbe = await probeReachableCluster(context);
    return { ...clusterProbe, findings: [...checkUnattendedRequests(context, snapshot), ...clusterProbe.findings] };
  } catch (error) {
    // The API became unavailable between two requests: the next probe reports since when.
    if (isClusterError(error, 'not-yet', 'unreachable', 'credentials')) return createWaitingProbe();
    throw error;
  }
}

/**
 * Formats the state of the API for the summary. It does not repeat title and reason if a finding reports the outage.
 */
function formatApiState(snapshot: ClusterSnapshot | null, findings: readonly Finding[]): string {
  if (snapshot?.api.line == null) return words().apiDown;
  return findings.length > 0 ? catalogue().cluster.outage.reported : snapshot.api.line;
}

async function probeReachableCluster(context: StepContext): Promise<Probe<InfraView>> {
  const infra = createInfraContext(context);
  // Connects first: without a cluster, no move has a status.
  const cluster = await infra.connect();
  const pendingRestores = (await infra.undoLog?.listPendingRestores(cluster)) ?? [];
  const hasWritten = ({ name }: ObservedMove) => pendingRestores.some(({ move }) => move === name);
  const undoneTimes = context.stepState.get('undone-at') ?? {};
  const moves = (await probeMoves(infra, selectMoves(context))).map((move) => {
    if (hasWritten(move)) return { ...move, hasWritten: true };
    const undoneAt = undoneTimes[move.name];
    return move.state === 'needed' && undoneAt !== undefined ? { ...move, undoneAt } : move;
  });
  context.probeCache.infraMoves = moves;
  const job = findMoveJob(context);
  return {
    ...summarizeMoves(moves, context.design),
    progress: measureProgress(context.probeCache, moves, job !== null && isMoveJobActive(job) ? job.run.request : null),
    view: buildView(context, moves),
  };
}

/**
 * Measures the progress of the running job, or of the next one. Moves that were done before the job do not count: after
 * an undo, a bar begins at 0 again. After a stopped job, its request counts until no move is in progress any more. The
 * progress of a move itself cannot be observed.
 * @param request the request of the running job; null: no job runs
 */
export function measureProgress(
  cache: Pick<StepContext['probeCache'], 'movesDoneBeforeRun' | 'lastMoveRequest'>,
  moves: readonly ObservedMove[],
  request: Pick<MoveRequest, 'action' | 'moves'> | null,
): WaitPart[] {
  if (request !== null) cache.lastMoveRequest = request;
  else if (moves.every(({ state }) => state !== 'moving')) {
    cache.lastMoveRequest = null;
    cache.movesDoneBeforeRun = moves.filter(isSatisfied).map(({ name }) => name);
  }
  const runMoves = cache.lastMoveRequest?.moves ?? selectMovesToRun(moves).map(({ name }) => name);
  const isCounted = ({ name, state }: ObservedMove) =>
    state !== 'absent' &&
    !cache.movesDoneBeforeRun?.includes(name) &&
    // After the job, the step also waits for a move that another job has written.
    (runMoves.includes(name) || (request === null && state === 'moving'));
  return moves.filter(isCounted).map((move) => ({
    usualMinutes: USUAL_MINUTES[move.name],
    share: isSatisfied(move) ? 1 : 0,
    startedAt: null,
    subject: move.name,
  }));
}

function buildView({ design, probeCache: { traffic } }: StepContext, moves: readonly ObservedMove[]): InfraView {
  const remedies = moves.flatMap(({ name, pending }) => {
    const command = pending === undefined ? null : findRemedyCommand(pending);
    return command === null ? [] : [[name, sanitizeLine(command)] as const];
  });
  return {
    moves: sortPresentFirst(moves),
    traffic: traffic && catalogue().steps.traffic.counted(traffic.move, traffic),
    ...(remedies.length === 0 ? {} : { remedyCommands: Object.fromEntries(remedies) }),
    effects: Object.fromEntries(
      moves.filter(({ state }) => state === 'needed').map((move) => [move.name, describeInShort(move, design)]),
    ),
    singlePlans: Object.fromEntries(
      moves
        .filter((move) => move.state === 'needed' && listMissingDependencies(move.name, moves).length === 0)
        .map((move) => [move.name, createMovePlan([move], design)]),
    ),
  };
}

/** Returns the failed preflight findings of a move that is to be applied. */
function listFailedPreflight({ state, preflightFindings = [] }: ObservedMove): Finding[] {
  return state === 'needed' ? preflightFindings.filter((finding) => finding.state === 'failed') : [];
}

const isStopped = ({ state }: ObservedMove) => state === 'blocked' || state === 'failed';

/** Summarizes the moves as a probe result, without the view. */
export function summarizeMoves(moves: readonly ObservedMove[], design: Design): Omit<Probe<InfraView>, 'view'> {
  const unsatisfiedMoves = moves.filter((move) => !isSatisfied(move));
  const [firstMove] = unsatisfiedMoves;
  if (!firstMove) return { state: 'done', summary: summarizeCompletion(design), findings: [] };
  const { startableMoves, stoppingMove } = selectStartableMoves(moves);
  // Moves that one cause blocks, such as a degraded pool, have one finding: that of the first of them.
  const allFindings = unsatisfiedMoves.flatMap((move) => [
    ...runChecks(MOVE_STATUS_CHECKS, move),
    ...listFailedPreflight(move),
  ]);
  const findings = allFindings.filter(
    ({ code, cause }, index) =>
      code !== 'move-blocked' ||
      allFindings.findIndex((finding) => finding.code === code && finding.cause === cause) === index,
  );
  if (startableMoves.length > 0) {
    const listNames = (group: readonly ObservedMove[]) => group.map(({ name }) => name).join(', ');
    const movingNames = listNames(unsatisfiedMoves.filter(({ state }) => state === 'moving'));
    const stoppedNames = listNames(unsatisfiedMoves.filter(isStopped));
    return { state: 'needed', summary: words().needed(listNames(startableMoves), movingNames, stoppedNames), findings };
  }
  if (stoppingMove === null || firstMove.state === 'moving')
    return {
      state: 'waiting',
      summary: words().waiting(firstMove.name, firstMove.why),
      findings,
      // A move in progress may end, but the next one is blocked.
      ...(stoppingMove === null ? {} : { isStuck: true }),
    };
  const doneCount = moves.filter(({ state }) => state === 'done').length;
  const laterMoves = unsatisfiedMoves.slice(unsatisfiedMoves.indexOf(stoppingMove) + 1);
  const hasFailed = stoppingMove.state === 'failed';
  return {
    state: 'blocked',
    summary: words().stoppedAfter(doneCount, stoppingMove.name, hasFailed, laterMoves.length),
    findings,
  };
}

function summarizeCompletion(design: Design): string {
  if (hasInfraNodes(design)) return words().done;
  return listNodesWithRole(design, 'storage').length > 0 ? words().labelled : words().recorded;
}

type MoveTarget = Extract<ActionTarget, { readonly kind: 'move' }>;

function toConsent({ consent }: MoveTarget): UndoConsent {
  return { toDefaults: consent === 'defaults', shouldOverwrite: () => consent === 'overwrite' };
}

/**
 * Creates the confirmation that the user reads before an undo.
 * @param plans what undoing each move does, in the order in which they are undone: those that depend on the chosen one
 * first
 */
export function createUndoConfirmation(moveTarget: MoveTarget, plans: readonly UndoPlan[]): Confirmation {
  const consent = toConsent(moveTarget);
  const { questions, keys, undoChain } = catalogue().screens.infra;
  const dependents = plans.slice(0, -1).map(({ move }) => move);
  const target: MoveTarget = {
    kind: 'move',
    name: moveTarget.name,
    consent: moveTarget.consent,
    ...(dependents.length === 0 ? {} : { dependents }),
  };
  const names = [...dependents, moveTarget.name];
  /** Explains why a move is undone too: by the moves of the chain that it depends on. */
  const explainDependency = (name: MoveName) => {
    const move = findMove(name);
    const dependencies =
      move === null ? [] : listDependencies(move).filter((dependency) => names.includes(dependency.name));
    return undoChain.because(
      name,
      dependencies.map((dependency) => dependency.name),
    );
  };
  const lines = plans.flatMap((plan) => [
    ...(dependents.length === 0 ? [] : ['', undoChain.heading(plan.move, catalogue().moves.byName[plan.move].title)]),
    ...listUndoLines(plan, consent),
  ]);
  // A move that upi-wizard did not apply stays, and so do those that it depends on.
  const remainingPlans = plans.slice(0, -1).filter((plan) => !hasChanges(plan));
  if (remainingPlans.length > 0) {
    const blockedReason = undoChain.blocked(moveTarget.name, remainingPlans.map(({ move }) => move).join(', '));
    return { question: questions.undo(names), lines: [blockedReason, ...lines], blockedReason, alternatives: [] };
  }
  const isChanged = plans.some(
    (plan) => plan.kind === 'recorded' && plan.objects.some(({ state }) => state === 'changed'),
  );
  const canOverwrite = isChanged && moveTarget.consent !== 'overwrite';
  const canChooseDefaults = plans.some(({ kind }) => kind === 'defaults') && !consent.toDefaults;
  const question = consent.toDefaults
    ? questions.defaults(names)
    : moveTarget.consent === 'overwrite'
      ? questions.overwrite(names)
      : questions.undo(names);
  return {
    question,
    lines:
      dependents.length === 0
        ? lines
        : [undoChain.intro(moveTarget.name, dependents.length), ...dependents.map(explainDependency), ...lines],
    ...(dependents.length === 0 ? {} : { target }),
    ...(moveTarget.consent === 'overwrite' ? { yesLabel: keys.overwriteAndUndo } : {}),
    alternatives: [
      ...(canOverwrite
        ? [{ key: 'overwrite', label: keys.overwrite, target: { ...moveTarget, consent: 'overwrite' } } as const]
        : []),
      ...(canChooseDefaults
        ? [{ key: 'defaults', label: keys.defaults, target: { ...moveTarget, consent: 'defaults' } } as const]
        : []),
    ],
  };
}
