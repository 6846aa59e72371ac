import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatChangedObject } from '../../i18n/user-error.ts';
import type { Cluster } from '../../kube/api.ts';
import { DIFF_SIGNS, diffLines } from '../../platform/diff.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { applyEdit, createClusterReader, type EditResult } from '../apply-edits.ts';
import { describeChange, type MoveChange, toYaml } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findOwningMachineSets } from '../moves/infra-set.ts';
import type { MoveName, MoveObjects } from '../moves.ts';
import {
  compareObject,
  createRestoreEdit,
  type ObjectComparison,
  planRestore,
  type RestorePlan,
} from './restore-plan.ts';
import type { PendingRestore, UndoLog } from './undo-log.ts';

/**
 * Plan of what undoing a move does. `recorded`: its objects get back their recorded settings. `defaults`: the previous
 * settings were not recorded, so the objects can only get the operator defaults. `foreign`: the settings were there
 * before upi-wizard wrote anything, and stay. `inherited`: the machines of these MachineSets inherit the settings,
 * which are removed with the machines. `files`: the load balancers get the files of the previous stage.
 */
export type UndoPlan = { readonly move: MoveName } & (
  | { readonly kind: 'recorded'; readonly objects: readonly ObjectComparison[] }
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
      .map(async (restore) =>
        planRestore(restore, await cluster.get(restore.kind, restore.name, restore.namespace ?? undefined)),
      ),
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
  const allPendingRestores = (await log?.listPendingRestores(cluster)) ?? null;
  const pendingRestores = allPendingRestores?.filter((restore) => restore.move === move.name) ?? [];
  if (pendingRestores.length > 0)
    return {
      move: move.name,
      kind: 'recorded',
      objects: (await planRestores(cluster, pendingRestores)).map(compareObject),
    };
  const reader = createClusterReader(cluster);
  const sets = await findOwningMachineSets(reader, move, design);
  if (sets !== null) return { move: move.name, kind: 'inherited', sets };
  if (allPendingRestores !== null && !toDefaults) return { move: move.name, kind: 'foreign', isFileMove: false };
  const edits = await move.planUndoEdits(reader, design);
  const changePromises = edits.map(async (edit) =>
    describeChange(edit, await cluster.get(edit.kind, edit.name, edit.namespace ?? undefined)),
  );
  const changes = (await Promise.all(changePromises)).flatMap((change) => change ?? []);
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
  const allPendingRestores = (await log?.listPendingRestores(cluster)) ?? null;
  const pendingRestores = allPendingRestores?.filter((restore) => restore.move === move.name) ?? [];
  const changedObjects: string[] = [];
  for (const restore of pendingRestores.toReversed()) {
    const object = await restoreObject(cluster, restore, { log, consent, report });
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
  const allPendingRestores = (await context.log?.listPendingRestores(cluster)) ?? [];
  const plans = await planRestores(
    cluster,
    allPendingRestores.filter((restore) => restore.move === move.name),
  );
  const drainPlans = plans.filter((plan) => {
    const isOverwriteAllowed =
      plan.state === 'changed' && context.consent.shouldOverwrite(move.name, compareObject(plan).object);
    return (
      plan.pendingRestore.uid === null &&
      plan.currentContent !== null &&
      (plan.state === 'restore' || isOverwriteAllowed)
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
  if (planBefore.state === 'restore' || planBefore.state === 'changed')
    report(await applyEdit(cluster, createRestoreEdit(pendingRestore, isOverwriteAllowed)));
  const planAfter = await readPlan(isOverwriteAllowed);
  if (planAfter.state === 'changed') return object;
  if (planAfter.state !== 'restore') await log?.recordRestored(cluster, pendingRestore);
  return null;
}

/** Whether undoing writes anything. */
export function hasChanges(plan: UndoPlan): boolean {
  return plan.kind === 'files' || listUndoneObjects(plan).changes.length > 0;
}

/** Lists the objects that undoing a move writes, also those that others changed since: the user decides about them. */
export function listUndoneObjects(plan: UndoPlan): MoveObjects {
  const listChanges = () => {
    switch (plan.kind) {
      case 'recorded':
        return plan.objects.filter(({ state }) => state === 'restore' || state === 'changed');
      case 'defaults':
      case 'files':
        return plan.changes;
      case 'foreign':
      case 'inherited':
        return [];
    }
  };
  return { name: plan.move, changes: listChanges() };
}

const words = () => catalogue().clusterCommands.infra;

/** Maximum width of a line with all parts of a field, in columns, on a terminal of 80 columns. */
const LINE_WIDTH = 78;
/** Maximum length of any line, in characters. */
const MAX_LINE_LENGTH = 2000;

/**
 * Renders what undoing a move would do, as lines for the user to confirm: each object with its fields or as a diff, or
 * why nothing is undone. Below them, what undo cannot restore.
 * @param consent the consent so far; objects that others changed are shown accordingly
 */
export function renderUndoPlan(plan: UndoPlan, consent: UndoConsent = RECORDED_ONLY_CONSENT): string[] {
  switch (plan.kind) {
    case 'recorded':
      return [
        ...plan.objects.flatMap((comparison) =>
          renderObject(comparison, consent.shouldOverwrite(plan.move, comparison.object)),
        ),
        ...listUndoLimits(plan),
      ];
    case 'defaults':
      return [words().undo.notRecorded, ...plan.changes.flatMap(renderChange), ...listUndoLimits(plan)];
    case 'files':
      return plan.changes.flatMap(renderChange);
    case 'foreign':
      return [catalogue().steps.infra.foreign(plan.move)];
    case 'inherited':
      return [catalogue().steps.infra.inherited(plan.move, plan.sets)];
  }
}

/** A change with what undo does to its object; the screen shows it like a change of apply. */
interface UndoChange {
  readonly change: MoveChange & { readonly what: string };
}

/**
 * Lists what undoing a move would do, as `renderUndoPlan` does, with the changes that undo writes as texts to compare.
 * @param consent the consent so far
 */
export function listUndoLines(plan: UndoPlan, consent: UndoConsent): (string | UndoChange)[] {
  const toUndoChange = (change: MoveChange): UndoChange => ({ change: { ...change, what: '' } });
  switch (plan.kind) {
    case 'recorded':
      return [
        ...plan.objects.flatMap((comparison): (string | UndoChange)[] => {
          const { object, state, willBeDeleted, fields } = comparison;
          if (willBeDeleted || state !== 'restore')
            return renderObject(comparison, consent.shouldOverwrite(plan.move, object));
          const before = fields.map(({ path, current }) => formatFieldText(path, current)).join('');
          const after = fields.map((field) => formatFieldText(field.path, field.before)).join('');
          return [{ change: { object: sanitizeLine(object), what: words().undo.states.restore, before, after } }];
        }),
        ...listUndoLimits(plan),
      ];
    case 'defaults':
      return [words().undo.notRecorded, ...plan.changes.map(toUndoChange), ...listUndoLimits(plan)];
    case 'files':
      return plan.changes.map(toUndoChange);
    default:
      return renderUndoPlan(plan, consent);
  }
}

/** Formats a field as lines of YAML below its path; empty if it is not set. */
function formatFieldText(path: string, json: string | null): string {
  if (json === null) return '';
  const text = toYaml(JSON.parse(json)).trimEnd();
  const isBlock = /^[[{](?!\]|\})/.test(json);
  return isBlock ? `${path}:\n${text.replace(/^/gm, '  ')}\n` : `${path}: ${text}\n`;
}

/** Lists what undoing the move cannot restore; empty if undo writes nothing. */
function listUndoLimits(plan: UndoPlan): string[] {
  const { undoLimits } = catalogue().moves.byName[plan.move];
  return undoLimits !== null && hasChanges(plan) ? [undoLimits] : [];
}

/** Renders an object: the effect of undo on it and, if undo writes to it, its fields. */
function renderObject({ object, state, willBeDeleted, fields }: ObjectComparison, shouldOverwrite: boolean): string[] {
  const { states, deleted } = words().undo;
  // The move created the whole object: its individual fields add no information.
  if (willBeDeleted) return [sanitizeLine(`${object}: ${deleted}`, MAX_LINE_LENGTH)];
  const effect = states[state === 'changed' && shouldOverwrite ? 'overwritten' : state];
  const isWritten = state === 'restore' || state === 'changed';
  const lines = [`${object}: ${effect}`, ...(isWritten ? fields.flatMap(renderField) : [])];
  return lines.map((line) => sanitizeLine(line, MAX_LINE_LENGTH));
}

/**
 * Renders a field on one line. If a path or value is long: the field that undo changes as a difference in YAML, and
 * each value of another one on a line of its own.
 */
function renderField({ path, state, before, current, written }: ObjectComparison['fields'][number]): string[] {
  const { field: formatParts, unset } = words().undo;
  const parts = formatParts[state](path, before ?? unset, current ?? unset, written ?? unset);
  const line = `  ${parts.join(' ')}`;
  if (line.length <= LINE_WIDTH) return [line];
  const [head = '', ...values] = parts;
  if (state !== 'ours') return [`  ${head}`, ...values.map((value) => `      ${value}`)];
  const diff = diffLines(toYamlText(current), toYamlText(before));
  return [`  ${head}`, ...diff.map(({ kind, text }) => `      ${DIFF_SIGNS[kind]}${text}`)];
}

const toYamlText = (json: string | null) => (json === null ? null : toYaml(JSON.parse(json)).trimEnd());

/** Renders a change as a diff below the name of its object. */
function renderChange(change: MoveChange): string[] {
  const { before, after } = change;
  const formatHeading = before === null ? words().added : after === null ? words().removed : words().changed;
  const diff = diffLines(before, after).map(({ kind, text }) => `${DIFF_SIGNS[kind]}${text}`);
  return [formatHeading(formatChangedObject(change)), ...diff].map((line) => sanitizeLine(line, MAX_LINE_LENGTH));
}
