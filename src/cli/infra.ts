import { parseArgs } from 'node:util';
import { MOVES } from '../cluster/infra/moves.ts';
import { nodesWithRole } from '../design/names.ts';
import { applyMove, clusterMove, MOVE_ORDER, type Move, type MoveName, moveNamed } from '../steps/infra/index.ts';
import { hasReached, stageInstructions } from '../steps/shared/hosts/load-balancer.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';
import { type InfraMove, lookAtMove, lookAtMoves, moveJson, movesText, planText } from './infra-look.ts';
import { undoMoves } from './infra-undo.ts';
import { type Live, TARGET_OPTIONS, withLive } from './live.ts';
import type { LiveIo } from './live-io.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

const moveWords = () => catalogue().moves;

const words = () => catalogue().live.infra;
const ACTIONS = ['plan', 'apply', 'verify', 'undo'] as const;
type Action = (typeof ACTIONS)[number];

/** `upi-wizard infra plan | apply | verify | undo [--only A,B] [--yes]`. Returns the exit code of the outer interface. */
export async function infraCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { ...TARGET_OPTIONS, only: { type: 'string', multiple: true }, yes: { type: 'boolean', default: false } },
  });
  const [action, extra] = positionals;
  if (action === undefined) throw new UsageError(words().noAction);
  if (!isAction(action)) throw new UsageError(words().unknownAction(sanitizeLine(action, 80)));
  if (extra !== undefined) throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(extra, 80)));
  const names = selected(values.only);
  const writes = action === 'apply' || action === 'undo';
  if (writes && !values.yes && io.ask === null) throw new UsageError(words().needsYes(action));
  const act = async (live: Live) => {
    const moves = await movesOf(live, names);
    const outcome = await run[action](moves, live, io, values.yes);
    const document = { moves: outcome.moves.map(moveJson) };
    if (values.json) io.stdout(`${JSON.stringify(document, null, 2)}\n`);
    else io.stdout(`${movesText(outcome.moves, io.columns)}${action === 'plan' ? planText(outcome.moves) : ''}`);
    return outcome.isGood ? 0 : 4;
  };
  return await withLive(values, io, programs, act, { writes });
}

function isAction(text: string): text is Action {
  return (ACTIONS as readonly string[]).includes(text);
}

/** The moves of `--only`, in the order that avoids an outage, whatever order they were named in. */
function selected(only: readonly string[] | undefined): readonly MoveName[] {
  if (only === undefined) return MOVE_ORDER;
  const wanted = only.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = wanted.find((name) => !(MOVE_ORDER as readonly string[]).includes(name));
  if (unknown === '') throw new UsageError(words().noMoves);
  if (unknown !== undefined)
    throw new UsageError(words().unknownMove(sanitizeLine(unknown, 80), MOVE_ORDER.join(', ')));
  return MOVE_ORDER.filter((name) => wanted.includes(name));
}

/** The moves for this cluster. Those of the load balancer are changes of files, which only an install directory has. */
async function movesOf(live: Live, names: readonly MoveName[]): Promise<Move[]> {
  const { design, session } = live;
  // One connection tells early and in one sentence when there is none to be had.
  const cluster = await live.connect();
  if (nodesWithRole(design, 'infra').length === 0)
    return names.map((name) => fixedMove(name, 'absent', moveWords().why.noInfraNodes));
  return await Promise.all(
    names.map(async (name) => {
      const isFiles = name === 'lb-add' || name === 'lb-final';
      if (!session)
        return isFiles ? fixedMove(name, 'absent', words().noDirectory) : clusterMove({ design }, cluster, MOVES[name]);
      // The files of these stages are without the bootstrap: made too early, they would cut it off.
      return isFiles && !hasReached(session.context, 'bootstrap-removed')
        ? fixedMove(name, 'blocked', words().bootstrapFirst)
        : await moveNamed(session.context, name);
    }),
  );
}

/** A move that cannot be made here, whatever the cluster says. */
function fixedMove(name: MoveName, state: 'absent' | 'blocked', why: string): Move {
  const look = () => Promise.resolve({ state, why, changes: [] });
  const nothing = () => Promise.resolve();
  return { name, probe: look, verify: look, apply: nothing, undo: nothing };
}

export interface InfraOutcome {
  readonly moves: readonly InfraMove[];
  /** False for exit code 4. */
  readonly isGood: boolean;
}

type Run = (moves: readonly Move[], live: Live, io: LiveIo, isYes: boolean) => Promise<InfraOutcome>;

const run: Readonly<Record<Action, Run>> = {
  async plan(moves) {
    const seen = await lookAtMoves(moves);
    const has = (state: InfraMove['state']) => seen.some((move) => move.state === state);
    // What waits for a move that comes before it is no obstacle: they are made in order.
    return { moves: seen, isGood: !has('failed') && (!has('blocked') || has('needed') || has('moving')) };
  },
  async verify(moves) {
    const seen = await lookAtMoves(moves);
    return { moves: seen, isGood: seen.every(isThere) };
  },
  apply: applyMoves,
  undo: undoMoves,
};

function isThere({ state }: InfraMove): boolean {
  return state === 'done' || state === 'absent';
}

/** One move after the other, each shown and asked about before and verified after it; stops at the first that does not go. */
async function applyMoves(moves: readonly Move[], live: Live, io: LiveIo, isYes: boolean): Promise<InfraOutcome> {
  let mayGoOn = isYes;
  const report = (line: string) => io.stderr(`${sanitizeLine(line)}\n`);
  let failed: { readonly name: MoveName; readonly why: string } | null = null;
  for (const move of moves) {
    io.signal.throwIfAborted();
    const before = await lookAtMove(move);
    if (isThere(before)) continue;
    if (before.state === 'blocked') {
      report(words().stopped(move.name, before.why));
      break;
    }
    if (before.state === 'needed' && !mayGoOn) {
      io.stderr(planText([before]));
      const answer = ((await io.ask?.(words().confirmMove(move.name))) ?? '').trim().toLowerCase();
      if (!/^(?:y|yes|a|all)$/.test(answer)) {
        io.stderr(`${words().declined}\n`);
        break;
      }
      mayGoOn = answer.startsWith('a');
    }
    for (const line of handiwork(move.name, live)) report(line);
    try {
      await applyMove(move, { clock: live.clock, signal: io.signal }, report);
    } catch (error) {
      if (!(error instanceof TroubleError)) throw error;
      failed = { name: move.name, why: sanitizeLine(error.trouble.cause) };
      report(words().stopped(move.name, `${error.trouble.title}: ${error.trouble.cause}`));
      break;
    }
  }
  const seen = await lookAtMoves(moves);
  const told = seen.map((move) =>
    move.name === failed?.name ? { ...move, state: 'failed' as const, why: failed.why } : move,
  );
  return { moves: told, isGood: told.every(isThere) };
}

/** What a person has to do on the load balancers, where a person does it. */
function handiwork(name: MoveName, { session }: Live): readonly string[] {
  const isFiles = name === 'lb-add' || name === 'lb-final';
  return isFiles && session?.context.hands.isPerson ? stageInstructions(session.context) : [];
}
