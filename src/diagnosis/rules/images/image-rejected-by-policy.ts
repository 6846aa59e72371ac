import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/**
 * The node's policy rejects the image: it requires a signature, or allows other registries (containers-policy.json(5)).
 */
export const imageRejectedByPolicy = diagnosticRule('image-policy-refuses', 'installation', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /Source image rejected|is rejected by policy|signature was required/).slice(-1),
    'certain',
    'sudo cat /etc/containers/policy.json; oc get image.config.openshift.io cluster -o yaml',
  ),
);
