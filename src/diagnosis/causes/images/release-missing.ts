import { cause, clueOfLines, told } from '../cause.ts';

/** The registry answers, and does not have an image of this release: an incomplete mirror. */
export const releaseMissing = cause('release-missing', 'installation', (evidence) =>
  clueOfLines(
    told(evidence, /manifest unknown|manifest for \S+ not found|name unknown/i).slice(-1),
    'certain',
    'oc adm release info --registry-config pull-secret.txt IMAGE',
  ),
);
