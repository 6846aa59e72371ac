import { Document } from 'yaml';
import { listInfraNodeNames } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { applyMergePatch, type Edit, formatObjectName } from '../infra/edit.ts';
import type { ManifestPart } from '../infra/infra-move.ts';
import { MOVES } from '../infra/moves.ts';
import { getApiVersion, getObjectKind } from '../openshift/kinds.ts';
import type { KubeObject } from '../openshift/object.ts';
import { fileWords } from './file-words.ts';
import { type FileGenerator, WORK_DIR } from './shared/generator.ts';

const PATH = `${WORK_DIR}/infra.yaml`;

/** `infra.yaml`: the infra moves as one file to review and apply. A design without infra nodes has none. */
export const infraManifest: FileGenerator<'infra-manifest'> = {
  kind: 'infra-manifest',
  host: 'bastion',
  paths: [PATH],
  files({ design }) {
    if (listInfraNodeNames(design).length === 0) return [];
    const comment = fileWords.infra.head(PATH).replaceAll(/^/gm, '#');
    const content = `${comment}\n\n${buildManifestObjects(design).map(renderObject).join('---\n')}`;
    return [{ host: design.services.bastion, path: PATH, content }];
  },
};

/** Renders YAML 1.1: the parsers of Kubernetes read an unquoted `yes` as true, so such strings are quoted. */
function renderObject({ comment, object }: ManifestObject): string {
  const document = new Document(object, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  if (document.contents && comment !== '') document.contents.commentBefore = comment;
  return document.toString({ lineWidth: 0 });
}

/** An object of infra.yaml with its comment, which is empty if the comment above covers it. */
interface ManifestObject {
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
