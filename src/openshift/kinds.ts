/** How the API serves a kind: the parts of its paths and responses. */
interface KindDefinition {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** The version that old clusters serve instead, with the same fields as far as the wizard uses them. */
  readonly olderVersion?: string;
  /** The `kind` of an object in a response, where it differs from the key in `KINDS`. */
  readonly kind?: string;
}

type KindOptions = Pick<KindDefinition, 'olderVersion' | 'kind'>;
const defineNamespaced = (api: string, plural: string, options?: KindOptions) => defineKind(api, plural, true, options);
const defineClusterWide = (api: string, plural: string, options?: KindOptions) =>
  defineKind(api, plural, false, options);

/** Defines a kind; `api` is its group and version: `v1`, `apps/v1`. */
function defineKind(api: string, plural: string, isNamespaced: boolean, options: KindOptions = {}): KindDefinition {
  const [version = '', group = ''] = api.split('/').reverse();
  return { group, version, plural, isNamespaced, ...options };
}

/** The kinds that the wizard reads or writes. */
export const KINDS = {
  Node: defineClusterWide('v1', 'nodes'),
  Namespace: defineClusterWide('v1', 'namespaces'),
  Endpoints: defineNamespaced('v1', 'endpoints'),
  APIService: defineClusterWide('apiregistration.k8s.io/v1', 'apiservices'),
  ValidatingWebhookConfiguration: defineClusterWide(
    'admissionregistration.k8s.io/v1',
    'validatingwebhookconfigurations',
  ),
  MutatingWebhookConfiguration: defineClusterWide('admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations'),
  Event: defineNamespaced('v1', 'events'),
  Secret: defineNamespaced('v1', 'secrets'),
  Pod: defineNamespaced('v1', 'pods'),
  ConfigMap: defineNamespaced('v1', 'configmaps'),
  PersistentVolumeClaim: defineNamespaced('v1', 'persistentvolumeclaims'),
  StorageClass: defineClusterWide('storage.k8s.io/v1', 'storageclasses'),
  // OpenShift 4.5 is Kubernetes 1.18; v1 came with 1.19.
  CertificateSigningRequest: defineClusterWide('certificates.k8s.io/v1', 'certificatesigningrequests', {
    olderVersion: 'v1beta1',
  }),
  Deployment: defineNamespaced('apps/v1', 'deployments'),
  StatefulSet: defineNamespaced('apps/v1', 'statefulsets'),
  DaemonSet: defineNamespaced('apps/v1', 'daemonsets'),
  // v1 came with Kubernetes 1.21 (OpenShift 4.8).
  PodDisruptionBudget: defineNamespaced('policy/v1', 'poddisruptionbudgets', { olderVersion: 'v1beta1' }),
  ClusterVersion: defineClusterWide('config.openshift.io/v1', 'clusterversions'),
  ClusterOperator: defineClusterWide('config.openshift.io/v1', 'clusteroperators'),
  Etcd: defineClusterWide('operator.openshift.io/v1', 'etcds'),
  DNS: defineClusterWide('operator.openshift.io/v1', 'dnses'),
  IngressController: defineNamespaced('operator.openshift.io/v1', 'ingresscontrollers'),
  ImageRegistry: defineClusterWide('imageregistry.operator.openshift.io/v1', 'configs', { kind: 'Config' }),
  ImagePruner: defineClusterWide('imageregistry.operator.openshift.io/v1', 'imagepruners'),
  NetworkConfig: defineClusterWide('config.openshift.io/v1', 'networks', { kind: 'Network' }),
  NetworkOperator: defineClusterWide('operator.openshift.io/v1', 'networks', { kind: 'Network' }),
  ClusterLogging: defineNamespaced('logging.openshift.io/v1', 'clusterloggings'),
  ClusterLogForwarder: defineNamespaced('observability.openshift.io/v1', 'clusterlogforwarders'),
  LokiStack: defineNamespaced('loki.grafana.com/v1', 'lokistacks'),
  ClusterServiceVersion: defineNamespaced('operators.coreos.com/v1alpha1', 'clusterserviceversions'),
  // v1alpha1 came with Data Foundation 4.18, v1 with 4.19.
  CephDriver: defineNamespaced('csi.ceph.io/v1', 'drivers', { olderVersion: 'v1alpha1', kind: 'Driver' }),
  MachineConfigPool: defineClusterWide('machineconfiguration.openshift.io/v1', 'machineconfigpools'),
  MachineConfig: defineClusterWide('machineconfiguration.openshift.io/v1', 'machineconfigs'),
  ContainerRuntimeConfig: defineClusterWide('machineconfiguration.openshift.io/v1', 'containerruntimeconfigs'),
  FeatureGate: defineClusterWide('config.openshift.io/v1', 'featuregates'),
  APIRequestCount: defineClusterWide('apiserver.openshift.io/v1', 'apirequestcounts'),
  MachineConfiguration: defineClusterWide('operator.openshift.io/v1', 'machineconfigurations'),
  Infrastructure: defineClusterWide('config.openshift.io/v1', 'infrastructures'),
  MachineSet: defineNamespaced('machine.openshift.io/v1beta1', 'machinesets'),
  MachineHealthCheck: defineNamespaced('machine.openshift.io/v1beta1', 'machinehealthchecks'),
  MachineAutoscaler: defineNamespaced('autoscaling.openshift.io/v1beta1', 'machineautoscalers'),
  ClusterAutoscaler: defineClusterWide('autoscaling.openshift.io/v1', 'clusterautoscalers'),
  Machine: defineNamespaced('machine.openshift.io/v1beta1', 'machines'),
  Proxy: defineClusterWide('config.openshift.io/v1', 'proxies'),
  Route: defineNamespaced('route.openshift.io/v1', 'routes'),
} satisfies Record<string, KindDefinition>;

/** The wizard's name of a kind: the `kind` of its objects, unless that is ambiguous (`Config`, `Network`, `Driver`). */
export type Kind = keyof typeof KINDS;
// The type of `Object.keys` is string[].
export const KIND_NAMES = Object.keys(KINDS) as [Kind, ...Kind[]];

/** Returns the version that an old cluster may serve instead of the usual one; null if there is none. */
export function getOlderVersion(kind: Kind): string | null {
  return KINDS[kind].olderVersion ?? null;
}

/** Returns the `apiVersion` of the kind's objects: `v1`, `apps/v1`. */
export function getApiVersion(kind: Kind, version: string = KINDS[kind].version): string {
  const { group } = KINDS[kind];
  return group === '' ? version : `${group}/${version}`;
}

/** Returns the `kind` written in the objects themselves. */
export function getObjectKind(kind: Kind): string {
  return KINDS[kind].kind ?? kind;
}

/**
 * Builds the path of a collection or of one object. Names come from the cluster or from the user: a name that could
 * escape its path segment is refused (the rule of Kubernetes: no slash, no percent sign, not `.` or `..`).
 * @param namespace null for all namespaces, and for kinds that have none
 * @throws RangeError for a name that is no path segment
 */
export function buildResourcePath(
  kind: Kind,
  namespace: string | null,
  name?: string,
  version: string = KINDS[kind].version,
): string {
  const { group, plural, isNamespaced } = KINDS[kind];
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = isNamespaced && namespace !== null ? `/namespaces/${encodeSegment(namespace)}` : '';
  return `${root}${scope}/${plural}${name === undefined ? '' : `/${encodeSegment(name)}`}`;
}

function encodeSegment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new RangeError(`not a name of Kubernetes: ${JSON.stringify(name)}`);
  }
  return encodeURIComponent(name);
}
