import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { describeSystemError, describeUnreadableFile } from '../../i18n/user-error.ts';
import type { InfraContext } from '../../infra/context.ts';
import { MOVE_NAMES, type ObservedMove, selectStartableMoves } from '../../infra/moves.ts';
import { probeMoves } from '../../infra/probe.ts';
import { createSavedPlan, findPlanDrift, parsePlan, type SavedPlan } from '../../infra/saved-plan.ts';
import { findClosestWord } from '../../platform/closest-word.ts';
import { readInputFile } from '../../platform/files.ts';
import { formatJson, sanitizeLine } from '../../platform/sanitize.ts';
import { describeUnwritablePath, UsageError, writeNewFile } from '../shared/io.ts';
import type { ProcessIo } from '../shared/process-io.ts';
import { applyWithConfirmation } from './apply.ts';
import { type ApplyConsent, type InfraOutcome, printLine } from './output.ts';

const words = () => catalogue().clusterCommands.infra;

/**
 * Saves, in a new file, what one confirmation would start now.
 * @returns false, after it has reported why: there is nothing to apply, or the file could not be written
 */
export async function savePlan(
  infra: InfraContext,
  moves: readonly ObservedMove[],
  file: string,
  targetArgs: readonly string[],
  io: Pick<ProcessIo, 'stderr'>,
): Promise<boolean> {
  if (selectStartableMoves(moves).startableMoves.length === 0) {
    printLine(io, words().planEmpty(file));
    for (const { name, why } of moves) printLine(io, `  ${name}: ${why}`);
    return false;
  }
  const plan = await createSavedPlan(infra, moves);
  const problem = writeNewFile(file, formatJson(plan));
  if (problem === null)
    printLine(io, words().planSaved(file, formatCommandLine('infra', 'apply', file, ...targetArgs)));
  else
    printLine(
      io,
      problem.code === 'EEXIST' ? words().planExists(file) : describeUnwritablePath(file, problem, '--out'),
    );
  return problem === null;
}

/**
 * Reads the plan in a file.
 * @throws UsageError if the file cannot be read or is not a plan; names the option if the file has the name of a move
 */
export function readPlan(file: string): SavedPlan {
  let text: string;
  try {
    text = readInputFile(file);
  } catch (error) {
    const move = existsSync(file) ? null : findClosestWord(basename(file), MOVE_NAMES);
    if (move !== null) throw new UsageError(words().noPlanButMove(sanitizeLine(file), move));
    throw new UsageError(describeUnreadableFile(file, error));
  }
  const plan = parsePlan(text);
  if (plan === null) throw new UsageError(words().noPlan(sanitizeLine(file)));
  return plan;
}

/** Applies a saved plan: only once, and only if the current changes are still exactly those of the plan. */
export async function applySavedPlan(
  infra: InfraContext,
  { plan, file }: { readonly plan: SavedPlan; readonly file: string },
  io: ProcessIo,
  consent: ApplyConsent,
): Promise<InfraOutcome> {
  const names = plan.moves.map(({ name }) => name);
  if (names.length === 0) {
    printLine(io, words().planNothing(file));
    return { moves: [], isSuccessful: false };
  }
  const usedMarkerFile = `${file}.used`;
  const stopWithoutChanges = async () => ({ moves: await probeMoves(infra, names), isSuccessful: false });
  if (existsSync(usedMarkerFile)) {
    printLine(io, words().planUsed(file, usedMarkerFile));
    return await stopWithoutChanges();
  }
  const driftLines = await findPlanDrift(infra, plan);
  if (driftLines.length > 0) {
    printLine(io, words().planOutdated(new Date(plan.madeAt).toISOString()));
    for (const line of driftLines) printLine(io, `  ${line}`);
    return await stopWithoutChanges();
  }
  const markPlanUsed = () => {
    // Only one process can create the marker, even if several begin at once.
    const problem = writeNewFile(usedMarkerFile, `${new Date(infra.clock.now()).toISOString()}\n`);
    if (problem === null) return true;
    const { code } = problem;
    printLine(
      io,
      code === 'EEXIST'
        ? words().planUsed(file, usedMarkerFile)
        : words().planNotMarked(usedMarkerFile, describeSystemError(problem)),
    );
    return false;
  };
  const confirmedChanges = plan.moves.flatMap(({ changes }) => changes);
  return await applyWithConfirmation(infra, names, io, consent, { confirmedChanges, beforeFirstWrite: markPlanUsed });
}
