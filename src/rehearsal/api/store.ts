import { randomBytes, randomUUID } from 'node:crypto';
import { getKind, kindsByKey } from './kinds.ts';
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
  /** The object before the change, so that a selector can detect objects that no longer match. */
  readonly previousObject?: KubeObject;
}

interface WriteOptions {
  /** Whether to check and complete the object without writing it. */
  readonly isDryRun?: boolean;
}

type Namespace = string | null | undefined;

export type Store = ReturnType<typeof createStore>;

/**
 * Creates a store for the objects of the cluster. Returned objects are frozen and never change. To change an object use
 * `mutate`, or `update` with a copy (`deepCopy`). Every change gets the next resource version of the whole store, as in
 * etcd. A `resource` is a key of `kindsByKey`; an unknown one is a mistake of the caller and throws a plain Error.
 * @param now returns the time in milliseconds since the epoch, for creation times
 */
export function createStore({ now }: { readonly now: () => number }) {
  const tableByResource = new Map<string, Map<string, KubeObject>>();
  /** Caches the sorted objects of each table until the table changes, because controllers list them all the time. */
  const sortedObjectsByResource = new Map<string, readonly KubeObject[]>();
  const listeners = new Set<(event: StoreEvent) => void>();
  const pendingEvents: StoreEvent[] = [];
  let isDelivering = false;
  let version = 0;
  let loadedVersion = 0;
  let changeCount = 0;

  function getTable(resource: string): Map<string, KubeObject> {
    const existingTable = tableByResource.get(resource);
    if (existingTable) return existingTable;
    getKind(resource);
    const table = new Map<string, KubeObject>();
    tableByResource.set(resource, table);
    return table;
  }

  function listSorted(resource: string): readonly KubeObject[] {
    const cachedObjects = sortedObjectsByResource.get(resource);
    if (cachedObjects) return cachedObjects;
    const sortedObjects = [...getTable(resource)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    sortedObjectsByResource.set(resource, sortedObjects);
    return sortedObjects;
  }

  /** Counts a change that is in the table already, and notifies the listeners. */
  function publish(event: StoreEvent): void {
    changeCount += 1;
    sortedObjectsByResource.delete(event.resource);
    pendingEvents.push(event);
    if (isDelivering) return;
    isDelivering = true;
    try {
      for (let nextEvent = pendingEvents.shift(); nextEvent; nextEvent = pendingEvents.shift()) {
        for (const listener of [...listeners]) listener(nextEvent);
      }
    } finally {
      isDelivering = false;
    }
  }

  function commitObject(
    resource: string,
    object: KubeObject,
    previousObject?: KubeObject,
    isDryRun = false,
  ): KubeObject {
    if (isDryRun) return deepFreeze(object);
    version += 1;
    object.metadata.resourceVersion = String(version);
    deepFreeze(object);
    getTable(resource).set(formatObjectKey(object.metadata.namespace, object.metadata.name), object);
    if (previousObject === undefined) publish({ type: 'ADDED', resource, object });
    else publish({ type: 'MODIFIED', resource, object, previousObject });
    return object;
  }

  function replaceObject(
    resource: string,
    previousObject: KubeObject,
    newObject: KubeObject,
    isDryRun = false,
  ): KubeObject {
    const { hasGeneration } = getKind(resource);
    const { uid, creationTimestamp, generation, resourceVersion } = previousObject.metadata;
    Object.assign(newObject.metadata, { uid, creationTimestamp, resourceVersion });
    if (generation === undefined) delete newObject.metadata.generation;
    else newObject.metadata.generation = generation;
    if (isDeepEqual(previousObject, newObject)) return previousObject;
    if (hasGeneration && !isDeepEqual(previousObject.spec, newObject.spec))
      newObject.metadata.generation = (generation ?? 1) + 1;
    return commitObject(resource, newObject, previousObject, isDryRun);
  }

  function get(resource: string, namespace: Namespace, name: string): KubeObject | undefined {
    return getTable(resource).get(formatObjectKey(namespace, name));
  }

  /**
   * Creates an object. Fills in apiVersion, kind, uid, resourceVersion, creationTimestamp, and a name by generateName.
   * @throws StatusError AlreadyExists
   */
  function create(resource: string, newObject: NewObject, { isDryRun }: WriteOptions = {}): KubeObject {
    const kind = getKind(resource);
    const object = deepCopy(newObject);
    const name = object.metadata.name ?? `${object.metadata.generateName ?? ''}${generateSuffix()}`;
    if (get(resource, object.metadata.namespace, name)) throw alreadyExistsError(kind, name);
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
    return commitObject(resource, completeObject, undefined, isDryRun);
  }

  return {
    /** Lists objects, sorted by namespace and name; without `namespace`, those of all namespaces. */
    list(resource: string, namespace?: string): KubeObject[] {
      return listSorted(resource).filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    },
    get,
    create,
    /** Returns the object of this name; creates it if it does not exist. */
    ensure(resource: string, object: NewObject): KubeObject {
      return get(resource, object.metadata.namespace, object.metadata.name ?? '') ?? create(resource, object);
    },
    /**
     * Replaces an object. An empty resourceVersion overwrites any version. Without a difference nothing is written.
     * @throws StatusError NotFound, or Conflict if the object changed since its resourceVersion
     */
    update(resource: string, replacement: KubeObject, { isDryRun }: WriteOptions = {}): KubeObject {
      const object = deepCopy(replacement);
      const { name, namespace, resourceVersion, uid } = object.metadata;
      const previousObject = get(resource, namespace, name);
      const kind = getKind(resource);
      if (!previousObject) throw notFoundError(kind, name);
      if (resourceVersion && resourceVersion !== previousObject.metadata.resourceVersion)
        throw conflictError(kind, name);
      if (uid && uid !== previousObject.metadata.uid) {
        const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${previousObject.metadata.uid}`;
        throw conflictError(kind, name, detail);
      }
      return replaceObject(resource, previousObject, object, isDryRun);
    },
    /** Changes a copy of the newest version, and writes the copy if it differs. Undefined: no such object. */
    mutate(
      resource: string,
      namespace: Namespace,
      name: string,
      change: (object: KubeObject) => void,
    ): KubeObject | undefined {
      const previousObject = get(resource, namespace, name);
      if (!previousObject) return undefined;
      const newObject = deepCopy(previousObject);
      change(newObject);
      return replaceObject(resource, previousObject, newObject);
    },
    /** Deletes an object, whatever its finalizers. Returns whether the object existed. */
    delete(resource: string, namespace: Namespace, name: string): boolean {
      const previousObject = get(resource, namespace, name);
      if (!previousObject) return false;
      getTable(resource).delete(formatObjectKey(namespace, name));
      version += 1;
      const metadata = { ...previousObject.metadata, resourceVersion: String(version) };
      publish({ type: 'DELETED', resource, object: deepFreeze({ ...previousObject, metadata }), previousObject });
      return true;
    },
    /**
     * Calls `listener` after every change, in order, even if a listener changes the store. Returns a function that
     * unsubscribes the listener.
     */
    subscribe(listener: (event: StoreEvent) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The resource version of the last change. */
    getCurrentVersion: () => version,
    /** The resource version of the last loaded dump: the changes before this version are unknown. */
    getLoadedVersion: () => loadedVersion,
    /** Increases with every change, also with `load`: an unchanged count means unchanged content. */
    getChangeCount: () => changeCount,
    /** The whole content, as JSON. */
    dump: () => ({
      version,
      objects: Object.fromEntries([...tableByResource].map(([resource, table]) => [resource, [...table.values()]])),
    }),
    /** The whole content, as JSON text. Each object is serialised only once. */
    dumpText(): string {
      const objects = [...tableByResource].map(
        ([resource, table]) => `${JSON.stringify(resource)}:[${[...table.values()].map(serializeObject).join()}]`,
      );
      return `{"version":${version},"objects":{${objects.join()}}}`;
    },
    /**
     * Replaces the whole content with a dump, without notifying subscribers.
     * @throws Error if `dump` is not a dump of a store
     */
    load(dump: unknown): void {
      const parsedDump = parseDump(dump);
      tableByResource.clear();
      sortedObjectsByResource.clear();
      for (const [resource, table] of parsedDump.tables) tableByResource.set(resource, table);
      version = parsedDump.version;
      loadedVersion = version;
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
function formatObjectKey(namespace: Namespace, name: string): string {
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

/**
 * Records the most recent changes of a store, for watches that start where a list ended.
 * @param limit number of changes to retain, across all kinds
 */
export function createChangeHistory(store: Store, limit = 1000) {
  const getVersion = ({ object }: StoreEvent) => Number(object.metadata.resourceVersion);
  let changes: StoreEvent[] = [];
  let oldestVersion = store.getCurrentVersion();
  store.subscribe((change) => {
    changes.push(change);
    if (changes.length <= limit * 2) return;
    oldestVersion = getVersion(changes[limit] ?? change);
    changes = changes.slice(-limit);
  });
  return {
    /** The changes after `version`, or null if some of them are no longer stored. */
    listSince(version: number): StoreEvent[] | null {
      if (version < Math.max(oldestVersion, store.getLoadedVersion())) return null;
      return changes.filter((change) => getVersion(change) > version);
    },
  };
}

export type ChangeHistory = ReturnType<typeof createChangeHistory>;
