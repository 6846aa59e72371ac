import type { KubeObject } from './objects.ts';
import type { Store, StoreEvent } from './store.ts';

/** A change as a watch needs it: with what was there before, so that a selector can tell who left its view. */
export interface Change extends StoreEvent {
  readonly version: number;
  readonly before: KubeObject | undefined;
}

/** The newest changes of the store, for watches that start where a list ended. */
export interface History {
  /** The changes after `version`, or null when some of them are forgotten. */
  since(version: number): Change[] | null;
  /** Called after every change. Returns how to stop. */
  follow(listener: (change: Change) => void): () => void;
}

/** @param limit how many changes are kept, of all kinds together */
export function createHistory(store: Store, limit = 1000): History {
  const listeners = new Set<(change: Change) => void>();
  const newest = new Map<string, KubeObject>();
  let changes: Change[] = [];
  let oldest = store.currentVersion();
  let last = oldest;

  /** A store that was loaded from a file jumps: nothing before the jump can be told. */
  function forgetAfterJump(version: number): void {
    if (version === last) return;
    changes = [];
    newest.clear();
    oldest = version;
    last = version;
  }

  store.subscribe((event) => {
    const version = Number(event.object.metadata.resourceVersion);
    forgetAfterJump(version - 1);
    const { uid } = event.object.metadata;
    const change = { ...event, version, before: newest.get(uid) };
    if (event.type === 'DELETED') newest.delete(uid);
    else newest.set(uid, event.object);
    last = version;
    changes.push(change);
    if (changes.length > limit * 2) {
      changes = changes.slice(-limit);
      oldest = (changes[0]?.version ?? version) - 1;
    }
    for (const listener of [...listeners]) listener(change);
  });

  return {
    since(version) {
      if (listeners.size === 0 && store.currentVersion() > last) forgetAfterJump(store.currentVersion());
      return version < oldest ? null : changes.filter((change) => change.version > version);
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
