import type { UserError } from '../i18n/user-error.ts';

/** The answers of the design by the keys of install-config.yaml that hold them; `$1` is the index in a list. */
const ANSWERS: readonly (readonly [RegExp, string])[] = [
  [/^metadata\.name$/, 'cluster.name'],
  [/^baseDomain$/, 'cluster.baseDomain'],
  [/^fips$/, 'fips'],
  [/^osImageStream$/, 'openshift.osImageStream'],
  [/^networking\.networkType$/, 'networks.type'],
  [/^networking\.machineNetwork\[(\d+)\]/, 'networks.machine.$1.cidr'],
  [/^networking\.clusterNetwork\[(\d+)\]\.hostPrefix$/, 'networks.cluster.$1.hostPrefix'],
  [/^networking\.clusterNetwork\[(\d+)\]/, 'networks.cluster.$1.cidr'],
  [/^networking\.serviceNetwork\[(\d+)\]/, 'networks.service.$1'],
  [/^networking\.(machine|cluster)Network$/, 'networks.$1.0.cidr'],
  [/^networking\.serviceNetwork$/, 'networks.service.0'],
  [/^[pP]roxy\.(httpProxy|httpsProxy|noProxy)$/, 'proxy.$1'],
  [/^pullSecret$/, 'credentials.pullSecretFile'],
  [/^sshKey$/, 'credentials.sshKeyFile'],
  [/^controlPlane\.fencing/, 'credentials.fencingFile'],
  [/^additionalTrustBundle$/, 'additionalTrustBundleFile'],
  [/^additionalTrustBundlePolicy$/, 'additionalTrustBundlePolicy'],
  [/^image(?:Digest|Content)Sources/, 'imageDigestSources'],
  [/^arbiter\./, 'topology'],
];

/**
 * A key with the kinds of errors of k8s.io/apimachinery pkg/util/validation/field, as openshift-install prints them.
 */
const FIELD_ERROR =
  /(?:^|[\s[])([A-Za-z]+(?:\[\d+\]|\.[A-Za-z]+)*): (?:(?:Invalid|Required|Unsupported|Duplicate) value|Forbidden)\b/g;

/**
 * Finds the answer whose key of install-config.yaml the installer rejected.
 * @returns its path in the design; null for another error, and for a key that no answer holds
 */
export function findRejectedAnswer({ code, cause }: Pick<UserError, 'code' | 'cause'>): string | null {
  if (code !== 'installer-install-config') return null;
  for (const [, key = ''] of cause.matchAll(FIELD_ERROR))
    for (const [pattern, path] of ANSWERS) {
      const match = pattern.exec(key);
      if (match !== null) return path.replace('$1', match[1] ?? '');
    }
  return null;
}
