import { parseArgs } from 'node:util';
import { MOVE_NAMES, type MoveName } from '../moves/table.ts';
import {
  applyMoves,
  isLater,
  isThere,
  lineOf,
  lookAtMoves,
  type MoveEvent,
  type MoveSite,
  type SeenMove,
  siteOf,
  undoMoves,
} from '../steps/infra/index.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { moveJson, movesText, planText } from './infra-text.ts';
import { type Live, TARGET_OPTIONS, withLive } from './live.ts';
import type { LiveIo } from './live-io.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

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
    // One connection reports early and in one sentence when there is none to be had.
    await live.connect();
    const outcome = await run[action](siteOfLive(live, io), names, io, values.yes);
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

/** The moves of `--only`, in the order that avoids an outage, whatever order the person named them in. */
function selected(only: readonly string[] | undefined): readonly MoveName[] {
  if (only === undefined) return MOVE_NAMES;
  const wanted = only.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = wanted.find((name) => !(MOVE_NAMES as readonly string[]).includes(name));
  if (unknown === '') throw new UsageError(words().noMoves);
  if (unknown !== undefined)
    throw new UsageError(words().unknownMove(sanitizeLine(unknown, 80), MOVE_NAMES.join(', ')));
  return MOVE_NAMES.filter((name) => wanted.includes(name));
}

/** The moves of the load balancer are changes of files, which only an install directory has. */
function siteOfLive({ design, clock, connect, session }: Live, { signal }: LiveIo): MoveSite {
  return session ? { ...siteOf(session.context), connect } : { design, clock, connect, signal, context: null };
}

interface Outcome {
  readonly moves: readonly SeenMove[];
  /** False for exit code 4. */
  readonly isGood: boolean;
}

/** Who is told and asked. */
type Person = Pick<LiveIo, 'ask' | 'stderr'>;

type Run = (site: MoveSite, names: readonly MoveName[], io: LiveIo, isYes: boolean) => Promise<Outcome>;

const run: Readonly<Record<Action, Run>> = {
  async plan(site, names) {
    const seen = await lookAtMoves(site, names);
    const isStopped = seen.some(
      (move) => move.state === 'failed' || (move.state === 'blocked' && !isLater(move, seen)),
    );
    return { moves: seen, isGood: !isStopped };
  },
  async verify(site, names) {
    const seen = await lookAtMoves(site, names);
    return { moves: seen, isGood: seen.every(isThere) };
  },
  apply,
  undo,
};

/** One move after the other: shows each and asks before it; stops at the first that fails or is blocked. */
async function apply(site: MoveSite, names: readonly MoveName[], io: LiveIo, isYes: boolean): Promise<Outcome> {
  // An API that is away from the start is reported at once; later we wait for it.
  await lookAtMoves(site, names.slice(0, 1));
  let mayGoOn = isYes;
  const allow = async (move: SeenMove) => {
    if (mayGoOn) return true;
    io.stderr(planText([move]));
    const answer = ((await io.ask?.(words().confirmMove(move.name))) ?? '').trim().toLowerCase();
    mayGoOn = answer.startsWith('a');
    const isAllowed = /^(?:y|yes|a|all)$/.test(answer);
    if (!isAllowed) io.stderr(`${words().declined}\n`);
    return isAllowed;
  };
  const ended = await applyMoves(site, names, { tell: telling(io), allow });
  const seen = await lookAtMoves(site, names);
  const told = seen.map((move) =>
    ended.end === 'stopped' && ended.how === 'failed' && move.name === ended.move
      ? { ...move, state: 'failed' as const, why: sanitizeLine(ended.trouble.cause) }
      : move,
  );
  return { moves: told, isGood: told.every(isThere) };
}

/** Undoes the moves, the last one first. `isGood` only when the engine undid all of them, and what ran there has left. */
export async function undo(site: MoveSite, names: readonly MoveName[], io: Person, isYes: boolean): Promise<Outcome> {
  await lookAtMoves(site, names.slice(0, 1));
  const allow = async (order: readonly MoveName[]) => {
    const answer = isYes ? 'y' : ((await io.ask?.(words().confirmUndo(order.join(', ')))) ?? '');
    const isAllowed = /^y(?:es)?$/i.test(answer.trim());
    if (!isAllowed) io.stderr(`${words().declined}\n`);
    return isAllowed;
  };
  const kept: MoveName[] = [];
  const show = telling(io);
  const tell = (event: MoveEvent) => {
    if (event.type === 'blocked') kept.unshift(event.move);
    show(event);
  };
  const { end } = await undoMoves(site, names, { tell, allow });
  if (kept.length > 0) say(io, words().notUndone(kept.join(', ')));
  return { moves: await lookAtMoves(site, names), isGood: end === 'done' };
}

/** Shows events line by line. */
function telling(io: Person) {
  return (event: MoveEvent) => {
    if (event.type === 'began' && event.doing === 'apply') for (const each of event.byHand) say(io, each);
    const line = lineOf(event);
    if (line !== null) say(io, line);
    if (event.type === 'blocked')
      say(io, event.doing === 'apply' ? words().stopped(event.move, event.why) : words().kept(event.move, event.why));
    // A move that fails while it is taken back ends the command, which reports it then.
    if (event.type === 'failed' && event.doing === 'apply')
      say(io, words().stopped(event.move, `${event.trouble.title}: ${event.trouble.cause}`));
  };
}

function say(io: Person, line: string): void {
  io.stderr(`${sanitizeLine(line)}\n`);
}
