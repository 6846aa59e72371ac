import type { KubeObject } from './objects.ts';
import type { Store, StoreEvent } from './store.ts';

/** A change for watches, with the previous object, so that a selector can detect objects that no longer match. */
export interface StoreChange extends StoreEvent {
  readonly version: number;
  readonly before: KubeObject | undefined;
}

/** The most recent changes of the store, for watches that start where a list ended. */
export interface ChangeHistory {
  /** The changes after `version`, or null if some of them are no longer stored. */
  listSince(version: number): StoreChange[] | null;
  /** Calls `listener` after every change. Returns a function that stops it. */
  subscribe(listener: (change: StoreChange) => void): () => void;
}

/** @param limit number of changes to retain, across all kinds */
export function createChangeHistory(store: Store, limit = 1000): ChangeHistory {
  const listeners = new Set<(change: StoreChange) => void>();
  const newestObjects = new Map<string, KubeObject>();
  let changes: StoreChange[] = [];
  let oldest = store.currentVersion();
  let last = oldest;

  /** A store that was loaded from a file skips versions: the changes before are unknown. */
  function resetAfterJump(version: number): void {
    if (version === last) return;
    changes = [];
    newestObjects.clear();
    oldest = version;
    last = version;
  }

  store.subscribe((event) => {
    const version = Number(event.object.metadata.resourceVersion);
    resetAfterJump(version - 1);
    const { uid } = event.object.metadata;
    const change = { ...event, version, before: newestObjects.get(uid) };
    if (event.type === 'DELETED') newestObjects.delete(uid);
    else newestObjects.set(uid, event.object);
    last = version;
    changes.push(change);
    if (changes.length > limit * 2) {
      changes = changes.slice(-limit);
      oldest = (changes[0]?.version ?? version) - 1;
    }
    for (const listener of [...listeners]) listener(change);
  });

  return {
    listSince(version) {
      if (listeners.size === 0 && store.currentVersion() > last) resetAfterJump(store.currentVersion());
      return version < oldest ? null : changes.filter((change) => change.version > version);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
