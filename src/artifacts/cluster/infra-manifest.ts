import { Document } from 'yaml';
import { infraNames } from '../../design/infra-placement.ts';
import { type ManifestObject, manifestObjects } from '../../moves/manifest.ts';
import { fileWords } from '../file-words.ts';
import type { Generator } from '../shared/draft.ts';
import { WORK_DIR } from '../shared/layout.ts';

const PATH = `${WORK_DIR}/infra.yaml`;

/** `infra.yaml`: the infra moves as one file to review and apply; none where the design has no infra nodes. */
export const infraManifest: Generator<'infra-manifest'> = {
  kind: 'infra-manifest',
  host: 'bastion',
  paths: [PATH],
  files({ design }) {
    if (infraNames(design).length === 0) return [];
    const head = fileWords.infra.head(PATH).replaceAll(/^/gm, '#');
    const content = `${head}\n\n${manifestObjects(design).map(text).join('---\n')}`;
    return [{ host: design.services.bastion, path: PATH, content }];
  },
};

/** As the API's programs read it, which take `yes` for true. */
function text({ comment, object }: ManifestObject): string {
  const document = new Document(object, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  if (document.contents && comment !== '') document.contents.commentBefore = comment;
  return document.toString({ lineWidth: 0 });
}
