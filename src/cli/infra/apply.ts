import type { Design } from '../../design/model.ts';
import { catalogue, isYesAnswer } from '../../i18n/catalogue.ts';
import { applyMoves } from '../../infra/apply-moves.ts';
import type { InfraContext } from '../../infra/context.ts';
import type { MoveChange } from '../../infra/edit.ts';
import type { MoveName } from '../../infra/moves.ts';
import {
  isSatisfied,
  listMovesNotStarted,
  type ObservedMove,
  selectMovesToRun,
  selectStartableMoves,
} from '../../infra/moves.ts';
import { probeMoves } from '../../infra/probe.ts';
import type { UndoConsent, UndoPlan } from '../../infra/undo/undo-move.ts';
import { renderUndoPlan } from '../../infra/undo/undo-move.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { ProcessIo } from '../shared/process-io.ts';
import { getLineColumns } from '../shared/table.ts';
import {
  type ApplyConsent,
  createEventPrinter,
  formatPlan,
  formatSummary,
  formatUndoSummary,
  type InfraOutcome,
  printLine,
} from './output.ts';

/** A change that was shown to the user. */
type ShownChange = Pick<MoveChange, 'object' | 'before' | 'after'>;

const words = () => catalogue().clusterCommands.infra;

/**
 * Shows all changes and asks once, then applies the moves and stops at the first one that fails or is blocked. A change
 * that differs from the shown one is shown and must be confirmed; with --yes, the command stops there.
 * @param savedPlan a plan from a file: its changes replace the current ones. `beforeFirstWrite` may
 *   stop the command
 */
export async function applyWithConfirmation(
  infra: InfraContext,
  names: readonly MoveName[],
  io: ProcessIo,
  { assumeYes, overridesGitOps }: ApplyConsent,
  savedPlan: {
    readonly confirmedChanges: readonly ShownChange[];
    readonly beforeFirstWrite: () => boolean;
  } | null = null,
): Promise<InfraOutcome> {
  // An API that is down at the start is reported at once; later, the command waits for it.
  const plannedMoves = await probeMoves(infra, names);
  const { startableMoves } = selectStartableMoves(plannedMoves);
  const columns = getLineColumns(io);
  if (startableMoves.length > 0) {
    // The summary comes last: the changes may need many screens, and the question follows.
    io.stderr(
      `${formatPlan(startableMoves, infra.design, columns)}\n${formatSummary(startableMoves, infra.design, columns)}`,
    );
    for (const { label, text } of listMovesNotStarted(plannedMoves)) printLine(io, words().notStarted(label, text));
  }
  const confirm = async (question: string) => {
    const isConfirmed = isYesAnswer((await io.ask?.(question)) ?? '');
    if (!isConfirmed) io.stderr(`${words().declined}\n`);
    return isConfirmed;
  };
  if (
    !assumeYes &&
    startableMoves.length > 0 &&
    !(await confirm(words().confirmMoves(startableMoves.map(({ name }) => name).join(', '))))
  )
    return { moves: plannedMoves, isSuccessful: false };
  const confirmations = assumeYes
    ? []
    : startableMoves.flatMap(({ notes = [], confirmationWord }) =>
        confirmationWord === undefined ? [] : [{ notes, confirmationWord }],
      );
  for (const { notes, confirmationWord } of confirmations) {
    const answer = await io.ask?.(words().confirmByTyping(notes.join(' '), confirmationWord));
    if (answer?.trim() === confirmationWord) continue;
    io.stderr(`${words().declined}\n`);
    return { moves: plannedMoves, isSuccessful: false };
  }
  const gitOpsObjects = overridesGitOps ? [] : listGitOpsObjects(startableMoves);
  if (gitOpsObjects.length > 0 && assumeYes) {
    printLine(io, words().gitOpsRefusal(gitOpsObjects.join(', ')));
    return { moves: plannedMoves, isSuccessful: false };
  }
  if (gitOpsObjects.length > 0 && !(await confirm(words().gitOpsPrompt(gitOpsObjects.join(', ')))))
    return { moves: plannedMoves, isSuccessful: false };
  const confirmChanges = async (move: ObservedMove, unconfirmedChanges: readonly MoveChange[]) => {
    io.stderr(formatPlan([{ ...move, changes: unconfirmedChanges }], infra.design, columns));
    return await confirm(words().confirmMove(move.name));
  };
  if (savedPlan !== null && !savedPlan.beforeFirstWrite()) return { moves: plannedMoves, isSuccessful: false };
  const confirmedChanges = savedPlan?.confirmedChanges ?? startableMoves.flatMap(({ changes }) => changes);
  // Nothing waits for a move in progress that no move of the plan depends on.
  const movesToRun = selectMovesToRun(plannedMoves);
  const runNames = plannedMoves.flatMap((move) =>
    move.state !== 'moving' || movesToRun.includes(move) ? [move.name] : [],
  );
  const result = await applyMoves(infra, runNames, {
    onEvent: createEventPrinter(io, infra.clock),
    confirmedChanges,
    ...(assumeYes ? {} : { requestConsent: confirmChanges }),
  });
  const probedMoves = await probeMoves(infra, names);
  const finalMoves = probedMoves.map((move) =>
    result.end === 'stopped' && result.reason === 'failed' && move.name === result.move
      ? { ...move, state: 'failed' as const, why: sanitizeLine(result.userError.cause) }
      : move,
  );
  return { moves: finalMoves, isSuccessful: finalMoves.every(isSatisfied) };
}

/** Lists the objects that GitOps would revert. */
function listGitOpsObjects(moves: readonly ObservedMove[]): string[] {
  const changes = moves.flatMap(({ changes }) => changes);
  const gitOpsChanges = changes.filter(({ managers = [] }) => managers.some(({ isGitOps }) => isGitOps));
  return [...new Set(gitOpsChanges.map(({ object }) => object))];
}

/**
 * The options of a command about undo. `overwrite`: the moves whose objects are restored even if others changed them.
 */
export interface UndoOptions {
  readonly assumeYes: boolean;
  readonly toDefaults: boolean;
  readonly overwrite: readonly MoveName[];
  /** The options that name the cluster, for the commands that are printed. */
  readonly targetArgs?: readonly string[];
}

/** Returns the consent that the options give. */
export function toUndoConsent({ toDefaults, overwrite }: Pick<UndoOptions, 'toDefaults' | 'overwrite'>): UndoConsent {
  return { toDefaults, shouldOverwrite: (move) => overwrite.includes(move) };
}

/**
 * Shows what undo does to each object, and what that restarts and interrupts. Asks once for all of it, and once for
 * each object that others changed since.
 * @returns null if the user declines
 */
export async function askUndoConsent(
  plans: readonly UndoPlan[],
  design: Design,
  io: Pick<ProcessIo, 'ask' | 'stderr' | 'columns' | 'style'>,
  options: UndoOptions,
): Promise<UndoConsent | null> {
  const ask = async (question: string) => isYesAnswer((await io.ask?.(question)) ?? '');
  for (const plan of plans)
    io.stderr(`${['', plan.move, ...renderUndoPlan(plan, toUndoConsent(options))].join('\n')}\n`);
  io.stderr(`\n${formatUndoSummary(plans, design, getLineColumns(io))}`);
  if (!(await ask(words().confirmUndo(plans.map(({ move }) => move).join(', '))))) return null;
  const overwriteKeys = new Set<string>();
  for (const plan of plans) {
    if (plan.kind !== 'recorded' || options.overwrite.includes(plan.move)) continue;
    for (const { object, state } of plan.objects) {
      if (state === 'changed' && (await ask(words().confirmOverwrite(sanitizeLine(object)))))
        overwriteKeys.add(`${plan.move} ${object}`);
    }
  }
  const { shouldOverwrite } = toUndoConsent(options);
  return {
    toDefaults: true,
    shouldOverwrite: (move, object) => shouldOverwrite(move, object) || overwriteKeys.has(`${move} ${object}`),
  };
}
