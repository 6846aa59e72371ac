import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatChangedObject } from '../../i18n/user-error.ts';
import type { Cluster } from '../../kube/api.ts';
import { readClusterId } from '../../kube/snapshot.ts';
import type { KubeObject } from '../../openshift/object.ts';
import { systemClock } from '../../platform/clock.ts';
import { diffLines } from '../../platform/diff.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { NdjsonFile } from '../../session/ndjson-file.ts';
import { describeChange, type Edit, type MoveChange } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findOwningMachineSets } from '../moves/infra-set.ts';
import type { MoveName } from '../moves.ts';
import { applyEdit, createClusterReader, type EditResult } from '../send-edits.ts';
import {
  derivePendingRestores,
  hasReplacedFiles,
  type PendingRestore,
  parseUndoLogLine,
  type UndoLogLine,
} from './log-line.ts';
import {
  compareObject,
  createRestoreEdit,
  type ObjectComparison,
  planRestore,
  type RestorePlan,
} from './restore-plan.ts';
import { captureUndoRecord } from './undo-record.ts';

/**
 * Plan of what undoing a move does. `before`: its objects get back their recorded settings. `defaults`: the previous
 * settings were not recorded, so the objects can only get the operator defaults. `foreign`: the settings were there
 * before upi-wizard wrote anything, and stay. `inherited`: the machines of these MachineSets inherit the settings, which are
 * removed with the machines. `files`: the load balancers get the files of the previous stage.
 */
export type UndoPlan = { readonly move: MoveName } & (
  | { readonly kind: 'before'; readonly objects: readonly ObjectComparison[] }
  | { readonly kind: 'defaults' | 'files'; readonly changes: readonly MoveChange[] }
  | { readonly kind: 'foreign'; readonly isFileMove: boolean }
  | { readonly kind: 'inherited'; readonly sets: readonly string[] }
);

/** Consent of the user to changes beyond restoring recorded settings. */
export interface UndoConsent {
  /** Whether moves without recorded settings are reset to the operator defaults. */
  readonly toDefaults: boolean;
  /** Whether changes that others made since our write are overwritten. */
  readonly shouldOverwrite: (move: MoveName, object: string) => boolean;
}

export const RECORDED_ONLY_CONSENT: UndoConsent = { toDefaults: false, shouldOverwrite: () => false };

/** Plans the restore of a move's objects, the object written last first. */
async function planRestores(cluster: Cluster, pendingRestores: readonly PendingRestore[]): Promise<RestorePlan[]> {
  return await Promise.all(
    pendingRestores
      .toReversed()
      .map(async (one) => planRestore(one, await cluster.get(one.kind, one.name, one.namespace ?? undefined))),
  );
}

/**
 * Plans the undo of a move against the current state of the cluster.
 * @param log null where no undo records are saved
 * @throws UserErrorException `session-unreadable`; ClusterError
 */
export async function planUndo(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  { design, log, toDefaults }: { readonly design: Design; readonly log: UndoLog | null; readonly toDefaults: boolean },
): Promise<UndoPlan> {
  const allPending = (await log?.listPendingRestores(cluster)) ?? null;
  const pendingRestores = allPending?.filter((one) => one.move === move.name) ?? [];
  if (pendingRestores.length > 0)
    return {
      move: move.name,
      kind: 'before',
      objects: (await planRestores(cluster, pendingRestores)).map(compareObject),
    };
  const reader = createClusterReader(cluster);
  const sets = await findOwningMachineSets(reader, move, design);
  if (sets !== null) return { move: move.name, kind: 'inherited', sets };
  if (allPending !== null && !toDefaults) return { move: move.name, kind: 'foreign', isFileMove: false };
  const edits = await move.planUndoEdits(reader, design);
  const changePromises = edits.map(async (edit) =>
    describeChange(edit, await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined)),
  );
  const changes = (await Promise.all(changePromises)).flatMap((each) => each ?? []);
  return { move: move.name, kind: 'defaults', changes };
}

/**
 * Undoes the move as far as the user consented: restores each object, or resets it to the operator defaults.
 * @returns the objects that keep a change that others made since our write
 * @throws UserErrorException as applyEdit does, and `session-unreadable`; ClusterError
 */
export async function undoMove(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  { design, log, consent }: { readonly design: Design; readonly log: UndoLog | null; readonly consent: UndoConsent },
  report: (written: EditResult) => void,
): Promise<readonly string[]> {
  const allPending = (await log?.listPendingRestores(cluster)) ?? null;
  const pendingRestores = allPending?.filter((one) => one.move === move.name) ?? [];
  const changedObjects: string[] = [];
  for (const one of pendingRestores.toReversed()) {
    const object = await restoreObject(cluster, one, { log, consent, report });
    if (object !== null) changedObjects.push(object);
  }
  if (pendingRestores.length > 0 || !consent.toDefaults) return changedObjects;
  if ((await findOwningMachineSets(createClusterReader(cluster), move, design)) !== null) return [];
  for (const edit of await move.planUndoEdits(createClusterReader(cluster), design))
    report(await applyEdit(cluster, edit));
  return [];
}

/**
 * Drains the objects that undo is going to delete: those that the move created. An object that others changed is
 * drained only with consent.
 * @returns their names
 */
export async function drainCreatedObjects(
  cluster: Cluster,
  move: ClusterMove<MoveName>,
  drain: NonNullable<ClusterMove['drainBeforeDelete']>,
  context: {
    readonly log: UndoLog | null;
    readonly consent: UndoConsent;
    readonly report: (written: EditResult) => void;
  },
): Promise<readonly string[]> {
  const allPending = (await context.log?.listPendingRestores(cluster)) ?? [];
  const plans = await planRestores(
    cluster,
    allPending.filter((one) => one.move === move.name),
  );
  const drainPlans = plans.filter((plan) => {
    const isOverwriteAllowed =
      plan.state === 'changed' && context.consent.shouldOverwrite(move.name, compareObject(plan).object);
    return (
      plan.pendingRestore.uid === null && plan.currentContent !== null && (plan.state === 'back' || isOverwriteAllowed)
    );
  });
  for (const { pendingRestore } of drainPlans) context.report(await applyEdit(cluster, drain.edit(pendingRestore)));
  return drainPlans.map(({ pendingRestore: restore }) => restore.name);
}

/**
 * Restores one object from its undo record.
 * @returns the object if it keeps a change that others made since our write, else null
 */
async function restoreObject(
  cluster: Cluster,
  pendingRestore: PendingRestore,
  context: {
    readonly log: UndoLog | null;
    readonly consent: UndoConsent;
    readonly report: (written: EditResult) => void;
  },
): Promise<string | null> {
  const { log, consent, report } = context;
  const readPlan = async (isOverwriteAllowed: boolean) =>
    planRestore(
      pendingRestore,
      await cluster.get(pendingRestore.kind, pendingRestore.name, pendingRestore.namespace ?? undefined),
      isOverwriteAllowed,
    );
  const planBefore = await readPlan(false);
  const { object } = compareObject(planBefore);
  const isOverwriteAllowed =
    planBefore.state === 'changed' && consent.shouldOverwrite(pendingRestore.move as MoveName, object);
  if (planBefore.state === 'back' || planBefore.state === 'changed')
    report(await applyEdit(cluster, createRestoreEdit(pendingRestore, isOverwriteAllowed)));
  const planAfter = await readPlan(isOverwriteAllowed);
  if (planAfter.state === 'changed') return object;
  if (planAfter.state !== 'back') await log?.recordRestored(cluster, pendingRestore);
  return null;
}

/** Whether undoing writes anything. */
export function hasChanges(plan: UndoPlan): boolean {
  switch (plan.kind) {
    case 'before':
      return plan.objects.some(({ state }) => state === 'back' || state === 'changed');
    case 'defaults':
      return plan.changes.length > 0;
    case 'files':
      return true;
    case 'foreign':
    case 'inherited':
      return false;
  }
}

const words = () => catalogue().live.infra;

/** Maximum width of a line, in columns, on a terminal of 80 columns. */
const LINE_WIDTH = 78;

/**
 * Renders the effect of undoing a move, object by object: the current value of each field, and the one before the
 * wizard's first write.
 * @param consent the consent so far; fields that others changed are shown accordingly
 */
export function renderUndoPlan(plan: UndoPlan, consent: UndoConsent = RECORDED_ONLY_CONSENT): string[] {
  const isRestored = plan.kind === 'before' || plan.kind === 'defaults';
  return [
    ...renderPlan(plan, consent),
    ...(isRestored && hasChanges(plan) ? [catalogue().moves.byName[plan.move].undoLimits ?? []].flat() : []),
  ];
}

function renderPlan(plan: UndoPlan, consent: UndoConsent): string[] {
  switch (plan.kind) {
    case 'before':
      return plan.objects.flatMap((object) => renderObject(object, consent.shouldOverwrite(plan.move, object.object)));
    case 'defaults':
      return [words().undo.notRecorded, ...plan.changes.flatMap(renderChange)];
    case 'files':
      return plan.changes.flatMap(renderChange);
    case 'foreign':
      return [catalogue().steps.infra.foreign(plan.move)];
    case 'inherited':
      return [catalogue().steps.infra.inherited(plan.move, plan.sets)];
  }
}

function renderObject({ object, state, isDeleted, fields }: ObjectComparison, isOverwritten: boolean): string[] {
  const { states, field, unset, deleted } = words().undo;
  // The wizard created the whole object: its individual fields add no information.
  if (isDeleted) return [sanitizeLine(`${object}: ${deleted}`, 2000)];
  const head = `${object}: ${states[state === 'changed' && isOverwritten ? 'overwritten' : state]}`;
  const lines = fields.flatMap((one) => {
    const parts = field[one.state](one.path, one.before ?? unset, one.now ?? unset, one.ours ?? unset);
    const fullLine = `  ${parts.join(' ')}`;
    // A long path or value gets its own lines.
    return fullLine.length <= LINE_WIDTH
      ? [fullLine]
      : parts.map((part, index) => `${index === 0 ? '  ' : '      '}${part}`);
  });
  return (state === 'back' || state === 'changed' ? [head, ...lines] : [head]).map((line) => sanitizeLine(line, 2000));
}

function renderChange(change: MoveChange): string[] {
  const { before, after } = change;
  const head = before === null ? words().added : after === null ? words().removed : words().changed;
  const sign = { same: '  ', added: '+ ', removed: '- ' } as const;
  const lines = diffLines(before, after).map(({ kind, text }) => `${sign[kind]}${text}`);
  return [head(formatChangedObject(change)), ...lines].map((line) => sanitizeLine(line, 2000));
}

/** Records the fields that objects had before the wizard's writes. */
export interface UndoLog {
  /**
   * Records an object before a move writes to it.
   * @param current null if the object does not exist
   * @throws UserErrorException `session-unwritable`: then the write must not happen; ClusterError
   */
  readonly recordObject: (cluster: Cluster, move: MoveName, edit: Edit, current: KubeObject | null) => Promise<void>;
  /**
   * Lists the pending restores of this cluster, in the order of the first writes; null if nothing was ever recorded for
   * it.
   * @throws UserErrorException `session-unreadable`; ClusterError
   */
  readonly listPendingRestores: (cluster: Cluster) => Promise<readonly PendingRestore[] | null>;
  /** Whether a files move has put its files in place, according to the records; null as for `listPendingRestores`. */
  readonly hasPlacedFiles: (cluster: Cluster, move: MoveName) => Promise<boolean | null>;
  /** Records that a files move puts its files in place, before it does, or that it has restored the previous ones. */
  readonly recordFiles: (cluster: Cluster, move: MoveName, type: 'files' | 'files-returned') => Promise<void>;
  /** Records that an object has all its fields from before this move again. */
  readonly recordRestored: (cluster: Cluster, restore: PendingRestore) => Promise<void>;
}

/** Creates the undo log in a file. */
export function createUndoLog(file: NdjsonFile): UndoLog {
  const formatTimestamp = () => new Date(systemClock.now()).toISOString();
  const readLines = async (cluster: Cluster) => {
    const allLines = file.read().flatMap((line) => parseUndoLogLine(line) ?? []);
    const id = allLines.length === 0 ? null : await getClusterId(cluster);
    return { id, lines: allLines.filter((line) => line.cluster === id) };
  };
  const append = (line: UndoLogLine) => file.append([{ at: formatTimestamp(), ...line }]);
  return {
    async recordObject(cluster, move, edit, current) {
      append({ type: 'before', cluster: await getClusterId(cluster), ...captureUndoRecord(move, edit, current) });
    },
    async listPendingRestores(cluster) {
      const { lines, id } = await readLines(cluster);
      return lines.length === 0 ? null : derivePendingRestores(lines, id);
    },
    async hasPlacedFiles(cluster, move) {
      const { lines, id } = await readLines(cluster);
      return lines.length === 0 ? null : hasReplacedFiles(lines, id, move);
    },
    async recordFiles(cluster, move, type) {
      append({ type, cluster: await getClusterId(cluster), move });
    },
    async recordRestored(cluster, { move, kind, namespace, name }) {
      append({ type: 'returned', cluster: await getClusterId(cluster), move, kind, namespace, name });
    },
  };
}

const clusterIds = new WeakMap<Cluster, Promise<string | null>>();

/**
 * Returns the ID of the cluster: a file next to a design may later be used with another cluster. Read once per
 * connection.
 */
function getClusterId(cluster: Cluster): Promise<string | null> {
  const clusterId = clusterIds.get(cluster) ?? readClusterId(cluster);
  clusterIds.set(cluster, clusterId);
  clusterId.catch(() => clusterIds.delete(cluster));
  return clusterId;
}
