import { stringify } from 'yaml';
import { isAtLeast, type ReleaseFacts } from '../site/config.ts';
import type { InstallConfig } from './install-config.ts';

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
  const documents: Record<string, unknown> = {
    'manifests/cluster-config.yaml': {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cluster-config-v1', namespace: 'kube-system' },
      data: { 'install-config': config.text.replace(/^pullSecret:.*$/m, 'pullSecret: ""') },
    },
    'manifests/cluster-dns-02-config.yml': {
      apiVersion: 'config.openshift.io/v1',
      kind: 'DNS',
      metadata: { name: 'cluster' },
      spec: { baseDomain: domain },
    },
    'manifests/cluster-infrastructure-02-config.yml': {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Infrastructure',
      metadata: { name: 'cluster' },
      spec: { platformSpec: { type: 'None' } },
      status: {
        apiServerInternalURI: `https://api-int.${domain}:6443`,
        apiServerURL: `https://api.${domain}:6443`,
        controlPlaneTopology: config.controlPlaneReplicas === 1 ? 'SingleReplica' : 'HighlyAvailable',
        infrastructureName: `${clusterName}-${release.version.replaceAll('.', '')}x`,
        infrastructureTopology: config.controlPlaneReplicas === 1 ? 'SingleReplica' : 'HighlyAvailable',
        platform: 'None',
        platformStatus: { type: 'None' },
      },
    },
    'manifests/cluster-ingress-02-config.yml': {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Ingress',
      metadata: { name: 'cluster' },
      spec: { domain: `apps.${domain}` },
    },
    'manifests/cluster-network-02-config.yml': {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Network',
      metadata: { name: 'cluster' },
      spec: {
        clusterNetwork: config.clusterNetworks,
        networkType: config.networkType,
        serviceNetwork: config.serviceNetworks,
      },
    },
    ...buildProxyManifest(config, isProxyEdited),
    'manifests/cluster-scheduler-02-config.yml': {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Scheduler',
      metadata: { name: 'cluster' },
      spec: { mastersSchedulable: config.computeReplicas === 0, policy: { name: '' } },
      status: {},
    },
    'openshift/99_openshift-machineconfig_99-master-ssh.yaml': buildSshMachineConfig('master', config.sshKey, release),
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
    'manifests/cluster-proxy-01-config.yaml': {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Proxy',
      metadata: { name: 'cluster' },
      spec: { ...proxy, trustedCA: { name: '' } },
      status: { ...proxy, noProxy: noProxyEntries.join(',') },
    },
  };
}

function buildSshMachineConfig(role: string, sshKey: string, release: ReleaseFacts): unknown {
  // The machine-config-operator of a release does not know later spec versions.
  const version = isAtLeast(release, 4, 7) ? '3.2.0' : isAtLeast(release, 4, 6) ? '3.1.0' : '2.2.0';
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: `99-${role}-ssh`, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec: {
      config: {
        ignition: { version },
        passwd: { users: [{ name: 'core', sshAuthorizedKeys: sshKey === '' ? [] : [sshKey.trim()] }] },
      },
    },
  };
}
