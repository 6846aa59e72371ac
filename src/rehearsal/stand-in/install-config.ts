import { isIP } from 'node:net';
import { parse, stringify } from 'yaml';
import { isVersionAtLeast } from '../../design/versions.ts';
import { getField, getList } from '../api/objects.ts';
import type { ReleaseFacts } from '../site/config.ts';
import { buildFencingSecrets, type FencingLogin, findFencingError, readFencingLogins } from './fencing.ts';
import { ExitError } from './installer-log.ts';

/** The fields of install-config.yaml that the installation depends on. */
export interface InstallConfig {
  readonly clusterName: string;
  readonly baseDomain: string;
  readonly controlPlaneReplicas: number;
  readonly arbiterReplicas: number;
  readonly fencingLogins: readonly FencingLogin[];
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
const INVALID_PREFIX =
  'failed to fetch Master Machines: failed to load asset "Install Config": failed to create install config: invalid "install-config.yaml" file: ';

/**
 * Parses an install-config and rejects what the real program rejects, with the same messages.
 * @param rejectionExitCode the exit code of a rejected file: 3, or 1 on 4.5
 * @param version of the installer
 * @throws ExitError
 */
export function parseInstallConfig(text: string, rejectionExitCode: number, version: string): InstallConfig {
  const document = parseYaml(text, rejectionExitCode);
  const readField = (...path: readonly string[]) => getField(document, ...path);
  const readString = (...path: readonly string[]) => String(readField(...path) ?? '');
  const config: InstallConfig = {
    clusterName: readString('metadata', 'name'),
    baseDomain: readString('baseDomain'),
    controlPlaneReplicas: Number(readField('controlPlane', 'replicas') ?? 3),
    arbiterReplicas: readField('arbiter') === undefined ? 0 : Number(readField('arbiter', 'replicas') ?? 1),
    fencingLogins: readFencingLogins(document),
    computeReplicas: getList(document, 'compute').reduce(
      (sum: number, pool) => sum + Number(getField(pool, 'replicas') ?? 3),
      0,
    ),
    networkType: readString('networking', 'networkType') || 'OVNKubernetes',
    clusterNetworks: getList(document, 'networking', 'clusterNetwork').map((entry) => ({
      cidr: String(getField(entry, 'cidr') ?? ''),
      hostPrefix: Number(getField(entry, 'hostPrefix') ?? 23),
    })),
    serviceNetworks: getList(document, 'networking', 'serviceNetwork').map(String),
    machineNetworks: getList(document, 'networking', 'machineNetwork').map((entry) =>
      String(getField(entry, 'cidr') ?? ''),
    ),
    sshKey: readString('sshKey'),
    pullSecret: readString('pullSecret'),
    proxy:
      readField('proxy') === undefined
        ? null
        : {
            httpProxy: readString('proxy', 'httpProxy'),
            httpsProxy: readString('proxy', 'httpsProxy'),
            noProxy: readString('proxy', 'noProxy'),
          },
    inPlaceDisk: readString('bootstrapInPlace', 'installationDisk'),
    text,
  };
  const problem =
    findFieldError(document, config) ??
    findArbiterError(document, config, version) ??
    findFencingError(document, config, version);
  if (problem !== null) throw new ExitError(`${INVALID_PREFIX}${problem}`, rejectionExitCode);
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
  if (!DNS_LABEL.test(clusterName))
    return `metadata.name: Invalid value: "${clusterName}": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'`;
  if (baseDomain === '' || !baseDomain.split('.').every((label) => DNS_LABEL.test(label)))
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

/**
 * Returns the error of the arbiter's machine pool, or null (validateArbiter in pkg/types/validation/installconfig.go).
 */
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

/**
 * Builds the manifests of an installation, by path below the install directory.
 * @param isProxyEdited the user added a proxy to the manifests, with an empty noProxy
 */
export function buildManifests(
  config: InstallConfig,
  release: ReleaseFacts,
  isProxyEdited: boolean,
): Record<string, string> {
  const { clusterName, baseDomain } = config;
  const domain = `${clusterName}.${baseDomain}`;
  const topology = config.controlPlaneReplicas === 1 ? 'SingleReplica' : 'HighlyAvailable';
  const hasArbiter = config.arbiterReplicas > 0;
  // pkg/asset/manifests/topologies.go.
  const controlPlaneTopology = hasArbiter
    ? 'HighlyAvailableArbiter'
    : config.controlPlaneReplicas === 2
      ? 'DualReplica'
      : topology;
  const documents: Record<string, unknown> = {
    'manifests/cluster-config.yaml': {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cluster-config-v1', namespace: 'kube-system' },
      data: { 'install-config': config.text.replace(/^pullSecret:.*$/m, 'pullSecret: ""') },
    },
    'manifests/cluster-dns-02-config.yml': buildConfig('DNS', { baseDomain: domain }),
    'manifests/cluster-infrastructure-02-config.yml': buildConfig(
      'Infrastructure',
      { platformSpec: { type: 'None' } },
      {
        apiServerInternalURI: `https://api-int.${domain}:6443`,
        apiServerURL: `https://api.${domain}:6443`,
        controlPlaneTopology,
        infrastructureName: `${clusterName}-${release.version.replaceAll('.', '')}x`,
        infrastructureTopology: topology,
        platform: 'None',
        platformStatus: { type: 'None' },
      },
    ),
    'manifests/cluster-ingress-02-config.yml': buildConfig('Ingress', { domain: `apps.${domain}` }),
    'manifests/cluster-network-02-config.yml': buildConfig('Network', {
      clusterNetwork: config.clusterNetworks,
      networkType: config.networkType,
      serviceNetwork: config.serviceNetworks,
    }),
    ...buildFeatureGate(config),
    ...buildFencingSecrets(config.fencingLogins),
    ...buildProxyManifest(config, isProxyEdited),
    'manifests/cluster-scheduler-02-config.yml': buildConfig(
      'Scheduler',
      { mastersSchedulable: config.computeReplicas === 0, policy: { name: '' } },
      {},
    ),
    'openshift/99_openshift-machineconfig_99-master-ssh.yaml': buildSshMachineConfig('master', config.sshKey, release),
    ...(hasArbiter
      ? {
          'openshift/99_openshift-machineconfig_99-arbiter-ssh.yaml': buildSshMachineConfig(
            'arbiter',
            config.sshKey,
            release,
          ),
        }
      : {}),
    'openshift/99_openshift-machineconfig_99-worker-ssh.yaml': buildSshMachineConfig('worker', config.sshKey, release),
  };
  return Object.fromEntries(Object.entries(documents).map(([path, document]) => [path, stringify(document)]));
}

/**
 * Builds the Proxy manifest with the noProxy entries that the installer adds automatically
 * (pkg/asset/manifests/proxy.go). They do not cover the routes of applications.
 */
function buildProxyManifest(config: InstallConfig, isEdited: boolean): Record<string, unknown> {
  const { clusterName, baseDomain } = config;
  const url = `http://proxy.${baseDomain}:3128`;
  const proxy = isEdited
    ? { httpProxy: config.proxy?.httpProxy || url, httpsProxy: config.proxy?.httpsProxy || url, noProxy: '' }
    : config.proxy;
  if (proxy === null) return {};
  const noProxyEntries = [
    '.cluster.local',
    '.svc',
    '127.0.0.1',
    `api-int.${clusterName}.${baseDomain}`,
    'localhost',
    ...config.clusterNetworks.map(({ cidr }) => cidr),
    ...config.machineNetworks,
    ...config.serviceNetworks,
    ...proxy.noProxy.split(',').filter((entry) => entry !== ''),
  ];
  return {
    'manifests/cluster-proxy-01-config.yaml': buildConfig(
      'Proxy',
      { ...proxy, trustedCA: { name: '' } },
      { ...proxy, noProxy: noProxyEntries.join(',') },
    ),
  };
}

function buildConfig(kind: string, spec: object, status?: object) {
  const document = { apiVersion: 'config.openshift.io/v1', kind, metadata: { name: 'cluster' }, spec };
  return status === undefined ? document : { ...document, status };
}

/** Builds the FeatureGate, only if a feature set is configured (pkg/asset/manifests/featuregate.go). */
function buildFeatureGate({ text }: InstallConfig): Record<string, unknown> {
  const [, featureSet] = /^featureSet: *["']?(\w+)/m.exec(text) ?? [];
  return featureSet === undefined
    ? {}
    : { 'manifests/99_feature-gate.yaml': { ...buildConfig('FeatureGate', { featureSet }) } };
}

function buildSshMachineConfig(role: string, sshKey: string, release: ReleaseFacts): unknown {
  // The machine-config-operator of a release does not know later spec versions.
  const ignitionVersion = isVersionAtLeast(release.version, '4.7')
    ? '3.2.0'
    : isVersionAtLeast(release.version, '4.6')
      ? '3.1.0'
      : '2.2.0';
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: `99-${role}-ssh`, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec: {
      config: {
        ignition: { version: ignitionVersion },
        passwd: { users: [{ name: 'core', sshAuthorizedKeys: sshKey === '' ? [] : [sshKey.trim()] }] },
      },
    },
  };
}
