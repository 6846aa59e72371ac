/** The settings of monitoring, and what their owner wrote. */
export const SETTINGS = '/api/v1/namespaces/openshift-monitoring/configmaps/cluster-monitoring-config';
export const OWN_SETTINGS = '# of the team\nenableUserWorkload: true\n';

/** What the owner of the cluster has set up: a router of their own, and the monitoring of projects. */
export async function ownSettings(
  api: (path: string, method: string, body: object) => Promise<unknown>,
): Promise<void> {
  const inNamespace = (path: string) => path.slice(0, path.lastIndexOf('/'));
  await api(inNamespace(SETTINGS), 'POST', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-monitoring-config' },
    data: { 'config.yaml': OWN_SETTINGS },
  });
  await api('/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers', 'POST', {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'IngressController',
    metadata: { name: 'internal' },
    spec: { replicas: 1, endpointPublishingStrategy: { type: 'Private' } },
  });
}
