import { catalogue } from '../src/i18n/catalogue.ts';
import { splitProse } from '../src/i18n/prose.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import type { ObservedMove } from '../src/infra/moves.ts';
import {
  explainMoveState,
  isSatisfied,
  listMissingDependencies,
  selectStartableMoves,
  shouldOfferUndo,
} from '../src/infra/moves.ts';
import { getMoveRemedy } from '../src/infra/status-checks.ts';
import { formatTimeOfDay } from '../src/platform/clock.ts';
import { wrapLines } from '../src/platform/text.ts';
import type { Binding } from '../src/rows/bindings.ts';
import type { Detail } from '../src/rows/list-page.ts';
import type { Viewport } from '../src/rows/page-rows.ts';
import { formatStatusText, getStatusTone, MOVE_STATUS } from '../src/rows/status.ts';
import type { TableRow } from '../src/rows/table.ts';
import type { TextLine } from '../src/rows/text.ts';
import type { InfraView } from '../src/steps/infra.ts';
import { parseTarget } from '../src/steps/step-action.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { renderChanges } from './shared/step/changes.ts';
import { hasCommand } from './shared/step/step-lines.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const words = () => catalogue().screens.infra;

/** Shows the infra moves in order, and the changes of the selected one below them. */
export const infraScreen = createStepScreen<InfraView>({
  id: 'infra',
  watchesSite: true,
  runsInJob: true,
  mayStayIncomplete: true,
  fixedPart: 'list',
  isIntroOptional: true,
  // The rows of the list say at which move a run stops, and which ones come after it.
  hasOwnInstructions: true,
  rowCount: ({ moves }) => moves.length,
  firstRow: findCurrentRow,
  bindings({ moves, question }, row) {
    const selectedMove = moves[Math.min(row, moves.length - 1)];
    if (selectedMove === undefined) return [];
    return [
      ...createPendingBindings(selectedMove),
      ...[createApplyOneBinding(selectedMove, moves), createUndoBinding(selectedMove)].map((binding) =>
        question === undefined ? binding : { ...binding, disabledReason: words().notNow.jobAsks },
      ),
    ];
  },
  commands: ({ moves, remedyCommands = {} }, row) =>
    listCommands(moves[Math.min(row, moves.length - 1)], remedyCommands),
  script: ({ moves, remedyCommands = {} }) =>
    moves.flatMap((move) => {
      const commands = listCommands(move, remedyCommands);
      return commands.length === 0 ? [] : [move.name, ...commands.map((command) => `  ${command}`)];
    }),
  // The detail of a stopped move begins with its reason. A command in it stands there only while the move is selected.
  isRowOfList: ({ moves }, { code, subject, cause, remedy }, row) =>
    (code === 'move-blocked' || code === 'move-failed') &&
    (moves[row]?.name === subject || !hasCommand(cause + remedy)),
  isErrorOfList({ moves }, { cause }, row) {
    const { state, why } = moves[row] ?? {};
    return (state === 'blocked' || state === 'failed') && why?.endsWith(cause) === true;
  },
  getQuestion({ moves, singlePlans = {} }, subject) {
    const move = moves.find(({ name }) => name === subject);
    const plan = move && singlePlans[move.name];
    const details = plan ? [] : (move?.changes ?? []).map(({ object }) => object);
    return { question: words().questions.apply(subject), details, ...(plan ? { plan } : {}) };
  },
  applyingLine: describeProgress,
  // While moves run, their messages report the traffic; until the probe after them, that of the last probe is older.
  lineAbove: ({ traffic }, { phase }) => (phase === 'applying' || phase === 'probing' ? null : traffic),
  tableRows({ moves }, run, _now, viewport) {
    const { startableMoves, stoppingMove } = selectShownMoves(moves, run);
    const startableNames = startableMoves.map(({ name }) => name);
    return moves.map((move) =>
      toTableRow(move, run, startableNames.includes(move.name) ? null : stoppingMove, viewport),
    );
  },
  body: (view, run, _now, _style, rows) => ({
    list: {
      table: { columns: getColumns(), rows, selectedIndex: run.row, emptyText: '', filter: run.filter },
      details: [createDetail(view, run)],
    },
  }),
});

/** Selects the moves that Enter starts, and the one that stops them, by the states that are shown. */
const selectShownMoves = (moves: InfraView['moves'], run: StepRun) =>
  selectStartableMoves(moves.map((move) => ({ ...move, state: deriveShownState(move, run).state })));

/**
 * Finds the row of the move that runs, or was stopped while it ran; else of the one that comes next, or blocks all
 * others. Otherwise the first row.
 */
function findCurrentRow({ moves }: InfraView, run: StepRun): number {
  const { startableMoves, stoppingMove } = selectShownMoves(moves, run);
  const runningMove =
    moves.find((move) => isBegun(move, run))?.name ??
    findNextUndo(run) ??
    startableMoves.find((move) => isPartOfRun(move, run))?.name ??
    moves.find((move) => deriveShownState(move, run).state === 'moving')?.name;
  const currentMove = runningMove ?? startableMoves[0]?.name ?? stoppingMove?.name;
  return Math.max(
    0,
    moves.findIndex(({ name }) => name === currentMove),
  );
}

/** Whether the move runs, or was stopped before it was done. */
const isBegun = (move: ObservedMove, run: StepRun) =>
  run.itemProgress[move.name]?.state === 'begun' && (run.phase === 'applying' || !isSatisfied(move));

/**
 * Describes the move that is being applied or undone, and its position among the moves of this run.
 */
function describeProgress(view: InfraView, run: StepRun): string {
  const runningMove = view.moves[findCurrentRow(view, run)];
  if (run.phase === 'applying' && run.attempt.action === 'undo') return describeUndoProgress(run);
  const isBetweenMoves = run.lines.length > 0 && runningMove !== undefined && isPartOfRun(runningMove, run);
  if (runningMove === undefined || (!isBetweenMoves && run.itemProgress[runningMove.name]?.state !== 'begun'))
    return run.lines.at(-1) ?? words().starting;
  const runMoves = view.moves.filter(
    (move) => run.itemProgress[move.name] !== undefined || (isPartOfRun(move, run) && !isSatisfied(move)),
  );
  return words().running(runningMove.name, runMoves.indexOf(runningMove) + 1, runMoves.length);
}

/**
 * Describes the undo of the first move that is not undone yet, and its position. For an undo of all moves: the newest
 * message.
 */
function describeUndoProgress(run: StepRun): string {
  const move = findNextUndo(run);
  if (move === null) return run.lines.at(-1) ?? words().starting;
  const moves = listMovesOfUndo(run);
  return words().undoing(move, moves.indexOf(move) + 1, moves.length);
}

/** Finds the first move of the running undo that is not undone yet; null for an undo of all moves, and without one. */
const findNextUndo = (run: StepRun): string | null =>
  listMovesOfUndo(run).find((name) => run.itemProgress[name]?.state !== 'done') ?? null;

/**
 * Whether the running action applies this move. If a job runs the action, its list of moves decides; until it is
 * probed, the plan that the user confirmed.
 */
function isPartOfRun({ name, state }: ObservedMove, run: StepRun): boolean {
  if (run.phase !== 'applying' || run.attempt.action === 'undo') return false;
  const isConfirmed =
    run.attempt.action === 'apply'
      ? state === 'moving' || (run.plan?.changes.some(({ object }) => object === name) ?? true)
      : run.attempt.subject === name;
  return run.probe?.job?.parts.includes(name) ?? isConfirmed;
}

/** Creates the key that undoes the selected move, disabled with the reason if there is nothing to undo. */
function createUndoBinding(move: ObservedMove): Binding<Intent> {
  const { name, state } = move;
  const { nothingToUndo, absent } = words().notNow;
  return {
    keys: [SHORTCUTS.undo],
    label: catalogue().screens.keys.undo,
    shortLabel: catalogue().screens.keys.undoShort,
    intent: { type: 'step/ask', action: 'undo', subject: name },
    ...(shouldOfferUndo(move) ? {} : { disabledReason: state === 'absent' ? absent(name) : nothingToUndo(name) }),
  };
}

/** Creates the key that applies the selected move alone, disabled until the moves before it are done. */
function createApplyOneBinding(move: ObservedMove, moves: readonly ObservedMove[]): Binding<Intent> {
  const disabledReason = findApplyOneObstacle(move, moves);
  return {
    keys: [SHORTCUTS.applyOne],
    label: words().keys.applyOne,
    intent: { type: 'step/ask', action: 'apply-one', subject: move.name },
    ...(disabledReason === null ? {} : { disabledReason }),
  };
}

function findApplyOneObstacle({ name, state, why }: ObservedMove, moves: readonly ObservedMove[]): string | null {
  const { done, absent, moving, stopped, comesAfter } = words().notNow;
  switch (state) {
    case 'done':
      return done(name);
    case 'absent':
      return absent(name);
    case 'moving':
      return moving(name);
    case 'blocked':
    case 'failed':
      return stopped(name, why);
    case 'needed': {
      const missingMoves = listMissingDependencies(name, moves);
      return missingMoves.length === 0 ? null : comesAfter(name, missingMoves);
    }
  }
}

/** Lists the commands that help a move: for its pending pod, or else those in its reason. */
function listCommands(
  move: ObservedMove | undefined,
  remedyCommands: NonNullable<InfraView['remedyCommands']>,
): readonly string[] {
  if (move === undefined) return [];
  const command = remedyCommands[move.name];
  const reasonCommands = splitProse(move.why).flatMap(({ text, isCommand }) => (isCommand ? [text] : []));
  return command === undefined ? reasonCommands : [command];
}

/**
 * Creates the bindings for a pending pod. They run the infra move that helps, or open the answers that decide whether
 * the pod can be scheduled.
 */
function createPendingBindings({ pending }: ObservedMove): Binding<Intent>[] {
  const remedy = pending && MOVE_REMEDIES[pending.cause];
  if (remedy)
    return [
      {
        keys: [SHORTCUTS.unblockPod],
        label: words().keys[remedy.label],
        intent: { type: 'step/ask', ...remedy.intent },
      },
    ];
  const target = pending && DESIGN_FIELD_BY_CAUSE[pending.cause];
  if (!target) return [];
  const label = target.screen === 'nodes' ? catalogue().screens.keys.addNodes : words().keys.routers;
  return [{ keys: [SHORTCUTS.edit], label, intent: { type: 'screen/go', ...target } }];
}

type PendingCause = NonNullable<ObservedMove['pending']>['cause'];
const NODES_FIELD = { screen: 'nodes', field: 'nodes' } as const;
const DESIGN_FIELD_BY_CAUSE: Readonly<Record<PendingCause, { screen: 'nodes' | 'services'; field: string } | null>> = {
  ports: { screen: 'services', field: 'infra.routerReplicas' },
  size: NODES_FIELD,
  apart: NODES_FIELD,
  ...({ volume: null, claim: null, cordoned: null, taint: null, selector: null, other: null } as const),
  ...({ 'own-taint': null, unlabelled: null, budget: null } as const),
};

/** Causes that an infra move of the wizard removes. */
const MOVE_REMEDIES: Readonly<
  Partial<Record<PendingCause, { label: 'untaint' | 'label'; intent: Pick<AskIntent, 'action' | 'subject'> }>>
> = {
  'own-taint': { label: 'untaint', intent: { action: 'undo', subject: 'taint' } },
  unlabelled: { label: 'label', intent: { action: 'apply-one', subject: 'label' } },
};
type AskIntent = Extract<Intent, { type: 'step/ask' }>;

const getColumns = () => [
  { id: 'move', title: words().columns.move, minWidth: 10, maxWidth: 20 },
  { id: 'state', title: words().columns.state, minWidth: 14, maxWidth: 16 },
  { id: 'why', title: words().columns.why, minWidth: 20, maxWidth: 100, detailRepeats: 'if-cut' as const },
];

/**
 * Derives the state to show: the progress of the running action takes precedence over the last probe and its reason.
 */
function deriveShownState(
  move: ObservedMove,
  run: StepRun,
): { state: ObservedMove['state']; label: string | null; why: string } {
  const { name, state, why, undoneAt } = move;
  const isUndo = run.phase === 'applying' && run.attempt.action === 'undo';
  // After the action, the last probe is older than what the action changed.
  if (run.phase === 'probing' && run.itemProgress[name] !== undefined)
    return { state: 'moving', label: words().checking, why: '' };
  const progress = run.phase === 'applying' ? run.itemProgress[name] : undefined;
  if (progress?.state === 'begun')
    return {
      state: 'moving',
      label: isUndo ? words().undoState : null,
      why: progress.detail ?? (state === 'moving' ? why : ''),
    };
  if (progress?.state === 'done') {
    const newState = isUndo ? 'needed' : 'done';
    return {
      state: newState,
      label: isUndo ? words().undone(null) : null,
      why: progress.detail ?? (state === newState ? why : ''),
    };
  }
  if (listMovesOfUndo(run).includes(name)) return { state: 'needed', label: words().toUndoState, why: '' };
  // A move that waits for its turn may appear as blocked by changes of earlier moves: it is still to do.
  return isPartOfRun(move, run) && state === 'blocked'
    ? { state: 'needed', label: null, why: '' }
    : { state, label: undoneAt === undefined ? null : words().undone(formatTimeOfDay(undoneAt)), why };
}

/** Lists the moves that the running undo undoes, in their order; empty for an undo of all moves, and without one. */
function listMovesOfUndo(run: StepRun): readonly string[] {
  if (run.phase !== 'applying' || run.attempt.action !== 'undo' || run.attempt.subject === null) return [];
  const target = parseTarget('infra', run.attempt.subject);
  return target.kind === 'move' ? [...(target.dependents ?? []), target.name] : [];
}

/** @param stoppingMove the move at which the run stops, if this one comes after it */
function toTableRow(move: ObservedMove, run: StepRun, stoppingMove: ObservedMove | null, viewport: Viewport): TableRow {
  const { name } = move;
  const { state, label, why: ownReason } = deriveShownState(move, run);
  const isSameReason = stoppingMove !== null && stoppingMove.name !== name && stoppingMove.why === ownReason;
  const why = state === 'blocked' && isSameReason ? words().sameReason(stoppingMove.name) : ownReason;
  const status = MOVE_STATUS[state];
  return {
    id: name,
    cells: {
      move: name,
      state: formatStatusText(status, viewport, label ?? catalogue().moves.states[state]),
      why: explainMoveState({ ...move, state, why }, stoppingMove?.name ?? null),
    },
    tones: { state: getStatusTone(status) },
  };
}

/**
 * Creates the detail of the selected move: its purpose and its changes. While moves are applied or undone, it has the
 * messages of the run instead.
 */
function createDetail({ moves, effects = {} }: InfraView, run: StepRun): Detail {
  const messages = run.phase === 'applying' ? run.lines : [];
  if (messages.length > 0)
    return {
      renderLines: (columns) => messages.flatMap((line) => wrapLines(line, columns)).map((text) => ({ text })),
      top: null,
    };
  const selectedMove = moves[Math.min(run.row, moves.length - 1)];
  if (selectedMove === undefined) return { renderLines: () => [], top: 0 };
  const { byName, purposes } = catalogue().moves;
  const { name, state, changes, notes = [] } = selectedMove;
  const { action } = byName[name];
  const effect = effects[name];
  const isStopped = state === 'blocked' || state === 'failed';
  const title = `${name}: ${effect ?? action}`;
  const remedy = `${catalogue().screens.step.remedyLabel}: ${getMoveRemedy(selectedMove)}`;
  const renderText = (text: string, columns: number, tone: TextLine['tone'] = 'text') =>
    wrapLines(text, columns).map((line): TextLine => ({ text: line, tone }));
  const renderLines = (columns: number) => [
    ...(isStopped ? [...renderText(remedy, columns), ...renderText(title, columns, 'accent')] : []),
    // Without notes, the row in the list shows the action.
    ...(effect !== undefined && notes.length > 0 ? renderText(action, columns) : []),
    ...renderText(purposes[name], columns, 'muted'),
    ...renderChanges(changes, columns),
  ];
  // The title stays visible while the detail scrolls. That of a stopped move begins with the reason, which the list
  // cuts.
  return { ...(isStopped ? {} : { title }), renderLines, top: run.top };
}
