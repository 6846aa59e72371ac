import { MINUTE } from '../../../src/ports/clock.ts';
import { clusterVersion, condition, nodeObject, operator } from '../../support/bundle-objects.ts';
import { GATHERED, journal, klog } from '../../support/bundle-text.ts';
import { exampleSite } from '../../support/example-design.ts';
import { gathered, listed, mustGather } from '../../support/must-gather.ts';
import { type BundleScene, csr } from './bundle-scene.ts';

const design = exampleSite();
const times = (count: number, ...texts: readonly string[]) => Array.from({ length: count }, () => texts).flat();
const sick = (name: string, reason: string, message: string) =>
  operator(name, [
    condition('Available', 'False', 90, reason, message),
    condition('Progressing', 'True', 90, reason, message),
    condition('Degraded', 'True', 90, reason, message),
  ]);
const installing = gatheredVersion([
  condition('Available', 'False', 90),
  condition(
    'Failing',
    'True',
    30,
    'ClusterOperatorNotAvailable',
    'Cluster operators authentication, console, ingress are not available',
  ),
  condition('Progressing', 'True', 90, '', 'Unable to apply 4.18.9: some cluster operators are not available'),
]);
function gatheredVersion(conditions: Parameters<typeof clusterVersion>[0]) {
  return {
    'cluster-scoped-resources/config.openshift.io/clusterversions/version.yaml': JSON.stringify(
      clusterVersion(conditions),
    ),
  };
}
const without = (...names: readonly string[]) =>
  Object.fromEntries(
    Object.keys(mustGather(design))
      .filter((path) => names.some((name) => path.includes(name)))
      .map((path) => [path.split('/').slice(2).join('/'), null]),
  );
const workers = design.nodes
  .filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane')
  .map(({ name }) => name);
const gone = (node: string, reason: string, message: string) =>
  nodeObject(design, node, {
    status: 'Unknown',
    reason,
    message,
    lastTransitionTime: new Date(GATHERED - 40 * MINUTE).toISOString(),
  });

/** Clusters that are not well, as `oc adm must-gather` found them. */
export const MUST_GATHER_SCENES: readonly BundleScene[] = [
  [
    'routers without a worker',
    ['routers-without-nodes'],
    'cannot be scheduled',
    mustGather(design, {
      ...installing,
      ...without(...workers.map((name) => `core/nodes/${name}.`), 'namespaces/openshift-ingress/'),
      ...gathered(
        sick(
          'ingress',
          'IngressUnavailable',
          'The "default" ingress controller reports Available=False: IngressControllerUnavailable: One or more status conditions indicate unavailable: DeploymentAvailable=False (DeploymentUnavailable: The deployment has Available status condition set to False (reason: MinimumReplicasUnavailable) with message: Deployment does not have minimum availability.), PodsScheduled=False (PodsNotScheduled: Some pods are not scheduled: Pod "router-default-7c6d7f8b9-abc0" cannot be scheduled: 0/3 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling. Make sure you have sufficient worker nodes.)',
        ),
        sick(
          'authentication',
          'OAuthServerRouteEndpointAccessibleController_EndpointUnavailable',
          'OAuthServerRouteEndpointAccessibleControllerAvailable: Get "https://oauth-openshift.apps.ocp45.example.localdomain/healthz": EOF',
        ),
        sick(
          'console',
          'RouteHealth_FailedGet',
          'RouteHealthAvailable: failed to GET route (https://console-openshift-console.apps.ocp45.example.localdomain): Get "https://console-openshift-console.apps.ocp45.example.localdomain": EOF',
        ),
      ),
      ...listed('openshift-ingress', 'pods', 'Pod', {
        metadata: { name: 'router-default-7c6d7f8b9-abc0', namespace: 'openshift-ingress' },
        spec: {},
        status: {
          phase: 'Pending',
          conditions: [
            condition(
              'PodScheduled',
              'False',
              60,
              'Unschedulable',
              '0/3 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.',
            ),
          ],
        },
      }),
    }),
  ],
  [
    'the wildcard of routes',
    ['apps-wildcard-missing'],
    'no such host',
    mustGather(design, {
      ...installing,
      ...gathered(
        sick(
          'authentication',
          'OAuthServerRouteEndpointAccessibleController_EndpointUnavailable',
          'OAuthServerRouteEndpointAccessibleControllerAvailable: Get "https://oauth-openshift.apps.ocp45.example.localdomain/healthz": dial tcp: lookup oauth-openshift.apps.ocp45.example.localdomain on 172.30.0.10:53: no such host (this is likely result of malfunctioning DNS server)',
        ),
      ),
    }),
  ],
  [
    'a registry without storage',
    ['storage-class-missing'],
    'storage',
    mustGather(design, {
      ...installing,
      ...gathered(
        sick('image-registry', 'StorageNotConfigured', 'Unable to apply resources: storage backend not configured'),
      ),
    }),
  ],
  [
    'a pool that is stuck',
    ['pool-degraded'],
    'content mismatch',
    mustGather(design, {
      ...gathered(
        {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'MachineConfigPool',
          metadata: { name: 'worker' },
          status: {
            conditions: [
              condition('Degraded', 'True', 90),
              condition(
                'NodeDegraded',
                'True',
                90,
                '1 nodes are reporting degraded status on sync',
                'Node w1.ocp45.example.localdomain is reporting: "unexpected on-disk state validating against rendered-worker-2: content mismatch for file \\"/etc/chrony.conf\\""',
              ),
            ],
          },
        },
        operator('machine-config', [
          condition('Available', 'True'),
          condition('Progressing', 'False'),
          condition(
            'Degraded',
            'True',
            80,
            'RequiredPoolsFailed',
            'Failed to resync 4.18.9 because: error during syncRequiredMachineConfigPools: [context deadline exceeded, error required MachineConfigPool worker is not ready, retrying. Status: (total: 3, ready 2, updated: 2, unavailable: 1, degraded: 1)]',
          ),
        ]),
      ),
    }),
  ],
  [
    'a node that is gone',
    ['node-gone'],
    'stopped posting',
    mustGather(design, gathered(gone('w1', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'))),
  ],
  [
    'a node without a network',
    ['network-not-ready'],
    'NetworkPluginNotReady',
    mustGather(
      design,
      gathered(
        nodeObject(design, 'w1', {
          status: 'False',
          reason: 'KubeletNotReady',
          message:
            'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: No CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?',
          lastTransitionTime: new Date(GATHERED - 40 * MINUTE).toISOString(),
        }),
      ),
    ),
  ],
  [
    'a node that is not Ready',
    ['node-not-ready'],
    'system and the runtime',
    mustGather(
      design,
      gathered(
        nodeObject(design, 'w1', {
          status: 'False',
          reason: 'KubeletNotReady',
          message: '[error creating: the system and the runtime do not agree on cgroups, rpc error: code = Unknown]',
          lastTransitionTime: new Date(GATHERED - 40 * MINUTE).toISOString(),
        }),
      ),
    ),
  ],
  [
    'a claim without a class',
    ['storage-class-missing'],
    'openshift-monitoring/prometheus-k8s-db-prometheus-k8s-0',
    mustGather(design, {
      ...without('storage.k8s.io/storageclasses'),
      ...listed('openshift-monitoring', 'persistentvolumeclaims', 'PersistentVolumeClaim', {
        metadata: { name: 'prometheus-k8s-db-prometheus-k8s-0', namespace: 'openshift-monitoring' },
        spec: { storageClassName: 'thin' },
        status: { phase: 'Pending' },
      }),
    }),
  ],
  [
    'a volume that nobody makes',
    ['volume-not-provisioned'],
    'no space in the pool',
    mustGather(design, {
      ...gathered({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'lab' },
        provisioner: 'lab.csi.example.com',
        volumeBindingMode: 'Immediate',
      }),
      ...listed('lab', 'persistentvolumeclaims', 'PersistentVolumeClaim', {
        metadata: { name: 'data', namespace: 'lab', creationTimestamp: '2026-11-22T11:00:00Z' },
        spec: { storageClassName: 'lab' },
        status: { phase: 'Pending' },
      }),
      ...listed('lab', 'events', 'Event', {
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
    mustGather(design, { ...without('core/nodes/w1.', 'core/nodes/w2.'), ...gathered(csr('w1'), csr('w2')) }),
  ],
  [
    'an update that was not accepted',
    ['release-not-loaded'],
    'unable to verify',
    mustGather(
      design,
      gatheredVersion([
        condition('Available', 'True', 9000, '', 'Done applying 4.18.9'),
        condition(
          'ReleaseAccepted',
          'False',
          40,
          'RetrievePayload',
          'Retrieving payload failed version="4.18.12" image="quay.io/openshift-release-dev/ocp-release@sha256:cd" failure=The update cannot be verified: unable to verify sha256:cd against keyrings: verifier-public-key-redhat',
        ),
        condition('Failing', 'False'),
        condition('Progressing', 'False'),
      ]),
    ),
  ],
  [
    'an update that is stuck',
    ['operator-degraded', 'version-failing'],
    'dns',
    mustGather(design, {
      ...gatheredVersion([
        condition('Available', 'True', 9000, '', 'Done applying 4.18.9'),
        condition('Failing', 'True', 60, 'ClusterOperatorDegraded', 'Cluster operator dns is degraded'),
        condition(
          'Progressing',
          'True',
          100,
          'ClusterOperatorDegraded',
          'Unable to apply 4.18.12: wait has exceeded 40 minutes for these operators: dns',
        ),
      ]),
      ...gathered(
        operator('dns', [
          condition('Available', 'True', 9000),
          condition('Progressing', 'False', 60),
          condition('Degraded', 'True', 60, 'DNSDegraded', 'DNS default is degraded'),
        ]),
      ),
    }),
  ],
  [
    'a release that does not come',
    ['version-failing'],
    'could not',
    mustGather(
      design,
      gatheredVersion([
        condition('Available', 'True', 9000, '', 'Done applying 4.18.9'),
        condition(
          'Failing',
          'True',
          60,
          'UpdatePayloadFailed',
          'Could not update deployment "openshift-x/y" (300 of 900): could not find it',
        ),
        condition('Progressing', 'True', 100, '', 'Unable to apply 4.18.12'),
      ]),
    ),
  ],
  [
    'a container that cannot reach its registry, now',
    ['registry-unreachable'],
    'i/o timeout',
    mustGather(design, {
      'host_service_logs/masters/kubelet_service.log': journal(
        'm1',
        'kubenswrapper[2345]',
        times(
          10,
          `${klog('E', MINUTE, 'kuberuntime_image.go:55')} "Failed to pull image" err="initializing source docker://registry.redhat.io/x/y:v1: pinging container registry registry.redhat.io: Get \\"https://registry.redhat.io/v2/\\": dial tcp 23.1.2.3:443: i/o timeout" image="registry.redhat.io/x/y:v1"`,
        ),
      ),
    }),
  ],
];
