import { getNodeFqdn } from '../../src/design/derived-facts.ts';
import type { Design } from '../../src/design/model.ts';
import { minutesBefore } from './bundle-text.ts';

const formatList = (items: readonly unknown[]) =>
  `${JSON.stringify({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } }, null, 4)}\n`;

/**
 * A condition.
 * @param minutes age of its last transition
 */
export const condition = (
  type: string,
  status: 'True' | 'False' | 'Unknown',
  minutes = 60,
  reason = 'AsExpected',
  message = '',
) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: minutesBefore(minutes),
});

/** Returns a healthy ClusterOperator. */
export const operator = (
  name: string,
  conditions = [condition('Available', 'True'), condition('Progressing', 'False'), condition('Degraded', 'False')],
) => ({
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterOperator',
  metadata: {
    name,
    creationTimestamp: minutesBefore(90),
    annotations: { 'include.release.openshift.io/self-managed-high-availability': 'true' },
  },
  spec: {},
  status: {
    conditions,
    extension: null,
    relatedObjects: [{ group: '', name: `openshift-${name}`, resource: 'namespaces' }],
  },
});

/** Returns a Node of the design. */
export function nodeObject(design: Design, name: string, readyChanges: Record<string, unknown> = {}) {
  const node = design.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`no node ${name}`);
  const role = node.role === 'control-plane' ? 'master' : 'worker';
  const heartbeat = { lastHeartbeatTime: minutesBefore(1) };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: getNodeFqdn(design, node),
      creationTimestamp: minutesBefore(55),
      labels: { [`node-role.kubernetes.io/${role}`]: '', 'kubernetes.io/os': 'linux' },
      annotations: {
        'machineconfiguration.openshift.io/currentConfig': 'rendered-1',
        'machineconfiguration.openshift.io/desiredConfig': 'rendered-1',
        'machineconfiguration.openshift.io/state': 'Done',
      },
    },
    spec: {},
    status: {
      addresses: [
        { type: 'InternalIP', address: node.ip[0] },
        { type: 'Hostname', address: getNodeFqdn(design, node) },
      ],
      capacity: { 'ephemeral-storage': '125293548Ki', memory: '16115144Ki' },
      conditions: [
        { ...condition('DiskPressure', 'False'), ...heartbeat },
        {
          ...condition('Ready', 'True', 50, 'KubeletReady', 'kubelet is posting ready status'),
          ...heartbeat,
          ...readyChanges,
        },
      ],
    },
  };
}

const OPERATORS =
  'authentication baremetal cloud-controller-manager cloud-credential cluster-autoscaler config-operator console control-plane-machine-set csi-snapshot-controller dns etcd image-registry ingress insights kube-apiserver kube-controller-manager kube-scheduler kube-storage-version-migrator machine-api machine-approver machine-config marketplace monitoring network node-tuning openshift-apiserver openshift-controller-manager openshift-samples operator-lifecycle-manager operator-lifecycle-manager-catalog operator-lifecycle-manager-packageserver service-ca storage';

/** Returns all operators of a release, with some of them replaced. */
export function operators(...changed: readonly ReturnType<typeof operator>[]) {
  return OPERATORS.split(' ').map((name) => changed.find(({ metadata }) => metadata.name === name) ?? operator(name));
}

export const clusterVersion = (
  conditions = [
    condition('Available', 'True', 20, '', 'Done applying 4.18.9'),
    condition('Failing', 'False'),
    condition('Progressing', 'False', 20, '', 'Cluster version is 4.18.9'),
  ],
) => ({
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterVersion',
  metadata: { name: 'version', creationTimestamp: minutesBefore(90) },
  spec: { channel: 'stable-4.18', clusterID: 'c3b1' },
  status: { conditions, desired: { version: '4.18.9', image: 'quay.io/openshift-release-dev/ocp-release@sha256:ab' } },
});

export const formatResources = (...items: readonly unknown[]) => formatList(items);
