import { isVersionAtLeast } from '../../design/versions.ts';
import { encodeBase64, getField, getList, getString } from '../api/objects.ts';

/** The BMC credentials of a node (pkg/types/machinepools.go: Credential). A missing field is the empty string. */
export interface BmcCredentials {
  readonly hostName: string;
  readonly address: string;
  readonly username: string;
  readonly password: string;
  readonly certificateVerification: string;
}

/** Reads `controlPlane.fencing.credentials` of an install-config. */
export function parseBmcCredentials(document: unknown): readonly BmcCredentials[] {
  return getList(document, 'controlPlane', 'fencing', 'credentials').map((login) => ({
    hostName: getString(login, 'hostName'),
    address: getString(login, 'address'),
    username: getString(login, 'username'),
    password: getString(login, 'password'),
    certificateVerification: getString(login, 'certificateVerification'),
  }));
}

/**
 * Returns the error in the BMC credentials, or null (pkg/types/validation/installconfig.go:
 * validateFencingCredentialsAndPlatform; featuregates.go).
 * @param version of the installer
 */
export function findFencingError(
  document: unknown,
  {
    controlPlaneReplicas,
    arbiterReplicas,
  }: { readonly controlPlaneReplicas: number; readonly arbiterReplicas: number },
  version: string,
): string | null {
  const logins = parseBmcCredentials(document);
  const hasFencingField = getField(document, 'controlPlane', 'fencing') !== undefined;
  if (hasFencingField && !isGateEnabled(document, version))
    return 'platform.none.fencingCredentials: Forbidden: this field is protected by the DualReplica feature gate which must be enabled through either the TechPreviewNoUpgrade or CustomNoUpgrade feature set';
  const loginErrors = logins.map((login, index) => findLoginError(login, index));
  const loginError = loginErrors.find((error) => error !== null);
  if (loginError !== undefined) return loginError;
  // The number of BMC credentials is validated since 4.20, and not for a cluster with an arbiter.
  if (arbiterReplicas > 0 || !isVersionAtLeast(version, '4.20')) return null;
  const actualCount = `instead ${logins.length} credentials were found`;
  if (controlPlaneReplicas === 2)
    return logins.length === 2
      ? null
      : `controlPlane.fencing.credentials: Forbidden: there should be exactly two fencing credentials to support the two node cluster, ${actualCount}`;
  return logins.length === 0
    ? null
    : `controlPlane.fencing.credentials: Forbidden: there should not be any fencing credentials configured for a non dual replica control plane (Two Nodes Fencing) cluster, ${actualCount}`;
}

/** Whether DualReplica is enabled: in feature set Default from 4.22 on, in TechPreviewNoUpgrade from 4.20 on. */
function isGateEnabled(document: unknown, version: string): boolean {
  if (isVersionAtLeast(version, '4.22')) return true;
  return isVersionAtLeast(version, '4.20') && getString(document, 'featureSet') === 'TechPreviewNoUpgrade';
}

function findLoginError(login: BmcCredentials, index: number): string | null {
  const field = `controlPlane.fencing.credentials[${index}]`;
  const missingField = (['hostName', 'username', 'password', 'address'] as const).find((key) => login[key] === '');
  if (missingField !== undefined) return `${field}.${missingField}: Required value: missing ${missingField}`;
  const { address, certificateVerification } = login;
  if (!['', 'Enabled', 'Disabled'].includes(certificateVerification))
    return `${field}[CertificateVerification]: Invalid value: "${certificateVerification}": invalid certificate verification; "${certificateVerification}" should set to one of the following: ['Enabled' (default), 'Disabled']`;
  return address.includes('redfish')
    ? null
    : `${field}.address: Invalid value: "${address}": fencing only supports redfish-compatible BMC addresses, IPMI is not supported`;
}

/** Builds the Secrets for the etcd operator, by path below the install directory (pkg/asset/machines/master.go). */
export function buildFencingSecrets(logins: readonly BmcCredentials[]): Record<string, unknown> {
  return Object.fromEntries(
    logins.map(({ hostName, address, username, password, certificateVerification }, index) => [
      `openshift/99_openshift-etcd_fencing-credentials-secrets-${index}.yaml`,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `fencing-credentials-${hostName}`, namespace: 'openshift-etcd' },
        data: {
          username: encodeBase64(username),
          password: encodeBase64(password),
          address: encodeBase64(address),
          certificateVerification: encodeBase64(certificateVerification),
        },
      },
    ]),
  );
}
