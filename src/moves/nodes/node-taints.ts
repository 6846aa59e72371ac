import type { Toleration } from '../../design/infra-placement.ts';
import { getList, getString, type Json, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import type { Edit } from '../edit.ts';

/** Adds the taint to a node. It replaces one of the same key and effect with another value; all others stay. */
export function taintEdit(name: string, wanted: Toleration): Edit {
  return taintsEdit(name, (found) => {
    const others = found.filter((entry) => !isSameTaint(entry, wanted.key, wanted.effect));
    const matching = found.filter((entry) => !others.includes(entry));
    const isApplied = matching.length === 1 && (getString(matching[0], 'value') ?? '') === (wanted.value ?? '');
    return isApplied ? found : [...others, wanted];
  });
}

/** Removes the taint of this key and effect from a node, whatever its value. */
export function untaintEdit(name: string, key: string, effect: string): Edit {
  return taintsEdit(name, (found) => found.filter((entry) => !isSameTaint(entry, key, effect)));
}

function taintsEdit(name: string, change: (found: readonly Json[]) => readonly Json[]): Edit {
  const patch = (current: KubeObject): JsonObject => {
    const found = getList(current.spec, 'taints') as readonly Json[];
    const taints = change(found);
    if (taints.length === found.length && taints.every((entry, index) => entry === found[index])) return {};
    return { spec: { taints: taints.length > 0 ? taints : null } };
  };
  return {
    kind: 'Node',
    name,
    namespace: null,
    patch,
    keyedLists: [{ path: ['spec', 'taints'], keys: ['key', 'effect'] }],
  };
}

function isSameTaint(entry: Json, key: string | undefined, effect: string | undefined): boolean {
  return getString(entry, 'key') === key && getString(entry, 'effect') === effect;
}
