import { randomUUID } from 'node:crypto';
import { sha256 } from '../../artifacts/shared/draft.ts';
import type { Cluster } from '../../cluster/api.ts';
import type { Design } from '../../design/model.ts';
import type { Edited, MoveChange } from '../../moves/edit.ts';
import { MOVE_NAMES } from '../../moves/table.ts';
import { KIND_NAMES } from '../../objects/kinds.ts';
import { textAt } from '../../objects/object.ts';
import * as z from '../../ports/zod.ts';
import { catalogue } from '../../text/catalogue.ts';
import { changedThing } from '../../text/host-file.ts';
import type { SeenMove } from '../recollection.ts';
import { lookAtMoves } from './look.ts';
import type { MoveSite } from './site.ts';
import { startedWith } from './standing.ts';

const words = () => catalogue().steps.savedPlan;

const text = z.string();
const change = z.strictObject({
  object: text,
  before: text.nullable(),
  after: text.nullable(),
  /** The object as it was when the plan was made; null for a file, and for an object that was not there. */
  about: z.strictObject({ uid: text, resourceVersion: text }).nullable(),
  /** Where the object is; left out for a file. */
  edited: z.strictObject({ kind: z.enum(KIND_NAMES), namespace: text.nullable(), name: text }).optional(),
  /** SHA-256 of what the change starts from. */
  hash: text,
});
const schema = z.strictObject({
  kind: z.literal('upi-wizard infra plan'),
  version: z.literal(1),
  id: text,
  /** Milliseconds since the epoch. */
  madeAt: z.number(),
  /** `spec.clusterID` of the ClusterVersion, or its uid; null where the cluster has none. */
  cluster: text.nullable(),
  /** SHA-256 of the design. */
  design: text,
  moves: z.array(z.strictObject({ name: z.enum(MOVE_NAMES), changes: z.array(change) })),
});

/** A plan of infra moves in a file: what was shown, and what it was about. */
export type SavedPlan = z.infer<typeof schema>;

/** The plan that this text holds; null where it holds none that we know. */
export function parsePlan(content: string): SavedPlan | null {
  try {
    const parsed = schema.safeParse(JSON.parse(content));
    if (!parsed.success) return null;
    const changes = parsed.data.moves.flatMap((move) => move.changes);
    return changes.every(({ before, hash }) => hash === sha256(before ?? '')) ? parsed.data : null;
  } catch {
    return null;
  }
}

/** The plan of what one yes would start now, to be saved. */
export async function planToSave(site: MoveSite, moves: readonly SeenMove[]): Promise<SavedPlan> {
  const cluster = await site.connect();
  const aboutOf = async (edited: Edited | undefined) => {
    const found = edited && (await cluster.get(edited.kind, edited.name, edited.namespace ?? undefined));
    const { uid, resourceVersion } = found?.metadata ?? {};
    return uid === undefined || resourceVersion === undefined ? null : { uid, resourceVersion };
  };
  const changeOf = async ({ object, before, after, edited }: MoveChange) => ({
    object,
    before,
    after,
    about: await aboutOf(edited),
    ...(edited ? { edited } : {}),
    hash: sha256(before ?? ''),
  });
  const { started } = startedWith(moves);
  return {
    kind: 'upi-wizard infra plan',
    version: 1,
    id: randomUUID(),
    madeAt: site.clock.now(),
    cluster: await clusterId(cluster),
    design: designHash(site.design),
    moves: await Promise.all(
      started.map(async ({ name, changes }) => ({ name, changes: await Promise.all(changes.map(changeOf)) })),
    ),
  };
}

/**
 * Why the plan does not fit the cluster and the design any more, a sentence each, with who changed what since; empty when each
 * move would do exactly what the plan says.
 */
export async function movedOn(site: MoveSite, plan: SavedPlan): Promise<string[]> {
  const cluster = await site.connect();
  if (plan.cluster !== (await clusterId(cluster))) return [words().otherCluster];
  if (plan.design !== designHash(site.design)) return [words().otherDesign];
  const moves = await lookAtMoves(
    site,
    plan.moves.map(({ name }) => name),
  );
  const now = moves.flatMap(({ changes }) => changes);
  const stopped = moves.filter(({ state }) => state === 'blocked' || state === 'failed');
  const planned = plan.moves.flatMap(({ changes }) => changes);
  const isIn = (list: readonly Pick<MoveChange, 'object' | 'before' | 'after'>[], one: (typeof list)[number]) =>
    list.some(({ object, before, after }) => object === one.object && before === one.before && after === one.after);
  const uidOf = async ({ kind, name, namespace }: Edited) =>
    (await cluster.get(kind, name, namespace ?? undefined))?.metadata.uid;
  const anew = await Promise.all(
    planned.map(async ({ object, about, edited }) =>
      about !== null && edited !== undefined && (await uidOf(edited)) !== about.uid ? [object] : [],
    ),
  );
  const objects = [
    ...anew.flat(),
    ...planned.filter((one) => !isIn(now, one)).map(({ object }) => object),
    ...now.filter((one) => !isIn(planned, one)).map(({ object }) => object),
  ];
  const changed = [...new Set(objects)].map(async (object) => {
    const edited =
      now.find((one) => one.object === object)?.edited ?? planned.find((one) => one.object === object)?.edited ?? null;
    const before = planned.find((one) => one.object === object)?.about ?? null;
    const name = changedThing({ object, isFile: edited === null });
    return words().changed(name, await whoChanged(cluster, edited, before, plan.madeAt));
  });
  return [...stopped.map(({ name, why }) => words().stopped(name, why)), ...(await Promise.all(changed))];
}

/** Who changed an object since then: what the API keeps of it, in words. */
async function whoChanged(
  cluster: Cluster,
  edited: Edited | null,
  before: { readonly uid: string; readonly resourceVersion: string } | null,
  since: number,
): Promise<string> {
  if (edited === null) return '';
  const found = await cluster.getWithManagers(edited.kind, edited.name, edited.namespace ?? undefined);
  if (found === null) return before === null ? '' : words().gone;
  if (before !== null && found.metadata.uid !== before.uid) return words().anew;
  // The API keeps whole seconds.
  const later = (found.metadata.managers ?? []).filter(({ at }) => at !== null && at + 1000 > since);
  return later.map(({ name, at }) => words().by(name, new Date(at ?? 0).toISOString())).join(', ');
}

async function clusterId(cluster: Cluster): Promise<string | null> {
  const version = await cluster.get('ClusterVersion', 'version');
  return textAt(version?.spec, 'clusterID') ?? version?.metadata.uid ?? null;
}

const designHash = (design: Design) => sha256(JSON.stringify(design));
