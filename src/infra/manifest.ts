import type { Design } from '../design/model.ts';
import { getApiVersion, getObjectKind } from '../openshift/kinds.ts';
import type { KubeObject } from '../openshift/object.ts';
import { applyMergePatch, type Edit, formatObjectName } from './edit.ts';
import type { ManifestPart } from './infra-move.ts';
import { MOVES } from './moves.ts';

/** An object of infra.yaml with its comment, which is empty if the comment above covers it. */
export interface ManifestObject {
  readonly comment: string;
  readonly object: object;
}

/** Builds the moves of the design as objects, in order: the settings that the wizard makes on a fresh cluster. */
export function buildManifestObjects(design: Design): ManifestObject[] {
  return MOVES.flatMap((move) => (move.where === 'cluster' ? move.buildManifest(design).flatMap(mergeEdits) : []));
}

/** Merges the edits of each object into that object. */
function mergeEdits({ comment, edits }: ManifestPart): ManifestObject[] {
  const groups = [...Map.groupBy(edits, formatObjectName).values()];
  return groups.map((group, index) => ({
    comment: index === 0 ? comment : '',
    object: group.reduce(applyToManifestObject, null) ?? {},
  }));
}

/** Applies an edit to an object of infra.yaml; null: this is its first edit. */
function applyToManifestObject(object: KubeObject | null, { kind, name, namespace, create, patch }: Edit): KubeObject {
  const metadata = { name, ...(namespace === null ? {} : { namespace }) };
  const current = object ?? { apiVersion: getApiVersion(kind), kind: getObjectKind(kind), metadata };
  return create ? Object.assign(current, create()) : (applyMergePatch(current, patch?.(current) ?? {}) as KubeObject);
}
