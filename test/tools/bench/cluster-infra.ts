import { stringify } from 'yaml';

// What infra moves look at in an installed cluster, with as many pods as one of ten nodes has.

const WORKER = 'node-role.kubernetes.io/worker';

type Loose = Readonly<Record<string, unknown>>;

/** Answers by path: lists with all of a namespace, and each object. @param workers the nodes that pods run on */
export function infraAnswers(workers: readonly string[]): [path: string, text: string][] {
  const answers: [string, string][] = [];
  const list = (path: string, apiVersion: string, kind: string, items: readonly Loose[]) =>
    answers.push([
      path,
      JSON.stringify({ kind: `${kind}List`, apiVersion, metadata: { resourceVersion: '100' }, items }),
    ]);
  const put = (path: string, apiVersion: string, kind: string, objects: readonly Loose[]) => {
    list(path, apiVersion, kind, objects);
    for (const object of objects) {
      const { name } = object.metadata as { name: string };
      answers.push([`${path}/${name}`, JSON.stringify({ apiVersion, kind, ...object })]);
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
  put('/apis/operator.openshift.io/v1/dnses', operator, 'DNS', [{ metadata: meta('default'), spec: {} }]);
  const ingress = 'openshift-ingress-operator';
  put(`/apis/operator.openshift.io/v1/namespaces/${ingress}/ingresscontrollers`, operator, 'IngressController', [
    {
      metadata: meta('default', ingress),
      spec: { nodePlacement: { nodeSelector: { matchLabels: { [WORKER]: '' } } } },
      status: { endpointPublishingStrategy: { type: 'HostNetwork' } },
    },
  ]);
  const registry = 'imageregistry.operator.openshift.io/v1';
  put(`/apis/${registry}/configs`, registry, 'Config', [
    { metadata: meta('cluster'), spec: { managementState: 'Removed', replicas: 1, storage: {} } },
  ]);
  put(`/apis/${registry}/imagepruners`, registry, 'ImagePruner', [{ metadata: meta('cluster'), spec: {} }]);
  const pools = 'machineconfiguration.openshift.io/v1';
  put(`/apis/${pools}/machineconfigpools`, pools, 'MachineConfigPool', [
    { metadata: meta('master'), spec: { paused: false } },
    { metadata: meta('worker'), spec: { paused: false } },
  ]);
  put('/apis/storage.k8s.io/v1/storageclasses', 'storage.k8s.io/v1', 'StorageClass', [
    {
      metadata: { ...meta('fast'), annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/fast',
    },
  ]);
  const monitoring = 'openshift-monitoring';
  put(`/api/v1/namespaces/${monitoring}/configmaps`, 'v1', 'ConfigMap', [
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
    put(`/apis/apps/v1/namespaces/${namespace}/deployments`, 'apps/v1', 'Deployment', deployments);
    put(`/apis/apps/v1/namespaces/${namespace}/statefulsets`, 'apps/v1', 'StatefulSet', deployments);
    const pods = Array.from({ length: 25 }, (_, index) => ({
      metadata: meta(`${names[index % names.length]}-7d4b9c-x2x${index}`, namespace),
      spec: {
        nodeName: workers[index % workers.length],
        containers: [{ name: 'main', image: 'quay.io/x', resources: { requests: { cpu: '10m', memory: '64Mi' } } }],
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    }));
    list(`/api/v1/namespaces/${namespace}/pods`, 'v1', 'Pod', pods);
    list(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, 'policy/v1', 'PodDisruptionBudget', []);
  }
  list('/api/v1/pods', 'v1', 'Pod', []);
  list('/apis/apps/v1/daemonsets', 'apps/v1', 'DaemonSet', []);
  return answers;
}

const WORKLOADS: readonly (readonly [namespace: string, names: readonly string[]])[] = [
  ['openshift-ingress', ['router-default']],
  ['openshift-image-registry', ['image-registry', 'cluster-image-registry-operator']],
  [
    'openshift-monitoring',
    ['prometheus-k8s', 'alertmanager-main', 'thanos-querier', 'kube-state-metrics', 'metrics-server'],
  ],
];
