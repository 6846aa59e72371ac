import { isClusterError } from '../../cluster/errors.ts';
import type { Design } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { MOVE } from '../../diagnosis/moves.ts';
import { judge } from '../../diagnosis/rule.ts';
import type { MoveChange } from '../../moves/edit.ts';
import { effectsOf } from '../../moves/effects.ts';
import { commandFor } from '../../moves/pending.ts';
import { MOVE_NAMES, MOVES, type MoveName, moveNamed } from '../../moves/table.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Change, PartNews, Plan, Probe, Report, Step, StepContext } from '../contract.ts';
import type { SeenMove } from '../recollection.ts';
import { apiFindings, look } from '../shared/access.ts';
import { rideOut } from '../shared/ride-out.ts';
import { applyMoves } from './apply-moves.ts';
import { type Ended, type MoveEvent, moveTrouble, planUndos, undoMoves } from './engine.ts';
import { heldBy } from './held-by.ts';
import { lineOf } from './lines.ts';
import { lookAtMoves } from './look.ts';
import { siteOf } from './site.ts';
import { isThere, startedWith } from './standing.ts';
import { hasWork } from './undo.ts';
import { briefOf, undoOf } from './undo-lines.ts';

export type { SeenMove } from '../recollection.ts';
export { applyMoves } from './apply-moves.ts';
export { beforeLog } from './before-log.ts';
export { type MoveEvent, undoMoves } from './engine.ts';
export { findCluster } from './found.ts';
export { addToBalancer, balancerChanges, isBalancerBehind } from './joining.ts';
export { lineOf } from './lines.ts';
export { lookAtMoves } from './look.ts';
export { movedOn, parsePlan, planToSave, type SavedPlan } from './saved-plan.ts';
export { type MoveSite, siteOf } from './site.ts';
export { watchStable } from './stable.ts';
export { isThere, startedWith } from './standing.ts';
export type { UndoConsent, UndoPlan } from './undo.ts';
export { undoLines } from './undo-lines.ts';

const words = () => catalogue().steps.infra;

/** What the infra screen draws: the moves in their order, each with how far it is; those that do not apply here come last. */
export interface InfraView {
  readonly moves: readonly SeenMove[];
  /** How users' requests go while a move is made, in words; null where none were made. */
  readonly traffic: string | null;
  /** What a person types for a move with a pod that no node takes; left out: nothing for any. */
  readonly remedies?: Readonly<Partial<Record<MoveName, string>>>;
}

/** Gives the infra nodes their role and moves their workloads there, move by move; each can be taken back. */
export const infraStep: Step<InfraView> = {
  id: 'infra',
  lookEvery: 5 * SECOND,
  patience: 60 * MINUTE,
  probe,
  async plan({ design }, { view }) {
    const { started, stop } = startedWith(view.moves);
    return {
      changes: started.flatMap(({ name, changes, says = [] }) => {
        const what = catalogue().moves.each[name].does;
        const caused = [words().causes(what, effectsOf(name, design)), ...says].join(' ');
        return [
          { object: name, what: caused, before: null, after: null },
          ...changes.map((change) => changeOf(what, change)),
        ];
      }),
      isDangerous: true,
      ...typedFor(started),
      instructions: stop === null || started.length === 0 ? [] : [words().stopsAt(stop.name, stop.why)],
    };
  },
  async apply(context, report, plan = null) {
    await applyShown(context, movesOf(context), report, plan?.changes ?? null);
  },
  async applyOne(context, subject, report) {
    await applyShown(context, [known(subject)], report, null);
  },
  verify: probe,
  async undo(context, subject, report) {
    const { name, consent } = undoOf(subject ?? '');
    const names = subject === null ? MOVE_NAMES : [known(name)];
    const allow = async () => consent;
    conclude(await undoMoves(siteOf(context), names, { tell: telling(report), allow, toDefaults: consent.toDefaults }));
  },
  async brief(context, subject) {
    const { name, consent } = undoOf(subject ?? '');
    const moves = MOVES.filter((move) => move.name === name);
    const [plan = null] = await planUndos(siteOf(context), moves, consent.toDefaults);
    const above = plan !== null && hasWork(plan) ? await heldBy(siteOf(context), plan.move) : [];
    return briefOf(subject ?? '', plan, above);
  },
};

/** The moves that may lose something, as one question. */
function typedFor(started: readonly SeenMove[]): Pick<Plan, 'typed'> {
  const losing = started.filter(({ types }) => types !== undefined);
  const word = losing[0]?.types;
  return word === undefined ? {} : { typed: { word, why: losing.flatMap(({ says = [] }) => says).join(' ') } };
}

/** The change with what the move does, and with the GitOps that would set it back: whoever agrees has read it. */
function changeOf(what: string, change: MoveChange): Change {
  const { object, isFile = false, before, after, copyOf, managers = [] } = change;
  const products = managers.filter(({ isGitOps }) => isGitOps).map(({ name }) => name);
  const told = products.length === 0 ? what : words().managed(what, products.join(', '));
  return { object, ...(isFile ? { isFile } : {}), what: told, before, after, ...(copyOf ? { copyOf } : {}) };
}

function telling(report: Report) {
  let last: string | null = null;
  return (event: MoveEvent) => {
    const line = lineOf(event);
    if (line !== null && line !== last) report(line, partOf(event));
    last = line;
  };
}

function partOf(event: MoveEvent): PartNews | undefined {
  const { type, move: subject } = event;
  if (type === 'began') return { subject, state: 'begun' };
  if (type === 'waiting') return { subject, state: 'begun', said: event.why };
  if (type !== 'done') return undefined;
  return { subject, state: 'done', ...(event.why === '' ? {} : { said: event.why }) };
}

/** @param shown the changes that were agreed to; null: those of now */
async function applyShown(
  context: StepContext,
  names: readonly MoveName[],
  report: Report,
  shown: readonly MoveChange[] | null,
): Promise<void> {
  const site = siteOf(context);
  const agreed = shown ?? (await rideOut(site, () => lookAtMoves(site, names))).flatMap(({ changes }) => changes);
  conclude(await applyMoves(site, names, { tell: telling(report), shown: agreed }));
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

/** Whether the design has infra nodes, or lets the cloud make them. */
function hasInfra(design: Design): boolean {
  return nodesWithRole(design, 'infra').length > 0 || design.infra.machineSets !== null;
}

/** Without infra nodes nothing moves; storage nodes still get their label and taint, which cluster DNS tolerates. */
function movesOf({ design }: StepContext): readonly MoveName[] {
  return hasInfra(design) ? MOVE_NAMES : ['label', 'storage', 'dns'];
}

async function probe(context: StepContext): Promise<Probe<InfraView>> {
  if (!hasInfra(context.design) && nodesWithRole(context.design, 'storage').length === 0)
    return { state: 'done', summary: words().none, view: { moves: [], traffic: null }, findings: [] };
  const api = await look(context, []);
  const asLastSeen = (): Probe<InfraView> => ({
    state: 'waiting',
    summary: api?.api.line ?? words().apiAway,
    view: viewOf(context, context.recollection.infra ?? []),
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
  const cluster = await site.connect();
  const kept = (await site.log?.kept(cluster)) ?? [];
  const hasWritten = ({ name }: SeenMove) => kept.some(({ move }) => move === name);
  const moves = (await lookAtMoves(site, movesOf(context))).map((seen) =>
    hasWritten(seen) ? { ...seen, hasWritten: true } : seen,
  );
  context.recollection.infra = moves;
  return { ...judgeMoves(moves, context.design), view: viewOf(context, moves) };
}

function viewOf({ recollection: { traffic } }: StepContext, moves: readonly SeenMove[]): InfraView {
  const shown = [
    ...moves.filter(({ state }) => state !== 'absent'),
    ...moves.filter(({ state }) => state === 'absent'),
  ];
  const remedies = moves.flatMap(({ name, pending }) => {
    const command = pending === undefined ? null : commandFor(pending);
    return command === null ? [] : [[name, sanitizeLine(command)] as const];
  });
  return {
    moves: shown,
    traffic: traffic && catalogue().steps.traffic.counted(traffic.move, traffic),
    ...(remedies.length === 0 ? {} : { remedies: Object.fromEntries(remedies) }),
  };
}

/** What the preflight of a move that is to be made has found wrong. */
function warningsOf({ state, preflight = [] }: SeenMove): Finding[] {
  return state === 'needed' ? preflight.filter((finding) => finding.state === 'failed') : [];
}

/** What the moves come to. */
export function judgeMoves(moves: readonly SeenMove[], design: Design): Omit<Probe<InfraView>, 'view'> {
  const open = moves.filter((move) => !isThere(move));
  const [first] = open;
  const isMoved = hasInfra(design);
  if (!first) return { state: 'done', summary: isMoved ? words().done : words().labelled, findings: [] };
  const { started, stop } = startedWith(moves);
  const findings = open.flatMap((move) => [...judge(MOVE, move), ...warningsOf(move)]);
  if (started.length > 0)
    return { state: 'needed', summary: words().needed(started.map(({ name }) => name).join(', ')), findings };
  if (stop === null || first.state === 'moving')
    return { state: 'waiting', summary: words().waiting(first.name, first.why), findings };
  return { state: 'blocked', summary: stop.why, findings };
}
