import type { MoveChange } from '../../moves/edit.ts';
import type { MoveName } from '../../moves/table.ts';
import {
  applyMoves,
  isThere,
  lookAtMoves,
  type MoveSite,
  type SeenMove,
  startedWith,
} from '../../steps/infra/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { saysYes } from '../../text/yes.ts';
import type { LiveIo } from '../shared/live-io.ts';
import { type Consent, type Outcome, say, telling } from './says.ts';
import { planText } from './text.ts';

/** A change as it was shown. */
type Shown = Pick<MoveChange, 'object' | 'before' | 'after'>;

const words = () => catalogue().live.infra;

/**
 * Shows all that will change and asks once; then makes the moves, and stops at the first that fails or is blocked. A change
 * that turns out different is shown and asked about; without a person it stops there.
 * @param saved a plan from a file: its changes in place of those of now, and what comes before the first write
 */
export async function applyAsked(
  site: MoveSite,
  names: readonly MoveName[],
  io: LiveIo,
  { isYes, overridesGitOps }: Consent,
  saved: { readonly shown: readonly Shown[]; readonly begin: () => boolean } | null = null,
): Promise<Outcome> {
  // An API that is away from the start is reported at once; later we wait for it.
  const planned = await lookAtMoves(site, names);
  const { started, stop } = startedWith(planned);
  io.stderr(planText(started, site.design));
  if (stop !== null && started.length > 0) say(io, words().willStop(stop.name, stop.why));
  const agrees = async (question: string) => {
    const isAllowed = saysYes((await io.ask?.(question)) ?? '');
    if (!isAllowed) io.stderr(`${words().declined}\n`);
    return isAllowed;
  };
  if (!isYes && started.length > 0 && !(await agrees(words().confirmMoves(started.map(({ name }) => name).join(', ')))))
    return { moves: planned, isGood: false };
  const typed = isYes ? [] : started.flatMap(({ says = [], types }) => (types === undefined ? [] : [{ says, types }]));
  for (const { says, types } of typed) {
    const answer = await io.ask?.(words().typeIt(says.join(' '), types));
    if (answer?.trim() === types) continue;
    io.stderr(`${words().declined}\n`);
    return { moves: planned, isGood: false };
  }
  const managed = overridesGitOps ? [] : gitOpsObjects(started);
  if (managed.length > 0 && isYes) {
    say(io, words().gitOpsStop(managed.join(', ')));
    return { moves: planned, isGood: false };
  }
  if (managed.length > 0 && !(await agrees(words().gitOpsAsk(managed.join(', ')))))
    return { moves: planned, isGood: false };
  const allow = async (move: SeenMove, unseen: readonly MoveChange[]) => {
    io.stderr(planText([{ ...move, changes: unseen }], site.design));
    return await agrees(words().confirmMove(move.name));
  };
  if (saved !== null && !saved.begin()) return { moves: planned, isGood: false };
  const shown = saved?.shown ?? started.flatMap(({ changes }) => changes);
  const ended = await applyMoves(site, names, { tell: telling(io, site.clock), shown, ...(isYes ? {} : { allow }) });
  const seen = await lookAtMoves(site, names);
  const told = seen.map((move) =>
    ended.end === 'stopped' && ended.how === 'failed' && move.name === ended.move
      ? { ...move, state: 'failed' as const, why: sanitizeLine(ended.trouble.cause) }
      : move,
  );
  return { moves: told, isGood: told.every(isThere) };
}

/** The objects that GitOps would set back. */
function gitOpsObjects(moves: readonly SeenMove[]): string[] {
  const changes = moves.flatMap(({ changes }) => changes);
  const managed = changes.filter(({ managers = [] }) => managers.some(({ isGitOps }) => isGitOps));
  return [...new Set(managed.map(({ object }) => object))];
}
