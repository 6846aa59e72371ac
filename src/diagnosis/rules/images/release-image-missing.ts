import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** The registry answers, but lacks an image of this release: an incomplete mirror. */
export const releaseImageMissing = diagnosticRule('release-missing', 'installation', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /manifest unknown|manifest for \S+ not found|name unknown/i).slice(-1),
    'certain',
    'oc adm release info --registry-config pull-secret.txt IMAGE',
  ),
);
