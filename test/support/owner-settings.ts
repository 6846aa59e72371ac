/** Path of the monitoring configuration, and the content that the owner wrote. */
export const MONITORING_CONFIG = '/api/v1/namespaces/openshift-monitoring/configmaps/cluster-monitoring-config';
export const OWNER_CONFIG = '# of the team\nenableUserWorkload: true\n';

/** Creates objects of the cluster's owner: an IngressController, and the monitoring of user workloads. */
export async function createOwnerSettings(
  api: (path: string, method: string, body: object) => Promise<unknown>,
): Promise<void> {
  const collectionPath = (path: string) => path.slice(0, path.lastIndexOf('/'));
  await api(collectionPath(MONITORING_CONFIG), 'POST', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-monitoring-config' },
    data: { 'config.yaml': OWNER_CONFIG },
  });
  await api('/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers', 'POST', {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'IngressController',
    metadata: { name: 'internal' },
    spec: { replicas: 1, endpointPublishingStrategy: { type: 'Private' } },
  });
}
