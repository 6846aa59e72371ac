import { randomUUID } from 'node:crypto';
import type { Design } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatChangedObject, type UserError, UserErrorException } from '../i18n/user-error.ts';
import type { Cluster } from '../kube/api.ts';
import { readClusterId } from '../kube/cluster-version.ts';
import { KIND_NAMES } from '../openshift/kinds.ts';
import { computeSha256 } from '../platform/text.ts';
import * as z from '../platform/zod.ts';
import type { InfraContext } from './context.ts';
import type { EditTarget, MoveChange } from './edit.ts';
import type { ObservedMove } from './moves.ts';
import { MOVE_NAMES, selectStartableMoves } from './moves.ts';
import { probeMoves } from './probe.ts';

const words = () => catalogue().steps.savedPlan;

const textSchema = z.string();
const changeSchema = z.strictObject({
  object: textSchema,
  before: textSchema.nullable(),
  after: textSchema.nullable(),
  /** The object as it was when the plan was made; null for a file, and for an object that was not there. */
  about: z.strictObject({ uid: textSchema, resourceVersion: textSchema }).nullable(),
  /** The kind, namespace and name of the object; omitted for a file. */
  edited: z.strictObject({ kind: z.enum(KIND_NAMES), namespace: textSchema.nullable(), name: textSchema }).optional(),
  /** SHA-256 of `before`, which the change starts from. */
  hash: textSchema,
});
const planSchema = z.strictObject({
  kind: z.literal('upi-wizard infra plan'),
  version: z.literal(1),
  id: textSchema,
  /** Milliseconds since the epoch. */
  madeAt: z.number(),
  /** `spec.clusterID` of the ClusterVersion, or its uid; null where the cluster has none. */
  cluster: textSchema.nullable(),
  /** SHA-256 of the design. */
  design: textSchema,
  moves: z.array(z.strictObject({ name: z.enum(MOVE_NAMES), changes: z.array(changeSchema) })),
});

/** A plan of infra moves in a file: the shown changes, and the objects that they are about. */
export type SavedPlan = z.infer<typeof planSchema>;

/** Parses a saved plan; null if the text is no valid plan. */
export function parsePlan(content: string): SavedPlan | null {
  try {
    const parseResult = planSchema.safeParse(JSON.parse(content));
    if (!parseResult.success) return null;
    const changes = parseResult.data.moves.flatMap((move) => move.changes);
    return changes.every(({ before, hash }) => hash === computeSha256(before ?? '')) ? parseResult.data : null;
  } catch {
    return null;
  }
}

/** Creates a plan, to be saved, of the moves that one confirmation would start now. */
export async function createSavedPlan(infra: InfraContext, moves: readonly ObservedMove[]): Promise<SavedPlan> {
  const cluster = await infra.connect();
  const readVersion = async (editTarget: EditTarget | undefined) => {
    const object =
      editTarget && (await cluster.get(editTarget.kind, editTarget.name, editTarget.namespace ?? undefined));
    const { uid, resourceVersion } = object?.metadata ?? {};
    return uid === undefined || resourceVersion === undefined ? null : { uid, resourceVersion };
  };
  const toSavedChange = async ({ object, before, after, editTarget }: MoveChange) => ({
    object,
    before,
    after,
    about: await readVersion(editTarget),
    ...(editTarget ? { edited: editTarget } : {}),
    hash: computeSha256(before ?? ''),
  });
  const { startableMoves } = selectStartableMoves(moves);
  return {
    kind: 'upi-wizard infra plan',
    version: 1,
    id: randomUUID(),
    madeAt: infra.clock.now(),
    cluster: await readClusterId(cluster),
    design: hashDesign(infra.design),
    moves: await Promise.all(
      startableMoves.map(async ({ name, changes }) => ({
        name,
        changes: await Promise.all(changes.map(toSavedChange)),
      })),
    ),
  };
}

/**
 * Lists why the plan no longer fits the cluster and the design, one sentence each, with the author and time of the
 * change. Empty if each move would do exactly what the plan says.
 */
export async function findPlanDrift(infra: InfraContext, plan: SavedPlan): Promise<string[]> {
  const cluster = await infra.connect();
  if (plan.cluster !== (await readClusterId(cluster))) return [words().otherCluster];
  if (plan.design !== hashDesign(infra.design)) return [words().otherDesign];
  const moves = await probeMoves(
    infra,
    plan.moves.map(({ name }) => name),
  );
  const currentChanges = moves.flatMap(({ changes }) => changes);
  const stoppedMoves = moves.filter(({ state }) => state === 'blocked' || state === 'failed');
  const plannedChanges = plan.moves.flatMap(({ changes }) => changes);
  const includesChange = (
    list: readonly Pick<MoveChange, 'object' | 'before' | 'after'>[],
    change: (typeof list)[number],
  ) =>
    list.some(
      ({ object, before, after }) => object === change.object && before === change.before && after === change.after,
    );
  const readUid = async ({ kind, name, namespace }: EditTarget) =>
    (await cluster.get(kind, name, namespace ?? undefined))?.metadata.uid;
  const recreatedObjects = await Promise.all(
    plannedChanges.map(async ({ object, about, edited }) =>
      about !== null && edited !== undefined && (await readUid(edited)) !== about.uid ? [object] : [],
    ),
  );
  const objects = [
    ...recreatedObjects.flat(),
    ...plannedChanges.filter((change) => !includesChange(currentChanges, change)).map(({ object }) => object),
    ...currentChanges.filter((change) => !includesChange(plannedChanges, change)).map(({ object }) => object),
  ];
  const changeSentences = [...new Set(objects)].map(async (object) => {
    const editTarget =
      currentChanges.find((change) => change.object === object)?.editTarget ??
      plannedChanges.find((change) => change.object === object)?.edited ??
      null;
    const oldVersion = plannedChanges.find((change) => change.object === object)?.about ?? null;
    const name = formatChangedObject({ object, isFile: editTarget === null });
    return words().changed(name, await describeAuthors(cluster, editTarget, oldVersion, plan.madeAt));
  });
  return [...stoppedMoves.map(({ name, why }) => words().blocked(name, why)), ...(await Promise.all(changeSentences))];
}

/** Describes who changed an object since the plan was made, by the field managers that the API records. */
async function describeAuthors(
  cluster: Cluster,
  editTarget: EditTarget | null,
  oldVersion: { readonly uid: string; readonly resourceVersion: string } | null,
  since: number,
): Promise<string> {
  if (editTarget === null) return '';
  const object = await cluster.getWithManagers(editTarget.kind, editTarget.name, editTarget.namespace ?? undefined);
  if (object === null) return oldVersion === null ? '' : words().deleted;
  if (oldVersion !== null && object.metadata.uid !== oldVersion.uid) return words().recreated;
  // The API keeps whole seconds, so a change within the second of the plan counts as later.
  const laterManagers = (object.metadata.managers ?? []).filter(
    ({ lastWriteAt }) => lastWriteAt !== null && lastWriteAt + 1000 > since,
  );
  return laterManagers
    .map(({ name, lastWriteAt }) => words().writtenBy(name, new Date(lastWriteAt ?? 0).toISOString()))
    .join(', ');
}

const hashDesign = (design: Design) => computeSha256(JSON.stringify(design));

/** A change as it was shown to the user. */
type ShownChange = Pick<MoveChange, 'object' | 'before' | 'after'>;

/** The changes that were confirmed, by the user or by an option that confirms all. */
export interface ConfirmedChanges {
  /** Returns the changes that were not shown, or that differ from the shown ones. */
  findUnconfirmed(changes: readonly MoveChange[]): readonly MoveChange[];
  /** Adds changes that were shown later. */
  add(changes: readonly ShownChange[]): void;
  /** Runs before each write. @throws UserErrorException `plan-differs` for a change that was not shown */
  readonly check: (change: MoveChange) => void;
}

/** Confirms these changes and no others; null confirms any change. */
export function createConfirmedChanges(shownChanges: readonly ShownChange[] | null): ConfirmedChanges {
  const confirmedKeys = new Set((shownChanges ?? []).map(toChangeKey));
  const findUnconfirmed = (changes: readonly MoveChange[]) =>
    shownChanges === null ? [] : changes.filter((change) => !confirmedKeys.has(toChangeKey(change)));
  return {
    findUnconfirmed,
    add(changes) {
      for (const change of changes) confirmedKeys.add(toChangeKey(change));
    },
    check(change) {
      const unconfirmedChanges = findUnconfirmed([change]);
      if (unconfirmedChanges.length > 0) throw new UserErrorException(createPlanDiffersError(unconfirmedChanges));
    },
  };
}

function toChangeKey({ object, before, after }: ShownChange): string {
  return JSON.stringify([object, before, after]);
}

/** Creates the error for a move that stops before it writes, because its changes differ from the shown ones. */
export function createPlanDiffersError(unconfirmedChanges: readonly MoveChange[]): UserError {
  const { cause, ...rest } = catalogue().moves.userErrors.differs;
  const objects = [...new Set(unconfirmedChanges.map(({ object }) => object))];
  return { code: 'plan-differs', cause: cause(objects), ...rest };
}
