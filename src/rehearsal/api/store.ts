import { randomBytes, randomUUID } from 'node:crypto';
import { copyOf, isSame } from './json.ts';
import type { KubeObject, NewObject, ObjectMeta } from './objects.ts';
import { isRecord, readOnce, timestamp } from './objects.ts';
import { apiVersionOf, kindOf, registry } from './registry.ts';
import { alreadyExists, conflict, notFound } from './status.ts';

export type { KubeObject, NewObject } from './objects.ts';
export { StatusError } from './status.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The resource key: `nodes`, `clusteroperators.config.openshift.io`. */
  readonly resource: string;
  readonly object: KubeObject;
}

export interface WriteOptions {
  /** A dry run: checks and defaults, but writes nothing. */
  readonly isDryRun?: boolean;
}

/**
 * The objects of the cluster. Whatever comes out is frozen and never changes again; to change an object use `mutate`, or
 * `update` with a copy (`copyOf`). Every change gets the next resource version of the whole store, as in etcd.
 * A `resource` is a key of the registry; an unknown one is a mistake of the caller and throws a plain Error.
 */
export interface Store {
  /** By namespace and name; all namespaces without `namespace`. */
  list(resource: string, namespace?: string): KubeObject[];
  get(resource: string, namespace: string | null, name: string): KubeObject | undefined;
  /**
   * Fills in apiVersion, kind, uid, resourceVersion, creationTimestamp, and a name after generateName.
   * @throws StatusError AlreadyExists
   */
  create(resource: string, object: NewObject, options?: WriteOptions): KubeObject;
  /**
   * Replaces an object. An empty resourceVersion overwrites whatever is there. Nothing happens when nothing changed.
   * @throws StatusError NotFound, or Conflict when the object changed since its resourceVersion
   */
  update(resource: string, object: KubeObject, options?: WriteOptions): KubeObject;
  /** For controllers: changes the newest version in place; undefined when there is none. Nothing happens when nothing changed. */
  mutate(
    resource: string,
    namespace: string | null,
    name: string,
    change: (object: KubeObject) => void,
  ): KubeObject | undefined;
  /** Whether it was there. */
  delete(resource: string, namespace: string | null, name: string): boolean;
  /** Called after every change, in order, also when a listener changes the store itself. Returns how to stop. */
  subscribe(listener: (event: StoreEvent) => void): () => void;
  /** The resource version of the last change. */
  currentVersion(): number;
  /** Grows with every change, also with `load`: as long as it stays the same, so does everything here. */
  changes(): number;
  /** Everything, as JSON. */
  dump(): unknown;
  /** The same as text: each object is written once, and not again as long as it stays. */
  dumpText(): string;
  /**
   * Replaces everything by a dump; subscribers hear nothing of it.
   * @throws Error when it is not a dump
   */
  load(dump: unknown): void;
}

/** @param options `now`: milliseconds since the epoch, for creation times */
export function createStore({ now }: { readonly now: () => number }): Store {
  const tables = new Map<string, Map<string, KubeObject>>();
  /** The tables by namespace and name, until they change: controllers list all the time. */
  const sorted = new Map<string, readonly KubeObject[]>();
  const listeners = new Set<(event: StoreEvent) => void>();
  const undelivered: StoreEvent[] = [];
  let isDelivering = false;
  let version = 0;
  let changes = 0;

  function tableOf(resource: string): Map<string, KubeObject> {
    const known = tables.get(resource);
    if (known) return known;
    kindOf(resource);
    const table = new Map<string, KubeObject>();
    tables.set(resource, table);
    return table;
  }

  function sortedOf(resource: string): readonly KubeObject[] {
    const known = sorted.get(resource);
    if (known) return known;
    const all = [...tableOf(resource)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    sorted.set(resource, all);
    return all;
  }

  function publish(event: StoreEvent): void {
    undelivered.push(event);
    if (isDelivering) return;
    isDelivering = true;
    try {
      for (let next = undelivered.shift(); next; next = undelivered.shift()) {
        for (const listener of [...listeners]) listener(next);
      }
    } finally {
      isDelivering = false;
    }
  }

  function put(type: 'ADDED' | 'MODIFIED', resource: string, object: KubeObject, isDryRun = false): KubeObject {
    if (isDryRun) return deepFreeze(object);
    version += 1;
    changes += 1;
    object.metadata.resourceVersion = String(version);
    deepFreeze(object);
    tableOf(resource).set(keyOf(object.metadata.namespace, object.metadata.name), object);
    sorted.delete(resource);
    publish({ type, resource, object });
    return object;
  }

  function replace(resource: string, before: KubeObject, after: KubeObject, isDryRun = false): KubeObject {
    const { hasGeneration } = kindOf(resource);
    const { uid, creationTimestamp, generation, resourceVersion } = before.metadata;
    Object.assign(after.metadata, { uid, creationTimestamp, resourceVersion });
    if (generation === undefined) delete after.metadata.generation;
    else after.metadata.generation = generation;
    if (isSame(before, after)) return before;
    if (hasGeneration && !isSame(before.spec, after.spec)) after.metadata.generation = (generation ?? 1) + 1;
    return put('MODIFIED', resource, after, isDryRun);
  }

  return {
    list(resource, namespace) {
      const all = sortedOf(resource);
      return namespace === undefined ? [...all] : all.filter(({ metadata }) => metadata.namespace === namespace);
    },
    get: (resource, namespace, name) => tableOf(resource).get(keyOf(namespace ?? undefined, name)),
    create(resource, given, { isDryRun } = {}) {
      const kind = kindOf(resource);
      const object = copyOf(given);
      const name = object.metadata.name ?? `${object.metadata.generateName ?? ''}${newSuffix()}`;
      const table = tableOf(resource);
      if (table.has(keyOf(object.metadata.namespace, name))) throw alreadyExists(kind, name);
      const metadata: ObjectMeta = {
        ...object.metadata,
        name,
        uid: randomUUID(),
        resourceVersion: '',
        creationTimestamp: timestamp(now()),
        ...(kind.hasGeneration ? { generation: 1 } : {}),
      };
      const { apiVersion: _apiVersion, kind: _kind, ...content } = object;
      const complete = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...content, metadata };
      return put('ADDED', resource, complete, isDryRun);
    },
    update(resource, given, { isDryRun } = {}) {
      const object = copyOf(given);
      const { name, namespace, resourceVersion, uid } = object.metadata;
      const before = tableOf(resource).get(keyOf(namespace, name));
      const kind = kindOf(resource);
      if (!before) throw notFound(kind, name);
      if (resourceVersion && resourceVersion !== before.metadata.resourceVersion) throw conflict(kind, name);
      if (uid && uid !== before.metadata.uid) {
        const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid}`;
        throw conflict(kind, name, why);
      }
      return replace(resource, before, object, isDryRun);
    },
    mutate(resource, namespace, name, change) {
      const before = tableOf(resource).get(keyOf(namespace ?? undefined, name));
      if (!before) return undefined;
      const after = copyOf(before);
      change(after);
      return replace(resource, before, after);
    },
    delete(resource, namespace, name) {
      const table = tableOf(resource);
      const key = keyOf(namespace ?? undefined, name);
      const last = table.get(key);
      if (!last) return false;
      table.delete(key);
      sorted.delete(resource);
      version += 1;
      changes += 1;
      const object = deepFreeze({ ...last, metadata: { ...last.metadata, resourceVersion: String(version) } });
      publish({ type: 'DELETED', resource, object });
      return true;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    currentVersion: () => version,
    changes: () => changes,
    dump: () => ({
      version,
      objects: Object.fromEntries([...tables].map(([resource, table]) => [resource, [...table.values()]])),
    }),
    dumpText() {
      const objects = [...tables].map(
        ([resource, table]) => `${JSON.stringify(resource)}:[${[...table.values()].map(textOf).join()}]`,
      );
      return `{"version":${version},"objects":{${objects.join()}}}`;
    },
    load(dump) {
      const loaded = parseDump(dump);
      tables.clear();
      sorted.clear();
      for (const [resource, table] of loaded.tables) tables.set(resource, table);
      version = loaded.version;
      changes += 1;
    },
  };
}

const textOf = readOnce((object) => JSON.stringify(object));

function parseDump(dump: unknown): { version: number; tables: Map<string, Map<string, KubeObject>> } {
  if (!isRecord(dump) || typeof dump.version !== 'number' || !isRecord(dump.objects))
    throw new Error('not a dump of a store');
  const tables = new Map<string, Map<string, KubeObject>>();
  for (const [resource, objects] of Object.entries(dump.objects)) {
    if (!registry.has(resource) || !Array.isArray(objects)) throw new Error(`not a dump of ${resource}`);
    const copies: KubeObject[] = copyOf(objects);
    const entries = copies.map(
      (copy) => [keyOf(copy.metadata.namespace, copy.metadata.name), deepFreeze(copy)] as const,
    );
    tables.set(resource, new Map(entries));
  }
  return { version: dump.version, tables };
}

/** A name has no slash, so this is unambiguous, and sorts as etcd does. */
function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** Five characters, none of which make words, as k8s.io/apimachinery/pkg/util/rand does. */
function newSuffix(): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  return [...randomBytes(5)].map((byte) => letters[byte % letters.length]).join('');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
