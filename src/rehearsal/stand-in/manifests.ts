import { stringify } from 'yaml';
import type { ReleaseFacts } from '../site/versions.ts';
import type { InstallConfig } from './install-config.ts';

/** The manifests of an installation, by path below the install directory. */
export function manifestsOf(config: InstallConfig, release: ReleaseFacts): Record<string, string> {
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
    'manifests/cluster-scheduler-02-config.yml': {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Scheduler',
      metadata: { name: 'cluster' },
      spec: { mastersSchedulable: config.computeReplicas === 0, policy: { name: '' } },
      status: {},
    },
    'openshift/99_openshift-machineconfig_99-master-ssh.yaml': sshConfig('master', config.sshKey),
    'openshift/99_openshift-machineconfig_99-worker-ssh.yaml': sshConfig('worker', config.sshKey),
  };
  return Object.fromEntries(Object.entries(documents).map(([path, document]) => [path, stringify(document)]));
}

function sshConfig(role: string, sshKey: string): unknown {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: `99-${role}-ssh`, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec: {
      config: {
        ignition: { version: '3.2.0' },
        passwd: { users: [{ name: 'core', sshAuthorizedKeys: sshKey === '' ? [] : [sshKey.trim()] }] },
      },
    },
  };
}
