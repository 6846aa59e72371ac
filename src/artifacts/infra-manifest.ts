import { Document } from 'yaml';
import { listInfraNodeNames } from '../design/infra-placement.ts';
import { buildManifestObjects, type ManifestObject } from '../infra/manifest.ts';
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
