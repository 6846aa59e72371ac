import { resolve } from 'node:path';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import type { InfraContext } from '../infra/context.ts';
import {
  isInPlace,
  isSatisfied,
  MOVE_NAMES,
  type MoveName,
  type ObservedMove,
  selectStartableMoves,
  sortPresentFirst,
} from '../infra/moves.ts';
import { probeMoves } from '../infra/probe.ts';
import type { MoveEvent } from '../infra/run.ts';
import { watchStability } from '../infra/stability.ts';
import { createUndoLog } from '../infra/undo/undo-log.ts';
import type { UndoConsent, UndoPlan } from '../infra/undo/undo-move.ts';
import { findUndoChain, undoMoves } from '../infra/undo-moves.ts';
import { MINUTE } from '../platform/clock.ts';
import { formatJson } from '../platform/sanitize.ts';
import { type NdjsonFile, openNdjsonFile } from '../session/ndjson-file.ts';
import { createInfraContext } from '../steps/infra/move-execution.ts';
import {
  acknowledgeDeadJob,
  createRunningError,
  describeMoveJob,
  findMoveJob,
  isMoveJobActive,
  toMoveJobStatus,
} from '../steps/shared/moves/move-job.ts';
import type { Arguments } from './commands.ts';
import { applyWithConfirmation, askUndoConsent, toUndoConsent, type UndoOptions } from './infra/apply.ts';
import { hasInfraNodeOptions, proposeDesign } from './infra/design-proposal.ts';
import {
  createEventPrinter,
  createWaitLine,
  type DialogIo,
  formatMoves,
  formatPlan,
  formatSummary,
  type InfraOutcome,
  printLine,
  toMoveJson,
} from './infra/output.ts';
import { applySavedPlan, readPlan, savePlan } from './infra/plan-file.ts';
import {
  type ClusterTarget,
  formatRehearsalLine,
  type TargetOptions,
  withClusterTarget,
} from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { UsageError, writeLines } from './shared/io.ts';
import type { ProcessIo } from './shared/process-io.ts';
import { getLineColumns, stylePlanText } from './shared/table.ts';

const words = () => catalogue().clusterCommands.infra;

/** The options that all commands about infra moves take. */
type CommonOptions = Arguments<'infra plan' | 'infra apply' | 'infra verify' | 'infra undo'>['options'];

/** `upi-wizard infra plan [--out FILE]`: shows what each move would change, and saves it. */
export async function planCommand({ options }: Arguments<'infra plan'>, context: CommandContext): Promise<number> {
  const io = await context.openIo();
  const outFile = options.out === undefined ? null : resolve(io.cwd, options.out);
  return await actOnMoves(options, io, context, {
    shouldPrintPlan: true,
    async act(infra, names) {
      const probedMoves = await probeMoves(infra, names);
      const isSuccessful = probedMoves.every(({ state }) => state !== 'failed' && state !== 'blocked');
      const isSaved = outFile === null || (await savePlan(infra, probedMoves, outFile, formatTargetArgs(options), io));
      return { moves: probedMoves, isSuccessful: isSuccessful && isSaved };
    },
  });
}

/** `upi-wizard infra verify [--stable MINUTES]`: checks whether the moves are done. */
export async function verifyCommand({ options }: Arguments<'infra verify'>, context: CommandContext): Promise<number> {
  const io = await context.openIo();
  const { stable } = options;
  return await actOnMoves(options, io, context, {
    async act(infra, names) {
      if (stable !== undefined) return await verifyStable(infra, names, io, stable * MINUTE);
      const probedMoves = await probeMoves(infra, names);
      return {
        moves: probedMoves,
        isSuccessful: probedMoves.every(isSatisfied),
        summary: describeVerification(probedMoves),
      };
    },
  });
}

/** Describes whether all moves that the cluster needs are done. */
function describeVerification(moves: readonly ObservedMove[]): string {
  const openNames = moves.filter((move) => !isSatisfied(move)).map(({ name }) => name);
  return openNames.length === 0
    ? words().verified(moves.filter(({ state }) => state === 'done').length)
    : words().notVerified(openNames);
}

/** `upi-wizard infra apply [FILE] [--yes] [--override-gitops]`: applies the moves, or a saved plan. */
export async function applyCommand(
  { options, operand }: Arguments<'infra apply'>,
  context: CommandContext,
): Promise<number> {
  const io = await context.openIo('acting');
  if (operand !== undefined && options.only !== undefined) throw new UsageError(words().fileOrOnly);
  const consent = { assumeYes: options.yes, overridesGitOps: options['override-gitops'] };
  const file = operand === undefined ? null : resolve(io.cwd, operand);
  // Read before the options are checked. A misspelt move looks like a missing file, so its error comes first: more
  // options would not help.
  const savedPlan = file === null ? null : { plan: readPlan(file), file };
  const writeOptions = checkWriteOptions('apply', options, io);
  return await actOnMoves(options, io, context, {
    ...writeOptions,
    ...(savedPlan === null ? {} : { names: savedPlan.plan.moves.map(({ name }) => name) }),
    act: async (infra, names) =>
      savedPlan === null
        ? await applyWithConfirmation(infra, names, io, consent)
        : await applySavedPlan(infra, savedPlan, io, consent),
  });
}

/** `upi-wizard infra undo [--yes] [--overwrite A,B] [--to-defaults]`: restores what was there before the moves. */
export async function undoCommand({ options }: Arguments<'infra undo'>, context: CommandContext): Promise<number> {
  const io = await context.openIo('acting');
  const { yes: assumeYes, 'to-defaults': toDefaults, overwrite = [] } = options;
  return await actOnMoves(options, io, context, {
    ...checkWriteOptions('undo', options, io),
    act: async (infra, names) =>
      await undoWithConfirmation(infra, names, io, {
        assumeYes,
        toDefaults,
        overwrite,
        targetArgs: formatTargetArgs(options),
      }),
  });
}

/** Formats the options that name the cluster, so that a printed command acts on the same one. */
const formatTargetArgs = (
  options: Readonly<Partial<Record<'dir' | 'design' | 'kubeconfig' | 'journal', string>>>,
): string[] =>
  (['dir', 'design', 'kubeconfig', 'journal'] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${name}`, value];
  });

/**
 * Checks the options of a command that writes.
 * @throws UsageError if they conflict, or the command must ask and there is no terminal
 */
function checkWriteOptions(
  action: string,
  { journal, yes, ...options }: Arguments<'infra apply' | 'infra undo'>['options'],
  io: ProcessIo,
) {
  if (journal !== undefined && options.design === undefined && !hasOnlyKubeconfig(options))
    throw new UsageError(words().journalOfDirectory);
  if (!yes && io.ask === null) throw new UsageError(words().needsYes(action));
  return { isForWriting: true, journal };
}

const hasOnlyKubeconfig = ({ kubeconfig, design, dir }: TargetOptions) =>
  kubeconfig !== undefined && design === undefined && dir === undefined;

/**
 * Acts on the selected moves, always in the order that avoids an outage, and prints them.
 * @param action.names the moves; without it, those of `--only`
 * @param action.journal the undo log of a cluster without an install directory
 * @returns 4 if the action was not successful
 */
async function actOnMoves(
  options: CommonOptions,
  io: ProcessIo,
  { launcher }: CommandContext,
  action: {
    readonly isForWriting?: boolean;
    readonly shouldPrintPlan?: boolean;
    readonly names?: readonly MoveName[];
    readonly journal?: string | undefined;
    readonly act: (infra: InfraContext, names: readonly MoveName[]) => Promise<InfraOutcome>;
  },
): Promise<number> {
  const { only, design, kubeconfig, json } = options;
  const isKubeconfigOnly = hasOnlyKubeconfig(options);
  if (hasInfraNodeOptions(options) && !isKubeconfigOnly) throw new UsageError(words().optionsOfDesign);
  const names = action.names ?? MOVE_NAMES.filter((name) => only === undefined || only.includes(name));
  const openUndoLog = () =>
    openNdjsonFile(resolve(io.cwd, action.journal ?? deriveUndoLogPath(design ?? kubeconfig ?? '')));
  const act = async (target: ClusterTarget) => {
    const job = target.session === null ? null : findMoveJob(target.session.context);
    if (job !== null && isMoveJobActive(job)) {
      // Two programs must not carry out moves at the same time.
      if (action.isForWriting) throw new UserErrorException(createRunningError(job));
      printLine(io, describeMoveJob(job));
    }
    // An early connection attempt reports an unreachable API with one message.
    await target.connect();
    const { moves, isSuccessful, summary } = await action.act(toInfraContext(target, io, openUndoLog), names);
    const currentJob = target.session === null ? null : findMoveJob(target.session.context);
    if (json)
      io.stdout(
        formatJson({
          moves: moves.map((move) => toMoveJson(move, target.design)),
          job: currentJob && toMoveJobStatus(currentJob),
        }),
      );
    else {
      const plan = action.shouldPrintPlan
        ? `${formatSummary(selectStartableMoves(moves).startableMoves, target.design, getLineColumns(io))}${formatPlan(moves, target.design, getLineColumns(io))}`
        : '';
      // A job that was killed has left its moves unfinished, until a user has seen that, or has acted on moves since.
      if (action.isForWriting) acknowledgeDeadJob(currentJob);
      else if (currentJob?.state === 'died' && !currentJob.run.isAcknowledged && !moves.every(isSatisfied))
        printLine(io, describeMoveJob(currentJob));
      writeLines(io, [
        ...formatRehearsalLine(target.session?.context),
        ...formatMoves(sortPresentFirst(moves), io),
        ...(plan === '' ? [] : stylePlanText(plan)),
        ...(summary === undefined ? [] : [[{ text: summary }]]),
      ]);
    }
    return isSuccessful ? 0 : 4;
  };
  const propose = isKubeconfigOnly ? (connect: InfraContext['connect']) => proposeDesign(connect, options, io) : null;
  return await withClusterTarget(options, io, launcher.programs, act, {
    isForWriting: action.isForWriting ?? false,
    propose,
  });
}

/**
 * Derives the path of the undo log for a cluster without an install directory. The log is next to the design
 * (`site.yaml`, `site.infra-before.ndjson`) or, without a design, next to the kubeconfig.
 */
function deriveUndoLogPath(inputFile: string): string {
  return `${inputFile.replace(/\.(?:ya?ml|json)$/, '')}.infra-before.ndjson`;
}

/** Creates the context of moves. Only an install directory has the files of the load balancer moves. */
function toInfraContext(
  { design, clock, connect, session }: ClusterTarget,
  { signal }: ProcessIo,
  openUndoLog: () => NdjsonFile,
): InfraContext {
  if (session) return { ...createInfraContext(session.context), connect };
  return { design, clock, connect, signal, directory: null, undoLog: createUndoLog(openUndoLog()) };
}

async function verifyStable(
  infra: InfraContext,
  names: readonly MoveName[],
  io: ProcessIo,
  durationMs: number,
): Promise<InfraOutcome> {
  const waitLine = createWaitLine(io, () => infra.clock.now());
  const show = (why: string, since: number) => waitLine.show({ move: 'verify', why, since });
  const { moves, why } = await watchStability(infra, names, durationMs, show);
  waitLine.clear();
  printLine(io, why === null ? words().stable(Math.round(durationMs / MINUTE)) : words().notStable(why));
  return { moves, isSuccessful: why === null };
}

/**
 * Undoes the moves, last one first, as far as the user or the options allow. If the user is asked, the moves that
 * depend on them are shown and undone, too. `isSuccessful`: all moves are undone, and their pods have left the infra
 * nodes.
 */
export async function undoWithConfirmation(
  infra: InfraContext,
  selectedNames: readonly MoveName[],
  io: DialogIo,
  options: UndoOptions,
): Promise<InfraOutcome> {
  await probeMoves(infra, selectedNames.slice(0, 1));
  const { toDefaults, assumeYes, targetArgs = [] } = options;
  // With --yes, the user would not see the moves that depend on the selected ones.
  const names = assumeYes ? selectedNames : await addDependentMoves(infra, selectedNames, io);
  const requestConsent = async (plans: readonly UndoPlan[]): Promise<UndoConsent | null> => {
    const consent = assumeYes ? toUndoConsent(options) : await askUndoConsent(plans, infra.design, io, options);
    if (consent === null) io.stderr(`${words().declined}\n`);
    return consent;
  };
  const blockedMoves: MoveName[] = [];
  let hasActed = false;
  const printEvent = createEventPrinter(io, infra.clock);
  const onEvent = (event: MoveEvent) => {
    if (event.type === 'blocked') blockedMoves.unshift(event.move);
    hasActed = true;
    printEvent(event);
  };
  const { end } = await undoMoves(infra, names, { onEvent, requestConsent, toDefaults });
  if (end === 'done' && !hasActed) printLine(io, words().nothingToUndo);
  if (blockedMoves.length > 0) printLine(io, words().notUndone(blockedMoves.join(', ')));
  const undoChain = blockedMoves.length === 0 ? [] : await findUndoChain(infra, blockedMoves);
  // Moves that depend on the blocked ones must be undone first, and were not selected.
  if (undoChain.some((move) => !names.includes(move))) {
    const moveList = MOVE_NAMES.filter((move) => undoChain.includes(move)).join(',');
    printLine(io, words().undoTogether(formatCommandLine('infra', 'undo', '--only', moveList, ...targetArgs)));
  }
  return { moves: await probeMoves(infra, names), isSuccessful: end === 'done' };
}

/** Adds the moves in place that have to be undone before the selected ones, and tells the user. */
async function addDependentMoves(
  infra: InfraContext,
  selectedNames: readonly MoveName[],
  io: DialogIo,
): Promise<readonly MoveName[]> {
  if (selectedNames.length === MOVE_NAMES.length) return selectedNames;
  const namesInPlace = (await probeMoves(infra, selectedNames)).filter(isInPlace).map(({ name }) => name);
  const chain = await findUndoChain(infra, namesInPlace);
  const dependents = chain.filter((name) => !selectedNames.includes(name));
  if (dependents.length > 0) printLine(io, words().undoneFirst(dependents, namesInPlace));
  return MOVE_NAMES.filter((name) => selectedNames.includes(name) || dependents.includes(name));
}
