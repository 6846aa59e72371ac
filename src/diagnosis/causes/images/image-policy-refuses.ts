import { cause, clueOfLines, told } from '../cause.ts';

/** The node's policy accepts no such image: it wants a signature, or names other registries (containers-policy.json(5)). */
export const imagePolicyRefuses = cause('image-policy-refuses', 'installation', (evidence) =>
  clueOfLines(
    told(evidence, /Source image rejected|is rejected by policy|signature was required/).slice(-1),
    'certain',
    'sudo cat /etc/containers/policy.json; oc get image.config.openshift.io cluster -o yaml',
  ),
);
