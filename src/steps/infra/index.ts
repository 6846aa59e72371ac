import { isClusterError } from '../../cluster/errors.ts';
import type { Design } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import { MOVE } from '../../diagnosis/moves.ts';
import { judge } from '../../diagnosis/rule.ts';
import { MOVE_NAMES, type MoveName, moveNamed } from '../../moves/table.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Probe, Step, StepContext } from '../contract.ts';
import type { SeenMove } from '../recollection.ts';
import { apiFindings, look } from '../shared/access.ts';
import { applyMoves, type Ended, type MoveEvent, moveTrouble, undoMoves } from './engine.ts';
import { lineOf } from './lines.ts';
import { lookAtMoves } from './look.ts';
import { siteOf } from './site.ts';
import { isLater, isThere } from './standing.ts';

export type { SeenMove } from '../recollection.ts';
export { applyMoves, type MoveEvent, undoMoves } from './engine.ts';
export { addToBalancer, balancerChanges, isBalancerBehind } from './joining.ts';
export { lineOf } from './lines.ts';
export { lookAtMoves } from './look.ts';
export { type MoveSite, siteOf } from './site.ts';
export { isLater, isThere } from './standing.ts';

const words = () => catalogue().steps.infra;

/** What the infra screen draws: the moves of this design in their order, each with how far it is. */
export interface InfraView {
  readonly moves: readonly SeenMove[];
}

/** Gives the infra nodes their role and moves their workloads there, move by move; each can be taken back. */
export const infraStep: Step<InfraView> = {
  id: 'infra',
  lookEvery: 5 * SECOND,
  patience: 60 * MINUTE,
  probe,
  async plan(_context, { view }) {
    const open = view.moves.filter(({ state }) => state === 'needed');
    return {
      changes: open.flatMap(({ name, changes }) => {
        const what = catalogue().moves.each[name].does;
        return changes.length === 0
          ? [{ object: name, what, before: null, after: null }]
          : changes.map(({ object, before, after }) => ({ object, what, before, after }));
      }),
      isDangerous: true,
      instructions: [],
    };
  },
  async apply(context, report) {
    conclude(await applyMoves(siteOf(context), movesOf(context), { tell: telling(report) }));
  },
  async applyOne(context, subject, report) {
    conclude(await applyMoves(siteOf(context), [known(subject)], { tell: telling(report) }));
  },
  verify: probe,
  async undo(context, subject, report) {
    const names = subject === null ? MOVE_NAMES : [known(subject)];
    conclude(await undoMoves(siteOf(context), names, { tell: telling(report) }));
  },
};

function telling(report: (line: string) => void) {
  return (event: MoveEvent) => {
    const line = lineOf(event);
    if (line !== null) report(line);
  };
}

/** @throws TroubleError where the moves stopped */
function conclude(ended: Ended): void {
  if (ended.end === 'stopped') throw new TroubleError(ended.trouble);
}

/** @throws TroubleError `move-failed` where there is no such move */
function known(subject: string): MoveName {
  const move = moveNamed(subject);
  if (move === null) throw moveTrouble(subject, words().unknown);
  return move.name;
}

/** Without infra nodes nothing moves; storage nodes still get their labels. */
function movesOf({ design }: StepContext): readonly MoveName[] {
  return nodesWithRole(design, 'infra').length > 0 ? MOVE_NAMES : ['label'];
}

async function probe(context: StepContext): Promise<Probe<InfraView>> {
  if (nodesWithRole(context.design, 'infra', 'storage').length === 0)
    return { state: 'done', summary: words().none, view: { moves: [] }, findings: [] };
  const api = await look(context, []);
  const asLastSeen = (): Probe<InfraView> => ({
    state: 'waiting',
    summary: api?.api.line ?? words().apiAway,
    view: { moves: context.recollection.infra ?? [] },
    findings: apiFindings(api),
  });
  if (api?.api.state === 'away') return asLastSeen();
  try {
    return await probeMoves(context);
  } catch (error) {
    // It went away between two requests: the next look says since when.
    if (isClusterError(error, 'not-yet', 'unreachable', 'credentials')) return asLastSeen();
    throw error;
  }
}

async function probeMoves(context: StepContext): Promise<Probe<InfraView>> {
  const site = siteOf(context);
  // Without a cluster there is nothing to say of any move.
  await site.connect();
  const moves = await lookAtMoves(site, movesOf(context));
  context.recollection.infra = moves;
  return { ...judgeMoves(moves, context.design), view: { moves } };
}

/** What the moves come to. A later move that waits for an earlier one is no obstacle: they are done in order. */
export function judgeMoves(moves: readonly SeenMove[], design: Design): Omit<Probe<InfraView>, 'view'> {
  const open = moves.filter((move) => !isThere(move));
  const [first] = open;
  const isMoved = nodesWithRole(design, 'infra').length > 0;
  if (!first) return { state: 'done', summary: isMoved ? words().done : words().labelled, findings: [] };
  const needed = open.filter(({ state }) => state === 'needed').map(({ name }) => name);
  const now = open.filter((move) => !isLater(move, moves));
  if (needed.length > 0 && now.every(({ state }) => state !== 'blocked'))
    return { state: 'needed', summary: words().needed(needed.join(', ')), findings: [] };
  if (now.every(({ state }) => state === 'moving'))
    return { state: 'waiting', summary: words().waiting(first.name, first.why), findings: [] };
  return { state: 'blocked', summary: first.why, findings: now.flatMap((move) => judge(MOVE, move)) };
}
