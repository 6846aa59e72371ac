import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MOVE_NAMES, type MoveName } from '../moves/table.ts';
import { MINUTE } from '../ports/clock.ts';
import { type LinesFile, linesFile } from '../session/lines-file.ts';
import {
  beforeLog,
  isThere,
  lookAtMoves,
  type MoveEvent,
  type MoveSite,
  type SavedPlan,
  siteOf,
  type UndoConsent,
  type UndoPlan,
  undoMoves,
  watchStable,
} from '../steps/infra/index.ts';
import { catalogue } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { applyAsked } from './infra/apply.ts';
import { FOUND_OPTIONS, proposeDesign, saysNodes } from './infra/found.ts';
import { applySaved, readPlan, savePlan } from './infra/plan-file.ts';
import { type Consent, type Outcome, type Person, say, telling } from './infra/says.ts';
import { moveJson, movesText, planText } from './infra/text.ts';
import { type AgreedUndo, askUndo, consentOf } from './infra/undo-consent.ts';
import { waitLine } from './infra/wait-line.ts';
import { type Live, TARGET_OPTIONS, withLive } from './shared/live.ts';
import type { LiveIo } from './shared/live-io.ts';
import { refuseForeign } from './shared/own-options.ts';
import { UsageError } from './shared/usage.ts';
import type { Programs } from './shared/world.ts';

const words = () => catalogue().live.infra;
const ACTIONS = ['plan', 'apply', 'verify', 'undo'] as const;
/** A day, in minutes. */
const LONGEST = 1440;
type Action = (typeof ACTIONS)[number];
/** The actions that take an option; the others are taken by all: `--yes`, too, which leaves nothing to ask where nothing is asked. */
const OWNERS = {
  out: ['plan'],
  stable: ['verify'],
  journal: ['apply', 'undo'],
  'override-gitops': ['apply'],
  overwrite: ['undo'],
  'to-defaults': ['undo'],
} as const satisfies Readonly<Record<string, readonly Action[]>>;

/**
 * `upi-wizard infra plan [--out FILE] | apply [FILE] | verify [--stable MINUTES] | undo [--only A,B] [--yes]
 * [--override-gitops]`. Returns the exit code of the outer interface.
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
      ...FOUND_OPTIONS,
    },
  });
  const [action, file, extra] = positionals;
  if (action === undefined) throw new UsageError(words().noAction);
  if (!isAction(action)) throw new UsageError(words().unknownAction(sanitizeLine(action, 80)));
  refuseForeign('infra', action, values, OWNERS);
  const unexpected = action === 'apply' ? extra : file;
  if (unexpected !== undefined) throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(unexpected, 80)));
  if (file !== undefined && values.only !== undefined) throw new UsageError(words().fileOrOnly);
  const isFound = values.kubeconfig !== undefined && values.design === undefined && values.dir === undefined;
  if (values.journal !== undefined && values.design === undefined && !isFound)
    throw new UsageError(words().journalOfDirectory);
  if (saysNodes(values) && !isFound) throw new UsageError(words().nodesOfDesign);
  const stable = values.stable === undefined ? null : minutesOf(values.stable);
  const journal = () =>
    linesFile(resolve(io.cwd, values.journal ?? besideDesign(values.design ?? values.kubeconfig ?? '')));
  const writes = action === 'apply' || action === 'undo';
  if (writes && !values.yes && io.ask === null) throw new UsageError(words().needsYes(action));
  const saved = file === undefined ? null : readPlan(resolve(io.cwd, file));
  const names = saved === null ? selected(values.only) : saved.moves.map(({ name }) => name);
  const asked: Asked = {
    isYes: values.yes,
    toDefaults: values['to-defaults'],
    overwrite: values.overwrite === undefined ? [] : selected(values.overwrite, '--overwrite'),
    overridesGitOps: values['override-gitops'],
    stable,
    out: values.out === undefined ? null : resolve(io.cwd, values.out),
    saved: saved && file !== undefined ? { plan: saved, file: resolve(io.cwd, file) } : null,
  };
  const act = async (live: Live) => {
    // One connection reports early and in one sentence when there is none to be had.
    await live.connect();
    const outcome = await run[action](siteOfLive(live, io, journal), names, io, asked);
    const document = { moves: outcome.moves.map((move) => moveJson(move, live.design)) };
    if (values.json) io.stdout(jsonText(document));
    else
      io.stdout(
        `${movesText(outcome.moves, io.columns)}${action === 'plan' ? planText(outcome.moves, live.design) : ''}`,
      );
    return outcome.isGood ? 0 : 4;
  };
  const propose = isFound ? (connect: MoveSite['connect']) => proposeDesign(connect, values, io) : null;
  return await withLive(values, io, programs, act, { writes, propose });
}

/** @returns milliseconds */
function minutesOf(text: string): number {
  const minutes = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (minutes < 1 || minutes > LONGEST) throw new UsageError(words().stableTakes(LONGEST));
  return minutes * MINUTE;
}

function isAction(text: string): text is Action {
  return (ACTIONS as readonly string[]).includes(text);
}

/** The moves of an option (`--only`), in the order that avoids an outage, whatever order the person named them in. */
function selected(only: readonly string[] | undefined, option = '--only'): readonly MoveName[] {
  if (only === undefined) return MOVE_NAMES;
  const wanted = only.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = wanted.find((name) => !(MOVE_NAMES as readonly string[]).includes(name));
  if (unknown === '') throw new UsageError(words().noMoves(option));
  if (unknown !== undefined)
    throw new UsageError(words().unknownMove(sanitizeLine(unknown, 80), MOVE_NAMES.join(', ')));
  return MOVE_NAMES.filter((name) => wanted.includes(name));
}

/**
 * Where it is written down what objects had before, without an install directory: beside the design (`site.yaml`,
 * `site.infra-before.ndjson`), or beside the kubeconfig where there is none.
 */
function besideDesign(design: string): string {
  return `${design.replace(/\.(?:ya?ml|json)$/, '')}.infra-before.ndjson`;
}

/** The moves of the load balancer are changes of files, which only an install directory has. */
function siteOfLive({ design, clock, connect, session }: Live, { signal }: LiveIo, journal: () => LinesFile): MoveSite {
  if (session) return { ...siteOf(session.context), connect };
  return { design, clock, connect, signal, context: null, log: beforeLog(journal()) };
}

interface Asked extends Consent, AgreedUndo {
  /** For how long it has to stay done, in ms; null: only now. */
  readonly stable: number | null;
  /** Where to save the plan; null: nowhere. */
  readonly out: string | null;
  /** The plan to apply, and its file; null: what is due now. */
  readonly saved: { readonly plan: SavedPlan; readonly file: string } | null;
}

type Run = (site: MoveSite, names: readonly MoveName[], io: LiveIo, asked: Asked) => Promise<Outcome>;

const run: Readonly<Record<Action, Run>> = {
  async plan(site, names, io, { out }) {
    const seen = await lookAtMoves(site, names);
    const isGood = seen.every(({ state }) => state !== 'failed' && state !== 'blocked');
    const isSaved = out === null || (await savePlan(site, seen, out, io));
    return { moves: seen, isGood: isGood && isSaved };
  },
  async verify(site, names, io, { stable }) {
    if (stable !== null) return await verifyStable(site, names, io, stable);
    const seen = await lookAtMoves(site, names);
    return { moves: seen, isGood: seen.every(isThere) };
  },
  apply: async (site, names, io, asked) =>
    asked.saved === null ? await applyAsked(site, names, io, asked) : await applySaved(site, asked.saved, io, asked),
  undo,
};

async function verifyStable(site: MoveSite, names: readonly MoveName[], io: LiveIo, lasting: number): Promise<Outcome> {
  const wait = waitLine(io, () => site.clock.now());
  const show = (why: string, since: number) => wait.show({ move: 'verify', why, since });
  const { moves, why } = await watchStable(site, names, lasting, show);
  wait.clear();
  say(io, why === null ? words().stable(Math.round(lasting / MINUTE)) : words().notStable(why));
  return { moves, isGood: why === null };
}

/**
 * Undoes the moves, the last one first, as far as a person or the command line agreed. `isGood` only when the engine undid
 * all of them, and what ran there has left.
 */
export async function undo(
  site: MoveSite,
  names: readonly MoveName[],
  io: Person,
  agreed: AgreedUndo,
): Promise<Outcome> {
  await lookAtMoves(site, names.slice(0, 1));
  const { toDefaults } = agreed;
  const allow = async (plans: readonly UndoPlan[]): Promise<UndoConsent | null> => {
    const given = agreed.isYes ? consentOf(agreed) : await askUndo(plans, io, agreed);
    if (given === null) io.stderr(`${words().declined}\n`);
    return given;
  };
  const kept: MoveName[] = [];
  const show = telling(io, site.clock);
  const tell = (event: MoveEvent) => {
    if (event.type === 'blocked') kept.unshift(event.move);
    show(event);
  };
  const { end } = await undoMoves(site, names, { tell, allow, toDefaults });
  if (kept.length > 0) say(io, words().notUndone(kept.join(', ')));
  return { moves: await lookAtMoves(site, names), isGood: end === 'done' };
}
