import { versionProfile } from '../../../design/versions.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { getAt } from '../document.ts';
import { type Field, field } from '../fields.ts';
import { mirrorFacts } from './facts.ts';

const words = () => catalogue().pages.credentials;

export const credentialFields: readonly Field[] = [
  field('credentials.pullSecretFile', 'text', () => words().pullSecretFile, { isOptional: true }),
  field('credentials.sshKeyFile', 'text', () => words().sshKeyFile, { isOptional: true }),
  field('additionalTrustBundleFile', 'text', () => words().trustBundleFile, { isOptional: true, isAdvanced: true }),
  field('additionalTrustBundlePolicy', 'choice', () => words().trustBundlePolicy, {
    choices: ['Always', 'Proxyonly'],
    fallback: () => 'Always',
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) =>
      Boolean(getAt(document, 'additionalTrustBundlePolicy')) ||
      (Boolean(getAt(document, 'additionalTrustBundleFile')) &&
        versionProfile(String(getAt(document, 'openshift.version'))).hasTrustBundlePolicy),
  }),
  field('imageDigestSources', 'mirrors', () => words().mirrors, {
    facts: mirrorFacts,
    isOptional: true,
    isAdvanced: true,
  }),
];
