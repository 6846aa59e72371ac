import { randomBytes, randomUUID } from 'node:crypto';
import { findKind, kindsByKey } from './kinds.ts';
import {
  deepCopy,
  formatTimestamp,
  isDeepEqual,
  isRecord,
  type KubeObject,
  type NewObject,
  type ObjectMeta,
  serializeObject,
} from './objects.ts';
import { formatApiVersion } from './schema.ts';
import { alreadyExistsError, conflictError, notFoundError } from './status.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The resource key: `nodes`, `clusteroperators.config.openshift.io`. */
  readonly resource: string;
  readonly object: KubeObject;
}

interface WriteOptions {
  /** A dry run: checks and defaults, but writes nothing. */
  readonly isDryRun?: boolean;
}

/**
 * The objects of the cluster. Returned objects are frozen and never change. To change an object use `mutate`, or
 * `update` with a copy (`deepCopy`). Every change gets the next resource version of the whole store, as in etcd.
 * A `resource` is a key of `kindsByKey`; an unknown one is a mistake of the caller and throws a plain Error.
 */
export interface Store {
  /** Lists objects, sorted by namespace and name; without `namespace`, those of all namespaces. */
  list(resource: string, namespace?: string): KubeObject[];
  get(resource: string, namespace: string | null, name: string): KubeObject | undefined;
  /**
   * Fills in apiVersion, kind, uid, resourceVersion, creationTimestamp, and a name after generateName.
   * @throws StatusError AlreadyExists
   */
  create(resource: string, object: NewObject, options?: WriteOptions): KubeObject;
  /**
   * Replaces an object. An empty resourceVersion overwrites any version. Without a difference nothing is written.
   * @throws StatusError NotFound, or Conflict if the object changed since its resourceVersion
   */
  update(resource: string, object: KubeObject, options?: WriteOptions): KubeObject;
  /**
   * For controllers: changes the newest version in place; undefined if there is no such object. Without a difference
   * nothing is written.
   */
  mutate(
    resource: string,
    namespace: string | null,
    name: string,
    change: (object: KubeObject) => void,
  ): KubeObject | undefined;
  /** Returns whether the object existed. */
  delete(resource: string, namespace: string | null, name: string): boolean;
  /**
   * Calls `listener` after every change, in order, even if a listener changes the store. Returns a function that
   * unsubscribes the listener.
   */
  subscribe(listener: (event: StoreEvent) => void): () => void;
  /** The resource version of the last change. */
  getCurrentVersion(): number;
  /** Increases with every change, also with `load`: while it stays the same, so does the content. */
  getChangeCount(): number;
  /** The whole content, as JSON. */
  dump(): unknown;
  /** The whole content, as JSON text. Each object is serialised only once. */
  dumpText(): string;
  /**
   * Replaces the whole content with a dump, without notifying subscribers.
   * @throws Error if `dump` is not a dump of a store
   */
  load(dump: unknown): void;
}

/** @param options `now`: milliseconds since the epoch, for creation times */
export function createStore({ now }: { readonly now: () => number }): Store {
  const tables = new Map<string, Map<string, KubeObject>>();
  /** Caches the sorted objects of each table until the table changes, because controllers list them all the time. */
  const sortedTables = new Map<string, readonly KubeObject[]>();
  const listeners = new Set<(event: StoreEvent) => void>();
  const pendingEvents: StoreEvent[] = [];
  let isDelivering = false;
  let version = 0;
  let changeCount = 0;

  function getTable(resource: string): Map<string, KubeObject> {
    const existingTable = tables.get(resource);
    if (existingTable) return existingTable;
    findKind(resource);
    const table = new Map<string, KubeObject>();
    tables.set(resource, table);
    return table;
  }

  function listSorted(resource: string): readonly KubeObject[] {
    const cachedObjects = sortedTables.get(resource);
    if (cachedObjects) return cachedObjects;
    const sortedObjects = [...getTable(resource)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    sortedTables.set(resource, sortedObjects);
    return sortedObjects;
  }

  function publish(event: StoreEvent): void {
    pendingEvents.push(event);
    if (isDelivering) return;
    isDelivering = true;
    try {
      for (let next = pendingEvents.shift(); next; next = pendingEvents.shift()) {
        for (const listener of [...listeners]) listener(next);
      }
    } finally {
      isDelivering = false;
    }
  }

  function commit(type: 'ADDED' | 'MODIFIED', resource: string, object: KubeObject, isDryRun = false): KubeObject {
    if (isDryRun) return deepFreeze(object);
    version += 1;
    changeCount += 1;
    object.metadata.resourceVersion = String(version);
    deepFreeze(object);
    getTable(resource).set(formatObjectKey(object.metadata.namespace, object.metadata.name), object);
    sortedTables.delete(resource);
    publish({ type, resource, object });
    return object;
  }

  function replace(resource: string, previousObject: KubeObject, newObject: KubeObject, isDryRun = false): KubeObject {
    const { hasGeneration } = findKind(resource);
    const { uid, creationTimestamp, generation, resourceVersion } = previousObject.metadata;
    Object.assign(newObject.metadata, { uid, creationTimestamp, resourceVersion });
    if (generation === undefined) delete newObject.metadata.generation;
    else newObject.metadata.generation = generation;
    if (isDeepEqual(previousObject, newObject)) return previousObject;
    if (hasGeneration && !isDeepEqual(previousObject.spec, newObject.spec))
      newObject.metadata.generation = (generation ?? 1) + 1;
    return commit('MODIFIED', resource, newObject, isDryRun);
  }

  return {
    list(resource, namespace) {
      const objects = listSorted(resource);
      return namespace === undefined
        ? [...objects]
        : objects.filter(({ metadata }) => metadata.namespace === namespace);
    },
    get: (resource, namespace, name) => getTable(resource).get(formatObjectKey(namespace ?? undefined, name)),
    create(resource, newObject, { isDryRun } = {}) {
      const kind = findKind(resource);
      const object = deepCopy(newObject);
      const name = object.metadata.name ?? `${object.metadata.generateName ?? ''}${generateSuffix()}`;
      const table = getTable(resource);
      if (table.has(formatObjectKey(object.metadata.namespace, name))) throw alreadyExistsError(kind, name);
      const metadata: ObjectMeta = {
        ...object.metadata,
        name,
        uid: randomUUID(),
        resourceVersion: '',
        creationTimestamp: formatTimestamp(now()),
        ...(kind.hasGeneration ? { generation: 1 } : {}),
      };
      const { apiVersion: _apiVersion, kind: _kind, ...content } = object;
      const completeObject = { apiVersion: formatApiVersion(kind), kind: kind.kind, ...content, metadata };
      return commit('ADDED', resource, completeObject, isDryRun);
    },
    update(resource, replacement, { isDryRun } = {}) {
      const object = deepCopy(replacement);
      const { name, namespace, resourceVersion, uid } = object.metadata;
      const previousObject = getTable(resource).get(formatObjectKey(namespace, name));
      const kind = findKind(resource);
      if (!previousObject) throw notFoundError(kind, name);
      if (resourceVersion && resourceVersion !== previousObject.metadata.resourceVersion)
        throw conflictError(kind, name);
      if (uid && uid !== previousObject.metadata.uid) {
        const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${previousObject.metadata.uid}`;
        throw conflictError(kind, name, detail);
      }
      return replace(resource, previousObject, object, isDryRun);
    },
    mutate(resource, namespace, name, change) {
      const previousObject = getTable(resource).get(formatObjectKey(namespace ?? undefined, name));
      if (!previousObject) return undefined;
      const newObject = deepCopy(previousObject);
      change(newObject);
      return replace(resource, previousObject, newObject);
    },
    delete(resource, namespace, name) {
      const table = getTable(resource);
      const key = formatObjectKey(namespace ?? undefined, name);
      const deletedObject = table.get(key);
      if (!deletedObject) return false;
      table.delete(key);
      sortedTables.delete(resource);
      version += 1;
      changeCount += 1;
      const object = deepFreeze({
        ...deletedObject,
        metadata: { ...deletedObject.metadata, resourceVersion: String(version) },
      });
      publish({ type: 'DELETED', resource, object });
      return true;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getCurrentVersion: () => version,
    getChangeCount: () => changeCount,
    dump: () => ({
      version,
      objects: Object.fromEntries([...tables].map(([resource, table]) => [resource, [...table.values()]])),
    }),
    dumpText() {
      const objects = [...tables].map(
        ([resource, table]) => `${JSON.stringify(resource)}:[${[...table.values()].map(serializeObject).join()}]`,
      );
      return `{"version":${version},"objects":{${objects.join()}}}`;
    },
    load(dump) {
      const parsedDump = parseDump(dump);
      tables.clear();
      sortedTables.clear();
      for (const [resource, table] of parsedDump.tables) tables.set(resource, table);
      version = parsedDump.version;
      changeCount += 1;
    },
  };
}

function parseDump(dump: unknown): { version: number; tables: Map<string, Map<string, KubeObject>> } {
  if (!isRecord(dump) || typeof dump.version !== 'number' || !isRecord(dump.objects))
    throw new Error('not a dump of a store');
  const tables = new Map<string, Map<string, KubeObject>>();
  for (const [resource, objects] of Object.entries(dump.objects)) {
    if (!kindsByKey.has(resource) || !Array.isArray(objects)) throw new Error(`not a dump of ${resource}`);
    const copies: KubeObject[] = deepCopy(objects);
    const entries = copies.map(
      (copy) => [formatObjectKey(copy.metadata.namespace, copy.metadata.name), deepFreeze(copy)] as const,
    );
    tables.set(resource, new Map(entries));
  }
  return { version: dump.version, tables };
}

/** Formats the key of an object. Names have no slash, so keys are unambiguous and sort as in etcd. */
function formatObjectKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** Generates five random characters that cannot form words, as in k8s.io/apimachinery/pkg/util/rand. */
function generateSuffix(): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  return [...randomBytes(5)].map((byte) => letters[byte % letters.length]).join('');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}

/** A change for watches, with the previous object, so that a selector can detect objects that no longer match. */
export interface StoreChange extends StoreEvent {
  readonly version: number;
  readonly previousObject: KubeObject | undefined;
}

/** The most recent changes of the store, for watches that start where a list ended. */
export interface ChangeHistory {
  /** The changes after `version`, or null if some of them are no longer stored. */
  listSince(version: number): StoreChange[] | null;
  /** Calls `listener` after every change. Returns a function that unsubscribes the listener. */
  subscribe(listener: (change: StoreChange) => void): () => void;
}

/** @param limit number of changes to retain, across all kinds */
export function createChangeHistory(store: Store, limit = 1000): ChangeHistory {
  const listeners = new Set<(change: StoreChange) => void>();
  const newestObjects = new Map<string, KubeObject>();
  let changes: StoreChange[] = [];
  let oldestVersion = store.getCurrentVersion();
  let lastVersion = oldestVersion;

  /** Resets after a gap: a store loaded from a file skips versions, and earlier changes are unknown. */
  function resetAfterVersionGap(version: number): void {
    if (version === lastVersion) return;
    changes = [];
    newestObjects.clear();
    oldestVersion = version;
    lastVersion = version;
  }

  store.subscribe((event) => {
    const version = Number(event.object.metadata.resourceVersion);
    resetAfterVersionGap(version - 1);
    const { uid } = event.object.metadata;
    const change = { ...event, version, previousObject: newestObjects.get(uid) };
    if (event.type === 'DELETED') newestObjects.delete(uid);
    else newestObjects.set(uid, event.object);
    lastVersion = version;
    changes.push(change);
    if (changes.length > limit * 2) {
      changes = changes.slice(-limit);
      oldestVersion = (changes[0]?.version ?? version) - 1;
    }
    for (const listener of [...listeners]) listener(change);
  });

  return {
    listSince(version) {
      if (listeners.size === 0 && store.getCurrentVersion() > lastVersion)
        resetAfterVersionGap(store.getCurrentVersion());
      return version < oldestVersion ? null : changes.filter((change) => change.version > version);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
