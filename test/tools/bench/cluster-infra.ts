import { stringify } from 'yaml';

// The objects that infra moves read in an installed cluster, with the number of pods of a ten-node cluster.

const WORKER = 'node-role.kubernetes.io/worker';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Creates API responses by path: the lists of a namespace, and each object.
 * @param workers nodes that run the pods
 */
export function createInfraResponses(workers: readonly string[]): [path: string, text: string][] {
  const responses: [string, string][] = [];
  const addList = (path: string, apiVersion: string, kind: string, items: readonly JsonObject[]) =>
    responses.push([
      path,
      JSON.stringify({ kind: `${kind}List`, apiVersion, metadata: { resourceVersion: '100' }, items }),
    ]);
  const addObjects = (path: string, apiVersion: string, kind: string, objects: readonly JsonObject[]) => {
    addList(path, apiVersion, kind, objects);
    for (const object of objects) {
      const { name } = object.metadata as { name: string };
      responses.push([`${path}/${name}`, JSON.stringify({ apiVersion, kind, ...object })]);
    }
  };
  const meta = (name: string, namespace?: string) => ({
    name,
    uid: `uid-${name}`,
    resourceVersion: '7',
    generation: 1,
    ...(namespace === undefined ? {} : { namespace }),
  });
  const operator = 'operator.openshift.io/v1';
  addObjects('/apis/operator.openshift.io/v1/dnses', operator, 'DNS', [{ metadata: meta('default'), spec: {} }]);
  const ingress = 'openshift-ingress-operator';
  addObjects(`/apis/operator.openshift.io/v1/namespaces/${ingress}/ingresscontrollers`, operator, 'IngressController', [
    {
      metadata: meta('default', ingress),
      spec: { nodePlacement: { nodeSelector: { matchLabels: { [WORKER]: '' } } } },
      status: { endpointPublishingStrategy: { type: 'HostNetwork' } },
    },
  ]);
  const registry = 'imageregistry.operator.openshift.io/v1';
  addObjects(`/apis/${registry}/configs`, registry, 'Config', [
    { metadata: meta('cluster'), spec: { managementState: 'Removed', replicas: 1, storage: {} } },
  ]);
  addObjects(`/apis/${registry}/imagepruners`, registry, 'ImagePruner', [{ metadata: meta('cluster'), spec: {} }]);
  const pools = 'machineconfiguration.openshift.io/v1';
  addObjects(`/apis/${pools}/machineconfigpools`, pools, 'MachineConfigPool', [
    { metadata: meta('master'), spec: { paused: false } },
    { metadata: meta('worker'), spec: { paused: false } },
  ]);
  addObjects('/apis/storage.k8s.io/v1/storageclasses', 'storage.k8s.io/v1', 'StorageClass', [
    {
      metadata: { ...meta('fast'), annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/fast',
    },
  ]);
  const monitoring = 'openshift-monitoring';
  addObjects(`/api/v1/namespaces/${monitoring}/configmaps`, 'v1', 'ConfigMap', [
    {
      metadata: meta('cluster-monitoring-config', monitoring),
      data: { 'config.yaml': stringify({ enableUserWorkload: false, prometheusK8s: { retention: '15d' } }) },
    },
  ]);
  for (const [namespace, names] of WORKLOADS) {
    const deployments = names.map((name) => ({
      metadata: meta(name, namespace),
      spec: { replicas: 2, template: { spec: { nodeSelector: { 'kubernetes.io/os': 'linux' } } } },
      status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 },
    }));
    addObjects(`/apis/apps/v1/namespaces/${namespace}/deployments`, 'apps/v1', 'Deployment', deployments);
    addObjects(`/apis/apps/v1/namespaces/${namespace}/statefulsets`, 'apps/v1', 'StatefulSet', deployments);
    const pods = Array.from({ length: 25 }, (_, index) => ({
      metadata: meta(`${names[index % names.length]}-7d4b9c-x2x${index}`, namespace),
      spec: {
        nodeName: workers[index % workers.length],
        containers: [{ name: 'main', image: 'quay.io/x', resources: { requests: { cpu: '10m', memory: '64Mi' } } }],
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    }));
    addList(`/api/v1/namespaces/${namespace}/pods`, 'v1', 'Pod', pods);
    addList(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, 'policy/v1', 'PodDisruptionBudget', []);
  }
  addList('/api/v1/pods', 'v1', 'Pod', []);
  addList('/apis/apps/v1/daemonsets', 'apps/v1', 'DaemonSet', []);
  return responses;
}

const WORKLOADS: readonly (readonly [namespace: string, names: readonly string[]])[] = [
  ['openshift-ingress', ['router-default']],
  ['openshift-image-registry', ['image-registry', 'cluster-image-registry-operator']],
  [
    'openshift-monitoring',
    ['prometheus-k8s', 'alertmanager-main', 'thanos-querier', 'kube-state-metrics', 'metrics-server'],
  ],
];
