import { getApiVersion, getObjectKind, type Kind } from '../openshift/kinds.ts';
import type { KubeObject } from '../openshift/object.ts';
import type { ClusterReader } from './cluster-reader.ts';
import { applyMergePatch, describeChange, type Edit, type MoveChange, shouldRemove } from './edit.ts';

/**
 * The cluster as it will be after earlier moves: current objects, with planned edits applied to a copy. Reads each
 * object and list of the cluster once.
 */
export interface PlannedCluster extends ClusterReader {
  /** Applies the edit to the copy. @returns what it changes; null: nothing */
  apply(edit: Edit): Promise<MoveChange | null>;
  /** Adds an object that a controller will create once the edits are applied. */
  addExpected(kind: Kind, object: KubeObject): void;
  /** Returns a copy for trial edits, which do not appear in this cluster. */
  branch(): PlannedCluster;
}

/** Creates an overlay on the current cluster. */
export function overlayPlan(cluster: ClusterReader): PlannedCluster {
  return createOverlay(cacheReads(cluster), new Map());
}

interface PlannedObject {
  readonly kind: Kind;
  readonly namespace: string | null;
  readonly name: string;
  /** Null: removed. */
  readonly object: KubeObject | null;
}

function createOverlay(cluster: ClusterReader, plannedObjects: Map<string, PlannedObject>): PlannedCluster {
  const get: ClusterReader['get'] = async (kind, name, namespace) => {
    const plannedObject = plannedObjects.get(formatKey(kind, name, namespace ?? null));
    return plannedObject === undefined ? await cluster.get(kind, name, namespace) : plannedObject.object;
  };
  return {
    get,
    async list(kind, options) {
      const listedObjects = [...plannedObjects.values()].filter(
        (plannedObject) =>
          plannedObject.kind === kind &&
          (options?.namespace === undefined || plannedObject.namespace === options.namespace),
      );
      const currentObjects = await cluster.list(kind, options);
      if (listedObjects.length === 0) return currentObjects;
      const isPlanned = ({ metadata: { name, namespace } }: KubeObject) =>
        listedObjects.some(
          (plannedObject) => plannedObject.name === name && plannedObject.namespace === (namespace ?? null),
        );
      return [
        ...currentObjects.filter((object) => !isPlanned(object)),
        ...listedObjects.flatMap(({ object }) => object ?? []),
      ];
    },
    async apply(edit) {
      const { kind, name, namespace } = edit;
      const current = await get(kind, name, namespace ?? undefined);
      const change = describeChange(edit, current);
      if (change !== null)
        plannedObjects.set(formatKey(kind, name, namespace), {
          kind,
          namespace,
          name,
          object: applyToObject(edit, current),
        });
      return change;
    },
    addExpected(kind, object) {
      const { name, namespace = null } = object.metadata;
      plannedObjects.set(formatKey(kind, name, namespace), { kind, namespace, name, object });
    },
    branch: () => createOverlay(cluster, new Map(plannedObjects)),
  };
}

/** Returns the object after the edit; null if the edit deletes it, or does not create it. */
function applyToObject(edit: Edit, current: KubeObject | null): KubeObject | null {
  const { kind, create, patch } = edit;
  if (current === null) {
    const newObject = create?.();
    return newObject ? { apiVersion: getApiVersion(kind), kind: getObjectKind(kind), ...newObject } : null;
  }
  return shouldRemove(edit, current) ? null : (applyMergePatch(current, patch?.(current) ?? {}) as KubeObject);
}

/** Caches reads: requests nothing twice, and no object that a list has already returned. */
export function cacheReads(cluster: ClusterReader): ClusterReader {
  const lists = new Map<string, Promise<readonly KubeObject[]>>();
  const objects = new Map<string, Promise<KubeObject | null>>();
  const readCached = <K, T>(cache: Map<K, Promise<T>>, key: K, read: () => Promise<T>): Promise<T> => {
    const promise = cache.get(key) ?? read();
    cache.set(key, promise);
    // Failed reads are not cached: the next call tries again.
    promise.catch(() => cache.delete(key));
    return promise;
  };
  return {
    async get(kind, name, namespace) {
      const list = lists.get(`${kind} ${namespace ?? ''}`);
      if (list !== undefined) return (await list).find(({ metadata }) => metadata.name === name) ?? null;
      return await readCached(objects, formatKey(kind, name, namespace ?? null), () =>
        cluster.get(kind, name, namespace),
      );
    },
    list: (kind, options) => {
      const { namespace = '', fieldSelector = '' } = options ?? {};
      return readCached(lists, `${kind} ${namespace}${fieldSelector}`, () => cluster.list(kind, options));
    },
  };
}

const formatKey = (kind: Kind, name: string, namespace: string | null) => `${kind} ${namespace ?? ''}/${name}`;
