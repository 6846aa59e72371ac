import type { Design } from '../design/model.ts';
import { apiVersionOf, objectKindOf } from '../objects/kinds.ts';
import type { KubeObject } from '../objects/object.ts';
import { type Edit, merged, objectName } from './edit.ts';
import type { ManifestPart } from './move.ts';
import { MOVES } from './table.ts';

/** An object of infra.yaml, under its comment; the comment is empty where the one above covers it. */
export interface ManifestObject {
  readonly comment: string;
  readonly object: object;
}

/** The moves of the design as objects, in their order: what the wizard sets on a fresh cluster. */
export function manifestObjects(design: Design): ManifestObject[] {
  return MOVES.flatMap((move) => (move.where === 'cluster' ? move.manifest(design).flatMap(objectsOf) : []));
}

/** Merges all edits of an object into one object. */
function objectsOf({ comment, edits }: ManifestPart): ManifestObject[] {
  const groups = [...Map.groupBy(edits, objectName).values()];
  return groups.map((group, index) => ({
    comment: index === 0 ? comment : '',
    object: group.reduce(edited, null) ?? {},
  }));
}

/** The object after an edit; before the first edit it is missing or empty. */
function edited(object: KubeObject | null, { kind, name, namespace, create, patch }: Edit): KubeObject {
  const metadata = { name, ...(namespace === null ? {} : { namespace }) };
  const current = object ?? { apiVersion: apiVersionOf(kind), kind: objectKindOf(kind), metadata };
  return create ? Object.assign(current, create()) : (merged(current, patch?.(current) ?? {}) as KubeObject);
}
