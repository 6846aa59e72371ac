import { timestamp } from '../../api/objects.ts';
import { ensure } from '../operators/cluster-objects.ts';
import type { World } from '../world.ts';

// What stays of something that somebody removed: an API that its pods served, a namespace, a webhook.

/** The metrics adapter is gone, and its APIService is not. */
export function leaveApiService({ store }: World): boolean {
  ensure(store, 'apiservices.apiregistration.k8s.io', {
    metadata: { name: 'v1beta1.external.metrics.k8s.io', labels: { 'app.kubernetes.io/part-of': 'keda' } },
    spec: {
      service: { namespace: 'keda', name: 'keda-operator-metrics-apiserver', port: 443 },
      group: 'external.metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
    status: {},
  });
  return true;
}

/** The snapshot controller is gone, and a claim that it protects waits for it. */
export function leaveNamespace({ store, clock }: World): boolean {
  const name = 'backup-trial';
  const deletionTimestamp = timestamp(clock.now());
  ensure(store, 'namespaces', {
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name }, deletionTimestamp },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  });
  ensure(store, 'persistentvolumeclaims', {
    metadata: {
      name: 'backup-data',
      namespace: name,
      deletionTimestamp,
      finalizers: ['snapshot.storage.kubernetes.io/pvc-as-source-protection'],
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '20Gi' } },
      storageClassName: 'standard',
    },
    status: {},
  });
  return true;
}

/** The policy engine is gone with its namespace, and the API goes on asking it. */
export function leaveWebhook({ store }: World): boolean {
  ensure(store, 'validatingwebhookconfigurations.admissionregistration.k8s.io', {
    metadata: { name: 'image-policy', labels: { 'app.kubernetes.io/name': 'image-policy' } },
    webhooks: [
      {
        name: 'validate.image-policy.example.com',
        clientConfig: { service: { namespace: 'image-policy', name: 'image-policy', path: '/validate', port: 443 } },
        rules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: ['', 'apps', 'operator.openshift.io'],
            apiVersions: ['*'],
            resources: ['pods', 'deployments', 'ingresscontrollers'],
            scope: '*',
          },
        ],
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 10,
      },
    ],
  });
  return true;
}
