import { stringify } from 'yaml';
import { isVersionAtLeast } from '../../design/versions.ts';
import type { ReleaseMetadata } from '../site/release-metadata.ts';
import { buildFencingSecrets } from './fencing.ts';
import type { InstallConfig } from './install-config.ts';

/**
 * Builds the manifests of an installation, by path below the install directory.
 * @param isProxyEdited whether the user added a proxy to the manifests, with an empty noProxy
 */
export function buildManifests(
  config: InstallConfig,
  release: ReleaseMetadata,
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
    'manifests/cluster-dns-02-config.yml': buildConfigObject('DNS', { baseDomain: domain }),
    'manifests/cluster-infrastructure-02-config.yml': buildInfrastructure(domain, {
      name: `${clusterName}-${release.version.replaceAll('.', '')}x`,
      controlPlaneTopology,
      topology,
      platformSpec: { type: 'None' },
      platformStatus: { type: 'None' },
    }),
    'manifests/cluster-ingress-02-config.yml': buildConfigObject('Ingress', { domain: `apps.${domain}` }),
    'manifests/cluster-network-02-config.yml': buildConfigObject('Network', {
      clusterNetwork: config.clusterNetworks,
      networkType: config.networkType,
      serviceNetwork: config.serviceNetworks,
    }),
    ...buildFeatureGate(config),
    ...buildFencingSecrets(config.bmcCredentials),
    ...buildProxyManifest(config, isProxyEdited),
    'manifests/cluster-scheduler-02-config.yml': buildConfigObject(
      'Scheduler',
      { mastersSchedulable: config.computeReplicas === 0, policy: { name: '' } },
      {},
    ),
  };
  for (const role of hasArbiter ? ['master', 'arbiter', 'worker'] : ['master', 'worker']) {
    const path = `openshift/99_openshift-machineconfig_99-${role}-ssh.yaml`;
    documents[path] = buildSshMachineConfig(role, config.sshKey, release);
  }
  return Object.fromEntries(Object.entries(documents).map(([path, document]) => [path, stringify(document)]));
}

/**
 * Builds the Proxy manifest with the noProxy entries that the installer adds automatically
 * (pkg/asset/manifests/proxy.go). These entries do not cover application routes.
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
    'manifests/cluster-proxy-01-config.yaml': buildConfigObject(
      'Proxy',
      { ...proxy, trustedCA: { name: '' } },
      { ...proxy, noProxy: noProxyEntries.join(',') },
    ),
  };
}

/** Builds the Infrastructure of a cluster. */
export function buildInfrastructure(
  domain: string,
  options: {
    readonly name: string;
    readonly controlPlaneTopology: string;
    readonly topology: string;
    readonly platformSpec: object;
    readonly platformStatus: { readonly type: string; readonly aws?: object };
  },
) {
  const { name, controlPlaneTopology, topology, platformSpec, platformStatus } = options;
  const status = {
    apiServerInternalURI: `https://api-int.${domain}:6443`,
    apiServerURL: `https://api.${domain}:6443`,
    controlPlaneTopology,
    infrastructureName: name,
    infrastructureTopology: topology,
    platform: platformStatus.type,
    platformStatus,
  };
  return buildConfigObject('Infrastructure', { platformSpec }, status);
}

/** Builds an object `cluster` of config.openshift.io. */
export function buildConfigObject(kind: string, spec: object, status?: object) {
  const document = { apiVersion: 'config.openshift.io/v1', kind, metadata: { name: 'cluster' }, spec };
  return status === undefined ? document : { ...document, status };
}

/** Builds the FeatureGate, only if a feature set is configured (pkg/asset/manifests/featuregate.go). */
function buildFeatureGate({ text }: InstallConfig): Record<string, unknown> {
  const [, featureSet] = /^featureSet: *["']?(\w+)/m.exec(text) ?? [];
  return featureSet === undefined
    ? {}
    : { 'manifests/99_feature-gate.yaml': { ...buildConfigObject('FeatureGate', { featureSet }) } };
}

function buildSshMachineConfig(role: string, sshKey: string, release: ReleaseMetadata): unknown {
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
