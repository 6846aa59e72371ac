import { MINUTE } from '../../../../src/platform/clock.ts';
import { nodeObject } from '../../../support/bundle-objects.ts';
import { formatJournal, formatKlogPrefix, GATHERED_AT } from '../../../support/bundle-text.ts';
import { createListFile, createMustGather, createObjectFiles } from '../../../support/must-gather.ts';
import { type BundleScene, createCsr } from '../bundle-scene.ts';
import { design, times, unreachableNode, withoutFiles } from './must-gathers.ts';

/** Clusters with unhealthy nodes or volumes, as `oc adm must-gather` finds them. */
export const NODE_SCENES: readonly BundleScene[] = [
  [
    'a node that is gone',
    ['node-gone'],
    'stopped posting',
    createMustGather(
      design,
      createObjectFiles(unreachableNode('w1', 'NodeStatusUnknown', 'Kubelet stopped posting node status.')),
    ),
  ],
  [
    'a node without a network',
    ['network-not-ready'],
    'NetworkPluginNotReady',
    createMustGather(
      design,
      createObjectFiles(
        nodeObject(design, 'w1', {
          status: 'False',
          reason: 'KubeletNotReady',
          message:
            'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: No CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?',
          lastTransitionTime: new Date(GATHERED_AT - 40 * MINUTE).toISOString(),
        }),
      ),
    ),
  ],
  [
    'a node that is not Ready',
    ['node-not-ready'],
    'system and the runtime',
    createMustGather(
      design,
      createObjectFiles(
        nodeObject(design, 'w1', {
          status: 'False',
          reason: 'KubeletNotReady',
          message: '[error creating: the system and the runtime do not agree on cgroups, rpc error: code = Unknown]',
          lastTransitionTime: new Date(GATHERED_AT - 40 * MINUTE).toISOString(),
        }),
      ),
    ),
  ],
  [
    'a claim without a class',
    ['storage-class-missing'],
    'openshift-monitoring/prometheus-k8s-db-prometheus-k8s-0',
    createMustGather(design, {
      ...withoutFiles('storage.k8s.io/storageclasses'),
      ...createListFile('openshift-monitoring', 'persistentvolumeclaims', 'PersistentVolumeClaim', {
        metadata: { name: 'prometheus-k8s-db-prometheus-k8s-0', namespace: 'openshift-monitoring' },
        spec: { storageClassName: 'thin' },
        status: { phase: 'Pending' },
      }),
    }),
  ],
  [
    'a volume that is not provisioned',
    ['volume-not-provisioned'],
    'no space in the pool',
    createMustGather(design, {
      ...createObjectFiles({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'lab' },
        provisioner: 'lab.csi.example.com',
        volumeBindingMode: 'Immediate',
      }),
      ...createListFile('lab', 'persistentvolumeclaims', 'PersistentVolumeClaim', {
        metadata: { name: 'data', namespace: 'lab', creationTimestamp: '2026-11-22T11:00:00Z' },
        spec: { storageClassName: 'lab' },
        status: { phase: 'Pending' },
      }),
      ...createListFile('lab', 'events', 'Event', {
        metadata: { name: 'data.1', namespace: 'lab' },
        involvedObject: { kind: 'PersistentVolumeClaim', name: 'data', namespace: 'lab' },
        reason: 'ProvisioningFailed',
        message: 'no space in the pool',
        lastTimestamp: '2026-11-22T11:58:00Z',
        type: 'Warning',
      }),
    }),
  ],
  [
    'requests of a must-gather',
    ['requests-wait'],
    'Pending',
    createMustGather(design, {
      ...withoutFiles('core/nodes/w1.', 'core/nodes/w2.'),
      ...createObjectFiles(createCsr('w1'), createCsr('w2')),
    }),
  ],
  [
    'a container that cannot reach its registry, now',
    ['registry-unreachable'],
    'i/o timeout',
    createMustGather(design, {
      'host_service_logs/masters/kubelet_service.log': formatJournal(
        'm1',
        'kubenswrapper[2345]',
        times(
          10,
          `${formatKlogPrefix('E', MINUTE, 'kuberuntime_image.go:55')} "Failed to pull image" err="initializing source docker://registry.redhat.io/x/y:v1: pinging container registry registry.redhat.io: Get \\"https://registry.redhat.io/v2/\\": dial tcp 23.1.2.3:443: i/o timeout" image="registry.redhat.io/x/y:v1"`,
        ),
      ),
    }),
  ],
];
