import { versionProfile } from '../../../design/versions.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { getAt } from '../document.ts';
import type { Field } from '../fields.ts';
import { mirrorFacts } from './facts.ts';

const words = () => catalogue().pages.credentials;

export const credentialFields: readonly Field[] = [
  { path: 'credentials.pullSecretFile', type: 'text', words: () => words().pullSecretFile, isOptional: true },
  { path: 'credentials.sshKeyFile', type: 'text', words: () => words().sshKeyFile, isOptional: true },
  {
    path: 'additionalTrustBundleFile',
    type: 'text',
    words: () => words().trustBundleFile,
    isOptional: true,
    isAdvanced: true,
  },
  {
    path: 'additionalTrustBundlePolicy',
    type: 'choice',
    words: () => words().trustBundlePolicy,
    choices: ['Always', 'Proxyonly'],
    fallback: () => 'Always',
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'additionalTrustBundlePolicy')) ||
      (Boolean(getAt(document, 'additionalTrustBundleFile')) &&
        versionProfile(String(getAt(document, 'openshift.version'))).hasTrustBundlePolicy),
  },
  {
    path: 'imageDigestSources',
    type: 'mirrors',
    words: () => words().mirrors,
    facts: mirrorFacts,
    isOptional: true,
    isAdvanced: true,
  },
];
