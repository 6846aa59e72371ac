import { apiVersionOf, type Kind, objectKindOf } from '../objects/kinds.ts';
import type { KubeObject } from '../objects/object.ts';
import { changeBy, type Edit, type MoveChange, merged, removes } from './edit.ts';
import type { Sight } from './move.ts';

/**
 * The cluster as it will be after earlier moves: what is there, with planned edits made on a copy. Reads each object and list
 * of the cluster once.
 */
export interface Foresight extends Sight {
  /** Makes the edit on the copy. @returns what it changes; null: nothing */
  make(edit: Edit): Promise<MoveChange | null>;
  /** Puts an object on the copy that somebody else will make once the edits are made. */
  expect(kind: Kind, object: KubeObject): void;
  /** A copy to try edits on, which this one does not see. */
  branch(): Foresight;
}

/** Foresees from what is there now. */
export function foresee(sight: Sight): Foresight {
  return foresight(readOnce(sight), new Map());
}

interface Planned {
  readonly kind: Kind;
  readonly namespace: string | null;
  readonly name: string;
  /** Null: removed. */
  readonly object: KubeObject | null;
}

function foresight(sight: Sight, planned: Map<string, Planned>): Foresight {
  const get: Sight['get'] = async (kind, name, namespace) => {
    const found = planned.get(keyOf(kind, name, namespace ?? null));
    return found === undefined ? await sight.get(kind, name, namespace) : found.object;
  };
  return {
    get,
    async list(kind, options) {
      const changed = [...planned.values()].filter(
        (each) => each.kind === kind && (options?.namespace === undefined || each.namespace === options.namespace),
      );
      const found = await sight.list(kind, options);
      if (changed.length === 0) return found;
      const isChanged = ({ metadata: { name, namespace } }: KubeObject) =>
        changed.some((each) => each.name === name && each.namespace === (namespace ?? null));
      return [...found.filter((object) => !isChanged(object)), ...changed.flatMap(({ object }) => object ?? [])];
    },
    async make(edit) {
      const { kind, name, namespace } = edit;
      const current = await get(kind, name, namespace ?? undefined);
      const change = changeBy(edit, current);
      if (change !== null)
        planned.set(keyOf(kind, name, namespace), { kind, namespace, name, object: edited(edit, current) });
      return change;
    },
    expect(kind, object) {
      const { name, namespace = null } = object.metadata;
      planned.set(keyOf(kind, name, namespace), { kind, namespace, name, object });
    },
    branch: () => foresight(sight, new Map(planned)),
  };
}

/** The object after the edit; null where it is removed. */
function edited(edit: Edit, current: KubeObject | null): KubeObject | null {
  const { kind, create, patch } = edit;
  if (current === null) {
    const made = create?.();
    return made ? { apiVersion: apiVersionOf(kind), kind: objectKindOf(kind), ...made } : null;
  }
  return removes(edit, current) ? null : (merged(current, patch?.(current) ?? {}) as KubeObject);
}

/** Asks for nothing twice, and for no object that a list has already brought. */
export function readOnce(sight: Sight): Sight {
  const lists = new Map<string, Promise<readonly KubeObject[]>>();
  const objects = new Map<string, Promise<KubeObject | null>>();
  const once = <K, T>(known: Map<K, Promise<T>>, key: K, read: () => Promise<T>): Promise<T> => {
    const found = known.get(key) ?? read();
    known.set(key, found);
    // What could not be read is asked for again.
    found.catch(() => known.delete(key));
    return found;
  };
  return {
    async get(kind, name, namespace) {
      const list = lists.get(`${kind} ${namespace ?? ''}`);
      if (list !== undefined) return (await list).find(({ metadata }) => metadata.name === name) ?? null;
      return await once(objects, keyOf(kind, name, namespace ?? null), () => sight.get(kind, name, namespace));
    },
    list: (kind, options) => {
      const { namespace = '', fieldSelector = '' } = options ?? {};
      return once(lists, `${kind} ${namespace}${fieldSelector}`, () => sight.list(kind, options));
    },
  };
}

const keyOf = (kind: Kind, name: string, namespace: string | null) => `${kind} ${namespace ?? ''}/${name}`;
