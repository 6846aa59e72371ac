import { isIP } from 'node:net';
import { parse } from 'yaml';
import { isVersionAtLeast } from '../../design/versions.ts';
import { encodeBase64, getField, getList, getString } from '../api/objects.ts';
import { ExitError } from './installer-log.ts';

/** The BMC credentials of a node (pkg/types/machinepools.go: Credential). A missing field is the empty string. */
interface BmcCredentials {
  readonly hostName: string;
  readonly address: string;
  readonly username: string;
  readonly password: string;
  readonly certificateVerification: string;
}

/** Reads `controlPlane.fencing.credentials` of an install-config. */
function parseBmcCredentials(document: unknown): readonly BmcCredentials[] {
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
function findFencingError(
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

/** The fields of install-config.yaml that the installation depends on. */
export interface InstallConfig {
  readonly clusterName: string;
  readonly baseDomain: string;
  readonly controlPlaneReplicas: number;
  readonly arbiterReplicas: number;
  readonly bmcCredentials: readonly BmcCredentials[];
  readonly computeReplicas: number;
  readonly networkType: string;
  readonly clusterNetworks: readonly { readonly cidr: string; readonly hostPrefix: number }[];
  readonly serviceNetworks: readonly string[];
  readonly machineNetworks: readonly string[];
  readonly sshKey: string;
  readonly pullSecret: string;
  readonly proxy: { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string } | null;
  /** Installation disk of a single node. Empty: none is configured. */
  readonly inPlaceDisk: string;
  /** The text of the file, unchanged. */
  readonly text: string;
}

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const isSubdomain = (name: string) => name.split('.').every((label) => DNS_LABEL.test(label));
/** Openshift-install subtracts the 9 characters that it adds from the 63 of a label. */
const MAX_CLUSTER_NAME_LENGTH = 54;
const INVALID_CONFIG_PREFIX =
  'failed to fetch Master Machines: failed to load asset "Install Config": failed to create install config: invalid "install-config.yaml" file: ';

/**
 * Parses an install-config and rejects what the real program rejects, with the same messages.
 * @param version of the installer
 * @throws ExitError with code 3, or 1 on 4.5
 */
export function parseInstallConfig(text: string, version: string): InstallConfig {
  const rejectionExitCode = isVersionAtLeast(version, '4.6') ? 3 : 1;
  const document = parseYaml(text, rejectionExitCode);
  const getValue = (...path: readonly string[]) => getField(document, ...path);
  const getText = (...path: readonly string[]) => String(getValue(...path) ?? '');
  const config: InstallConfig = {
    clusterName: getText('metadata', 'name'),
    baseDomain: getText('baseDomain'),
    controlPlaneReplicas: Number(getValue('controlPlane', 'replicas') ?? 3),
    arbiterReplicas: getValue('arbiter') === undefined ? 0 : Number(getValue('arbiter', 'replicas') ?? 1),
    bmcCredentials: parseBmcCredentials(document),
    computeReplicas: getList(document, 'compute').reduce(
      (sum: number, pool) => sum + Number(getField(pool, 'replicas') ?? 3),
      0,
    ),
    networkType: getText('networking', 'networkType') || 'OVNKubernetes',
    clusterNetworks: getList(document, 'networking', 'clusterNetwork').map((entry) => ({
      cidr: String(getField(entry, 'cidr') ?? ''),
      hostPrefix: Number(getField(entry, 'hostPrefix') ?? 23),
    })),
    serviceNetworks: getList(document, 'networking', 'serviceNetwork').map(String),
    machineNetworks: getList(document, 'networking', 'machineNetwork').map((entry) =>
      String(getField(entry, 'cidr') ?? ''),
    ),
    sshKey: getText('sshKey'),
    pullSecret: getText('pullSecret'),
    proxy:
      getValue('proxy') === undefined
        ? null
        : {
            httpProxy: getText('proxy', 'httpProxy'),
            httpsProxy: getText('proxy', 'httpsProxy'),
            noProxy: getText('proxy', 'noProxy'),
          },
    inPlaceDisk: getText('bootstrapInPlace', 'installationDisk'),
    text,
  };
  const problem =
    findFieldError(document, config) ??
    findArbiterError(document, config, version) ??
    findFencingError(document, config, version);
  if (problem !== null) throw new ExitError(`${INVALID_CONFIG_PREFIX}${problem}`, rejectionExitCode);
  return config;
}

function parseYaml(text: string, rejectionExitCode: number): unknown {
  try {
    return parse(text);
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new ExitError(
      `failed to fetch Master Machines: failed to load asset "Install Config": failed to unmarshal install-config.yaml: error converting YAML to JSON: yaml: ${line}`,
      rejectionExitCode,
    );
  }
}

/** Returns the error of the first field that the real program rejects, or null. */
function findFieldError(document: unknown, config: InstallConfig): string | null {
  const { clusterName, baseDomain, sshKey, clusterNetworks, serviceNetworks, machineNetworks } = config;
  const apiVersion = getField(document, 'apiVersion');
  if (apiVersion !== 'v1')
    return `apiVersion: Invalid value: "${String(apiVersion ?? '')}": install-config version must be "v1"`;
  // On platform none, the name of a cluster may have dots.
  if (clusterName.length > MAX_CLUSTER_NAME_LENGTH)
    return `metadata.name: Invalid value: "${clusterName}": must be no more than ${MAX_CLUSTER_NAME_LENGTH} characters`;
  if (!isSubdomain(clusterName))
    return `metadata.name: Invalid value: "${clusterName}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`;
  if (!isSubdomain(baseDomain))
    return `baseDomain: Invalid value: "${baseDomain}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`;
  if (!isPullSecret(config.pullSecret)) return `pullSecret: Invalid value: "": auths required`;
  if (sshKey !== '' && !/^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+) \S+/.test(sshKey))
    return `sshKey: Invalid value: "${sshKey.slice(0, 30)}": ssh: no key found`;
  const cidrs = [
    ...clusterNetworks.map(({ cidr }, index) => [`clusterNetwork[${index}].cidr`, cidr] as const),
    ...serviceNetworks.map((cidr, index) => [`serviceNetwork[${index}]`, cidr] as const),
    ...machineNetworks.map((cidr, index) => [`machineNetwork[${index}].cidr`, cidr] as const),
  ];
  for (const [field, cidr] of cidrs)
    if (!isCidr(cidr)) return `networking.${field}: Invalid value: "${cidr}": invalid CIDR address: ${cidr}`;
  const hasPlatform = getField(document, 'platform', 'none') !== undefined;
  return hasPlatform ? null : 'platform: Invalid value: "": must specify one of the platforms (none)';
}

/** Returns the error of the arbiter's pool, or null (pkg/types/validation/installconfig.go: validateArbiter). */
function findArbiterError(document: unknown, config: InstallConfig, version: string): string | null {
  if (getField(document, 'arbiter') === undefined) return null;
  const name = String(getField(document, 'arbiter', 'name') ?? '');
  if (!isVersionAtLeast(version, '4.22'))
    return 'arbiter.platform: Unsupported value: "none": supported values: "baremetal"';
  if (name !== 'arbiter') return `arbiter.name: Unsupported value: "${name}": supported values: "arbiter"`;
  if (config.arbiterReplicas === 0)
    return 'arbiter.replicas: Invalid value: 0: number of arbiter replicas must be positive';
  return config.controlPlaneReplicas < 2
    ? `arbiter.replicas: Invalid value: ${config.controlPlaneReplicas}: number of controlPlane replicas must be at least 2 for arbiter deployments`
    : null;
}

function isPullSecret(text: string): boolean {
  try {
    const { auths } = JSON.parse(text) as { auths?: Record<string, unknown> };
    return typeof auths === 'object' && Object.keys(auths).length > 0;
  } catch {
    return false;
  }
}

function isCidr(text: string): boolean {
  const [address = '', prefix = ''] = text.split('/');
  const family = isIP(address);
  return family !== 0 && /^\d+$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}
