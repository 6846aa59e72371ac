import type { Toleration } from '../../design/infra-placement.ts';
import { type Json, type JsonObject, type KubeObject, listAt, textAt } from '../../objects/object.ts';
import type { Edit } from '../edit.ts';

/** Gives a node the taint; one of the same key and effect with another value gives way, all others stay. */
export function taintEdit(name: string, wanted: Toleration): Edit {
  return taintsEdit(name, (found) => {
    const others = found.filter((entry) => !isLike(entry, wanted.key, wanted.effect));
    const own = found.filter((entry) => !others.includes(entry));
    const isThere = own.length === 1 && (textAt(own[0], 'value') ?? '') === (wanted.value ?? '');
    return isThere ? found : [...others, wanted];
  });
}

/** Takes the taint of this key and effect from a node, whatever its value. */
export function untaintEdit(name: string, key: string, effect: string): Edit {
  return taintsEdit(name, (found) => found.filter((entry) => !isLike(entry, key, effect)));
}

function taintsEdit(name: string, change: (found: readonly Json[]) => readonly Json[]): Edit {
  const patch = (current: KubeObject): JsonObject => {
    const found = listAt(current.spec, 'taints') as readonly Json[];
    const taints = change(found);
    if (taints.length === found.length && taints.every((entry, index) => entry === found[index])) return {};
    return { spec: { taints: taints.length > 0 ? taints : null } };
  };
  return { kind: 'Node', name, namespace: null, patch, entries: [{ path: ['spec', 'taints'], by: ['key', 'effect'] }] };
}

function isLike(entry: Json, key: string | undefined, effect: string | undefined): boolean {
  return textAt(entry, 'key') === key && textAt(entry, 'effect') === effect;
}
