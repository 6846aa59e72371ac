import { formatTimestamp } from '../../api/objects.ts';
import { ensureObject } from '../operators/cluster-objects.ts';
import type { World } from '../world.ts';

// Leftovers of removed components: an API that their pods served, a namespace, a webhook.

/** The metrics adapter was removed, but its APIService was not. */
export function addStaleApiService({ store }: World): boolean {
  ensureObject(store, 'apiservices.apiregistration.k8s.io', {
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

/** The snapshot controller was removed, and a claim that it protects waits for it. */
export function addTerminatingNamespace({ store, clock }: World): boolean {
  const name = 'backup-trial';
  const deletionTimestamp = formatTimestamp(clock.now());
  ensureObject(store, 'namespaces', {
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name }, deletionTimestamp },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  });
  ensureObject(store, 'persistentvolumeclaims', {
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

/** The policy engine was removed with its namespace, but the API still calls its webhook. */
export function addStaleWebhook({ store }: World): boolean {
  ensureObject(store, 'validatingwebhookconfigurations.admissionregistration.k8s.io', {
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
