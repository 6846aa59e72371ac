import { condition, operator } from '../../../support/bundle-objects.ts';
import { createListFile, createMustGather, createObjectFiles } from '../../../support/must-gather.ts';
import type { BundleScene } from '../bundle-scene.ts';
import { design, incompleteVersion, unhealthyOperator, versionFile, withoutFiles, workers } from './must-gathers.ts';

/** Clusters with unhealthy operators or a failing version, as `oc adm must-gather` finds them. */
export const OPERATOR_SCENES: readonly BundleScene[] = [
  [
    'routers without a worker',
    ['routers-without-nodes'],
    'cannot be scheduled',
    createMustGather(design, {
      ...incompleteVersion,
      ...withoutFiles(...workers.map((name) => `core/nodes/${name}.`), 'namespaces/openshift-ingress/'),
      ...createObjectFiles(
        unhealthyOperator(
          'ingress',
          'IngressUnavailable',
          'The "default" ingress controller reports Available=False: IngressControllerUnavailable: One or more status conditions indicate unavailable: DeploymentAvailable=False (DeploymentUnavailable: The deployment has Available status condition set to False (reason: MinimumReplicasUnavailable) with message: Deployment does not have minimum availability.), PodsScheduled=False (PodsNotScheduled: Some pods are not scheduled: Pod "router-default-7c6d7f8b9-abc0" cannot be scheduled: 0/3 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling. Make sure you have sufficient worker nodes.)',
        ),
        unhealthyOperator(
          'authentication',
          'OAuthServerRouteEndpointAccessibleController_EndpointUnavailable',
          'OAuthServerRouteEndpointAccessibleControllerAvailable: Get "https://oauth-openshift.apps.ocp45.example.localdomain/healthz": EOF',
        ),
        unhealthyOperator(
          'console',
          'RouteHealth_FailedGet',
          'RouteHealthAvailable: failed to GET route (https://console-openshift-console.apps.ocp45.example.localdomain): Get "https://console-openshift-console.apps.ocp45.example.localdomain": EOF',
        ),
      ),
      ...createListFile('openshift-ingress', 'pods', 'Pod', {
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
    createMustGather(design, {
      ...incompleteVersion,
      ...createObjectFiles(
        unhealthyOperator(
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
    createMustGather(design, {
      ...incompleteVersion,
      ...createObjectFiles(
        unhealthyOperator(
          'image-registry',
          'StorageNotConfigured',
          'Unable to apply resources: storage backend not configured',
        ),
      ),
    }),
  ],
  [
    'a pool that is stuck',
    ['pool-degraded'],
    'content mismatch',
    createMustGather(design, {
      ...createObjectFiles(
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
    'an update without its signature',
    ['signatures-missing'],
    'unable to verify',
    createMustGather(
      design,
      versionFile([
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
    createMustGather(design, {
      ...versionFile([
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
      ...createObjectFiles(
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
    createMustGather(
      design,
      versionFile([
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
];
