import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogue } from '../i18n/catalogue.ts';
import type { InfraContext } from '../infra/context.ts';
import { isSatisfied, MOVE_NAMES, type MoveName } from '../infra/moves.ts';
import { probeMoves } from '../infra/probe.ts';
import type { MoveEvent } from '../infra/run.ts';
import type { SavedPlan } from '../infra/saved-plan.ts';
import { watchStability } from '../infra/stability.ts';
import { createUndoLog, type UndoConsent, type UndoPlan } from '../infra/undo/undo-move.ts';
import { undoMoves } from '../infra/undo-moves.ts';
import { MINUTE } from '../platform/clock.ts';
import { formatJson } from '../platform/format-json.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { type NdjsonFile, openNdjsonFile } from '../session/ndjson-file.ts';
import { createInfraContext } from '../steps/infra.ts';
import { applyWithConfirmation, askUndoConsent, toUndoConsent, type UndoOptions } from './infra/apply.ts';
import { hasInfraNodeOptions, NO_DESIGN_OPTIONS, proposeDesign } from './infra/design-proposal.ts';
import {
  type ApplyConsent,
  createEventPrinter,
  type DialogIo,
  formatMoves,
  formatPlan,
  type InfraOutcome,
  printLine,
  toMoveJson,
} from './infra/output.ts';
import { applySavedPlan, readPlan, savePlan } from './infra/plan-file.ts';
import { createWaitLine } from './infra/wait-line.ts';
import { rejectForeignOptions } from './shared/action-options.ts';
import { UsageError } from './shared/io.ts';
import { type LiveTarget, TARGET_OPTIONS, withLiveTarget } from './shared/live.ts';
import type { LiveIo } from './shared/live-io.ts';
import type { Programs } from './shared/runtime.ts';

const words = () => catalogue().live.infra;
const ACTIONS = ['plan', 'apply', 'verify', 'undo'] as const;
/** One day, in minutes. */
const MAX_STABLE_MINUTES = 1440;
type Action = (typeof ACTIONS)[number];
/**
 * The actions that accept an option. All actions accept the options that are not listed, `--yes` even where nothing is
 * asked.
 */
const OPTION_ACTIONS = {
  out: ['plan'],
  stable: ['verify'],
  journal: ['apply', 'undo'],
  'override-gitops': ['apply'],
  overwrite: ['undo'],
  'to-defaults': ['undo'],
} as const satisfies Readonly<Record<string, readonly Action[]>>;

/**
 * `upi-wizard infra plan [--out FILE] | apply [FILE] | verify [--stable MINUTES] | undo [--only A,B] [--yes]
 * [--override-gitops]`.
 * @returns the exit code of the command line
 */
export async function infraCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      ...TARGET_OPTIONS,
      only: { type: 'string', multiple: true },
      out: { type: 'string' },
      yes: { type: 'boolean', default: false },
      'override-gitops': { type: 'boolean', default: false },
      journal: { type: 'string' },
      'to-defaults': { type: 'boolean', default: false },
      overwrite: { type: 'string', multiple: true },
      stable: { type: 'string' },
      ...NO_DESIGN_OPTIONS,
    },
  });
  const [action, file, extra] = positionals;
  if (action === undefined) throw new UsageError(words().noAction);
  if (!isAction(action)) throw new UsageError(words().unknownAction(sanitizeLine(action, 80)));
  rejectForeignOptions('infra', action, values, OPTION_ACTIONS);
  const unexpected = action === 'apply' ? extra : file;
  if (unexpected !== undefined) throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(unexpected, 80)));
  if (file !== undefined && values.only !== undefined) throw new UsageError(words().fileOrOnly);
  const hasOnlyKubeconfig = values.kubeconfig !== undefined && values.design === undefined && values.dir === undefined;
  if (values.journal !== undefined && values.design === undefined && !hasOnlyKubeconfig)
    throw new UsageError(words().journalOfDirectory);
  if (hasInfraNodeOptions(values) && !hasOnlyKubeconfig) throw new UsageError(words().optionsOfDesign);
  const stable = values.stable === undefined ? null : parseMinutes(values.stable);
  const openUndoLog = () =>
    openNdjsonFile(resolve(io.cwd, values.journal ?? deriveUndoLogPath(values.design ?? values.kubeconfig ?? '')));
  const writes = action === 'apply' || action === 'undo';
  if (writes && !values.yes && io.ask === null) throw new UsageError(words().needsYes(action));
  const saved = file === undefined ? null : readPlan(resolve(io.cwd, file));
  const names = saved === null ? selectMoves(values.only) : saved.moves.map(({ name }) => name);
  const options: InfraOptions = {
    isYes: values.yes,
    toDefaults: values['to-defaults'],
    overwrite: values.overwrite === undefined ? [] : selectMoves(values.overwrite, '--overwrite'),
    overridesGitOps: values['override-gitops'],
    stable,
    out: values.out === undefined ? null : resolve(io.cwd, values.out),
    saved: saved && file !== undefined ? { plan: saved, file: resolve(io.cwd, file) } : null,
  };
  const act = async (live: LiveTarget) => {
    // An early connection attempt reports an unreachable API with one message.
    await live.connect();
    const outcome = await runners[action](toInfraContext(live, io, openUndoLog), names, io, options);
    const document = { moves: outcome.moves.map((move) => toMoveJson(move, live.design)) };
    if (values.json) io.stdout(formatJson(document));
    else
      io.stdout(
        `${formatMoves(outcome.moves, io.columns)}${action === 'plan' ? formatPlan(outcome.moves, live.design) : ''}`,
      );
    return outcome.isGood ? 0 : 4;
  };
  const propose = hasOnlyKubeconfig ? (connect: InfraContext['connect']) => proposeDesign(connect, values, io) : null;
  return await withLiveTarget(values, io, programs, act, { writes, propose });
}

/** @returns milliseconds */
function parseMinutes(text: string): number {
  const minutes = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (minutes < 1 || minutes > MAX_STABLE_MINUTES) throw new UsageError(words().stableTakes(MAX_STABLE_MINUTES));
  return minutes * MINUTE;
}

function isAction(text: string): text is Action {
  return (ACTIONS as readonly string[]).includes(text);
}

/**
 * Selects the moves of an option (`--only`), in the order that avoids an outage regardless of their order on the
 * command line.
 * @throws UsageError for an unknown move
 */
function selectMoves(only: readonly string[] | undefined, option = '--only'): readonly MoveName[] {
  if (only === undefined) return MOVE_NAMES;
  const wanted = only.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = wanted.find((name) => !(MOVE_NAMES as readonly string[]).includes(name));
  if (unknown === '') throw new UsageError(words().noMoves(option));
  if (unknown !== undefined)
    throw new UsageError(words().unknownMove(sanitizeLine(unknown, 80), MOVE_NAMES.join(', ')));
  return MOVE_NAMES.filter((name) => wanted.includes(name));
}

/**
 * The file that records the previous state of objects without an install directory: next to the design (`site.yaml`,
 * `site.infra-before.ndjson`), or next to the kubeconfig if there is no design.
 */
function deriveUndoLogPath(design: string): string {
  return `${design.replace(/\.(?:ya?ml|json)$/, '')}.infra-before.ndjson`;
}

/** The load balancer moves change files, which only an install directory has. */
function toInfraContext(
  { design, clock, connect, session }: LiveTarget,
  { signal }: LiveIo,
  openUndoLog: () => NdjsonFile,
): InfraContext {
  if (session) return { ...createInfraContext(session.context), connect };
  return { design, clock, connect, signal, directory: null, log: createUndoLog(openUndoLog()) };
}

interface InfraOptions extends ApplyConsent, UndoOptions {
  /** How long the result must stay stable, in ms; null: one probe. */
  readonly stable: number | null;
  /** The file for the plan; null: the plan is not saved. */
  readonly out: string | null;
  /** The plan to apply, and its file; null: the moves that are due now. */
  readonly saved: { readonly plan: SavedPlan; readonly file: string } | null;
}

type ActionRunner = (
  infra: InfraContext,
  names: readonly MoveName[],
  io: LiveIo,
  options: InfraOptions,
) => Promise<InfraOutcome>;

const runners: Readonly<Record<Action, ActionRunner>> = {
  async plan(infra, names, io, { out }) {
    const observed = await probeMoves(infra, names);
    const isGood = observed.every(({ state }) => state !== 'failed' && state !== 'blocked');
    const isSaved = out === null || (await savePlan(infra, observed, out, io));
    return { moves: observed, isGood: isGood && isSaved };
  },
  async verify(infra, names, io, { stable }) {
    if (stable !== null) return await verifyStable(infra, names, io, stable);
    const observed = await probeMoves(infra, names);
    return { moves: observed, isGood: observed.every(isSatisfied) };
  },
  apply: async (infra, names, io, options) =>
    options.saved === null
      ? await applyWithConfirmation(infra, names, io, options)
      : await applySavedPlan(infra, options.saved, io, options),
  undo: undoWithConfirmation,
};

async function verifyStable(
  infra: InfraContext,
  names: readonly MoveName[],
  io: LiveIo,
  duration: number,
): Promise<InfraOutcome> {
  const wait = createWaitLine(io, () => infra.clock.now());
  const show = (why: string, since: number) => wait.show({ move: 'verify', why, since });
  const { moves, why } = await watchStability(infra, names, duration, show);
  wait.clear();
  printLine(io, why === null ? words().stable(Math.round(duration / MINUTE)) : words().notStable(why));
  return { moves, isGood: why === null };
}

/**
 * Undoes the moves, last one first, as far as the user or the options agreed. `isGood`: all moves are undone, and their
 * pods have left the infra nodes.
 */
export async function undoWithConfirmation(
  infra: InfraContext,
  names: readonly MoveName[],
  io: DialogIo,
  options: UndoOptions,
): Promise<InfraOutcome> {
  await probeMoves(infra, names.slice(0, 1));
  const { toDefaults } = options;
  const allow = async (plans: readonly UndoPlan[]): Promise<UndoConsent | null> => {
    const consent = options.isYes ? toUndoConsent(options) : await askUndoConsent(plans, io, options);
    if (consent === null) io.stderr(`${words().declined}\n`);
    return consent;
  };
  const blockedMoves: MoveName[] = [];
  const printEvent = createEventPrinter(io, infra.clock);
  const onEvent = (event: MoveEvent) => {
    if (event.type === 'blocked') blockedMoves.unshift(event.move);
    printEvent(event);
  };
  const { end } = await undoMoves(infra, names, { onEvent, allow, toDefaults });
  if (blockedMoves.length > 0) printLine(io, words().notUndone(blockedMoves.join(', ')));
  return { moves: await probeMoves(infra, names), isGood: end === 'done' };
}
