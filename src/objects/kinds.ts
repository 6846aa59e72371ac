/** Where a kind is in the API: the parts of its paths and its answers. */
export interface KindInfo {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** A version that old clusters serve in place of it, with the same fields as far as they matter here. */
  readonly older?: string;
  /** The `kind` of an object in an answer, where it differs from our name. */
  readonly kind?: string;
}

/** The kinds that the wizard reads or writes. */
export const KINDS = {
  Node: { group: '', version: 'v1', plural: 'nodes', isNamespaced: false },
  Namespace: { group: '', version: 'v1', plural: 'namespaces', isNamespaced: false },
  Endpoints: { group: '', version: 'v1', plural: 'endpoints', isNamespaced: true },
  APIService: { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices', isNamespaced: false },
  ValidatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingwebhookconfigurations',
    isNamespaced: false,
  },
  MutatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'mutatingwebhookconfigurations',
    isNamespaced: false,
  },
  Event: { group: '', version: 'v1', plural: 'events', isNamespaced: true },
  Secret: { group: '', version: 'v1', plural: 'secrets', isNamespaced: true },
  Pod: { group: '', version: 'v1', plural: 'pods', isNamespaced: true },
  ConfigMap: { group: '', version: 'v1', plural: 'configmaps', isNamespaced: true },
  PersistentVolumeClaim: { group: '', version: 'v1', plural: 'persistentvolumeclaims', isNamespaced: true },
  StorageClass: { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses', isNamespaced: false },
  CertificateSigningRequest: {
    group: 'certificates.k8s.io',
    version: 'v1',
    plural: 'certificatesigningrequests',
    isNamespaced: false,
    // OpenShift 4.5 is Kubernetes 1.18; v1 came with 1.19.
    older: 'v1beta1',
  },
  Deployment: { group: 'apps', version: 'v1', plural: 'deployments', isNamespaced: true },
  StatefulSet: { group: 'apps', version: 'v1', plural: 'statefulsets', isNamespaced: true },
  DaemonSet: { group: 'apps', version: 'v1', plural: 'daemonsets', isNamespaced: true },
  PodDisruptionBudget: {
    group: 'policy',
    version: 'v1',
    plural: 'poddisruptionbudgets',
    isNamespaced: true,
    // v1 came with Kubernetes 1.21 (OpenShift 4.8).
    older: 'v1beta1',
  },
  ClusterVersion: { group: 'config.openshift.io', version: 'v1', plural: 'clusterversions', isNamespaced: false },
  ClusterOperator: { group: 'config.openshift.io', version: 'v1', plural: 'clusteroperators', isNamespaced: false },
  Etcd: { group: 'operator.openshift.io', version: 'v1', plural: 'etcds', isNamespaced: false },
  DNS: { group: 'operator.openshift.io', version: 'v1', plural: 'dnses', isNamespaced: false },
  IngressController: {
    group: 'operator.openshift.io',
    version: 'v1',
    plural: 'ingresscontrollers',
    isNamespaced: true,
  },
  ImageRegistry: {
    group: 'imageregistry.operator.openshift.io',
    version: 'v1',
    plural: 'configs',
    isNamespaced: false,
    kind: 'Config',
  },
  ImagePruner: {
    group: 'imageregistry.operator.openshift.io',
    version: 'v1',
    plural: 'imagepruners',
    isNamespaced: false,
  },
  NetworkConfig: {
    group: 'config.openshift.io',
    version: 'v1',
    plural: 'networks',
    isNamespaced: false,
    kind: 'Network',
  },
  NetworkOperator: {
    group: 'operator.openshift.io',
    version: 'v1',
    plural: 'networks',
    isNamespaced: false,
    kind: 'Network',
  },
  ClusterLogging: { group: 'logging.openshift.io', version: 'v1', plural: 'clusterloggings', isNamespaced: true },
  ClusterLogForwarder: {
    group: 'observability.openshift.io',
    version: 'v1',
    plural: 'clusterlogforwarders',
    isNamespaced: true,
  },
  LokiStack: { group: 'loki.grafana.com', version: 'v1', plural: 'lokistacks', isNamespaced: true },
  ClusterServiceVersion: {
    group: 'operators.coreos.com',
    version: 'v1alpha1',
    plural: 'clusterserviceversions',
    isNamespaced: true,
  },
  CephDriver: {
    group: 'csi.ceph.io',
    version: 'v1',
    plural: 'drivers',
    isNamespaced: true,
    kind: 'Driver',
    // The first ones of Data Foundation 4.18 and 4.19.
    older: 'v1alpha1',
  },
  MachineConfigPool: {
    group: 'machineconfiguration.openshift.io',
    version: 'v1',
    plural: 'machineconfigpools',
    isNamespaced: false,
  },
  Infrastructure: { group: 'config.openshift.io', version: 'v1', plural: 'infrastructures', isNamespaced: false },
  MachineSet: { group: 'machine.openshift.io', version: 'v1beta1', plural: 'machinesets', isNamespaced: true },
  MachineHealthCheck: {
    group: 'machine.openshift.io',
    version: 'v1beta1',
    plural: 'machinehealthchecks',
    isNamespaced: true,
  },
  MachineAutoscaler: {
    group: 'autoscaling.openshift.io',
    version: 'v1beta1',
    plural: 'machineautoscalers',
    isNamespaced: true,
  },
  ClusterAutoscaler: {
    group: 'autoscaling.openshift.io',
    version: 'v1',
    plural: 'clusterautoscalers',
    isNamespaced: false,
  },
  Machine: { group: 'machine.openshift.io', version: 'v1beta1', plural: 'machines', isNamespaced: true },
  Proxy: { group: 'config.openshift.io', version: 'v1', plural: 'proxies', isNamespaced: false },
  Route: { group: 'route.openshift.io', version: 'v1', plural: 'routes', isNamespaced: true },
} as const satisfies Record<string, KindInfo>;

export type Kind = keyof typeof KINDS;
// TypeScript does not keep the keys of an object.
export const KIND_NAMES = Object.keys(KINDS) as [Kind, ...Kind[]];

/** The version that an old cluster may serve in place of the usual one; null where there is none. */
export function olderVersionOf(kind: Kind): string | null {
  const info: KindInfo = KINDS[kind];
  return info.older ?? null;
}

/** `v1`, `apps/v1`: the `apiVersion` of the kind's objects. */
export function apiVersionOf(kind: Kind, version: string = KINDS[kind].version): string {
  const { group } = KINDS[kind];
  return group === '' ? version : `${group}/${version}`;
}

/** The `kind` written in the objects themselves. */
export function objectKindOf(kind: Kind): string {
  const info: KindInfo = KINDS[kind];
  return info.kind ?? kind;
}

/**
 * The path of a collection or of one object. Names come from the cluster or from a person: this refuses one that
 * could escape its path segment (the rule of Kubernetes: no slash, no percent sign, not `.` or `..`).
 * @param namespace null for all namespaces, and for kinds that have none
 * @throws RangeError for a name that is no path segment
 */
export function pathOf(
  kind: Kind,
  namespace: string | null,
  name?: string,
  version: string = KINDS[kind].version,
): string {
  const { group, plural, isNamespaced } = KINDS[kind];
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = isNamespaced && namespace !== null ? `/namespaces/${segment(namespace)}` : '';
  return `${root}${place}/${plural}${name === undefined ? '' : `/${segment(name)}`}`;
}

function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new RangeError(`not a name of Kubernetes: ${JSON.stringify(name)}`);
  }
  return encodeURIComponent(name);
}
