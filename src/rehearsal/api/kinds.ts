import { type Column, getColumns } from './columns.ts';
import {
  anything,
  counts,
  type Fields,
  flags,
  integers,
  intsOrTexts,
  list,
  object,
  opaque,
  type Schema,
  textEnum,
  textList,
  textMap,
  textPattern,
  texts,
} from './schema.ts';
import { resourceKey } from './status.ts';

/** One kind of object that the API serves. */
export interface ResourceKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  /** Whether `kubectl get all` lists it. */
  readonly isInAll: boolean;
  readonly namespaced: boolean;
  /** The namespace of the operator that installs the kind: served while it exists. Undefined: always served. */
  readonly operatorNamespace?: string;
  /** Served through a CustomResourceDefinition: pruned, validated by its schema, without strategic merge patch. */
  readonly isCustom: boolean;
  readonly subresources: readonly Subresource[];
  /** Whether metadata.generation counts the changes of the specification. */
  readonly hasGeneration: boolean;
  readonly schema: Schema;
  readonly columns: readonly Column[];
}

type Subresource = 'status' | 'approval' | 'scale';

// Schemas have the fields of what the wizard and its users write. All other content is kept as it is.

const FREE = opaque('spec status');
const toleration = object({
  ...texts('key value'),
  operator: textEnum('Exists', 'Equal', ''),
  effect: textEnum('NoSchedule', 'PreferNoSchedule', 'NoExecute', ''),
  ...integers('tolerationSeconds'),
});
const tolerations = list(toleration);
const labelSelector = object({ matchLabels: textMap, ...opaque('matchExpressions') });
const placement: Fields = { nodeSelector: textMap, tolerations };
const taint = object({ ...texts('key value effect'), ...opaque('timeAdded') }, 'key effect');

/** Returns the fields of a kind whose specification is validated. */
const withSpec = (fields: Fields, required = ''): Fields => ({ spec: object(fields, required), status: anything });

const ingressController = withSpec({
  ...texts('domain idleConnectionTerminationPolicy'),
  ...integers('replicas'),
  nodePlacement: object({ nodeSelector: labelSelector, tolerations }),
  endpointPublishingStrategy: object(
    {
      type: textEnum('LoadBalancerService', 'HostNetwork', 'Private', 'NodePortService'),
      ...opaque('hostNetwork loadBalancer private nodePort'),
    },
    'type',
  ),
  ...opaque(`clientTLS defaultCertificate httpCompression httpEmptyRequestsPolicy httpErrorCodePages httpHeaders logging
      namespaceSelector routeAdmission routeSelector tlsSecurityProfile tuningOptions unsupportedConfigOverrides`),
});

const registryConfig = withSpec(
  {
    ...placement,
    ...integers('replicas'),
    ...flags('readOnly disableRedirect defaultRoute'),
    ...texts('httpSecret rolloutStrategy operatorLogLevel logLevel'),
    managementState: textEnum('Managed', 'Unmanaged', 'Force', 'Removed'),
    storage: object({
      pvc: object(texts('claim')),
      ...texts('managementState'),
      ...opaque('emptyDir s3 gcs swift azure ibmcos oss'),
    }),
    ...opaque('affinity logging observedConfig proxy requests resources routes topologySpreadConstraints'),
    ...opaque('unsupportedConfigOverrides'),
  },
  'replicas',
);

const imagePruner = withSpec({
  ...placement,
  ...texts('schedule keepYoungerThanDuration logLevel'),
  ...flags('suspend ignoreInvalidImageReferences'),
  ...integers('keepTagRevisions keepYoungerThan successfulJobsHistoryLimit failedJobsHistoryLimit'),
  ...opaque('affinity resources'),
});

const networkConfig = withSpec({
  ...texts('networkType serviceNodePortRange'),
  networkDiagnostics: object({
    ...texts('mode'),
    sourcePlacement: object(placement),
    targetPlacement: object(placement),
  }),
  ...opaque('clusterNetwork externalIP serviceNetwork'),
});

const machineConfigPool = withSpec({
  machineConfigSelector: labelSelector,
  nodeSelector: labelSelector,
  ...flags('paused'),
  ...intsOrTexts('maxUnavailable'),
  ...opaque('configuration osImageStream pinnedImageSets'),
});

// openshift/api, operator/v1/types_machineconfiguration.go.
const machineConfiguration = withSpec({
  ...texts('logLevel operatorLogLevel managementState'),
  bootImageSkewEnforcement: object(
    {
      mode: textEnum('Manual', 'None'),
      manual: object(
        {
          mode: textEnum('OCPVersion', 'RHCOSVersion'),
          ocpVersion: textPattern(/^[0-9]+\.[0-9]+\.[0-9]+$/),
          rhcosVersion: textPattern(/^[0-9]+\.[0-9]+\.([0-9]{8}|[0-9]{12})-[0-9]+$/),
        },
        'mode',
      ),
    },
    'mode',
  ),
  ...opaque('irreconcilableValidationOverrides managedBootImages nodeDisruptionPolicy'),
});

const managed = textEnum('Managed', 'Unmanaged');
const collector: Fields = { ...placement, ...opaque('resources') };

const clusterLogging = withSpec({
  managementState: managed,
  collection: object({
    ...collector,
    type: textEnum('fluentd', 'vector'),
    logs: object({ type: textEnum('fluentd', 'vector'), fluentd: object(collector) }, 'type'),
    ...opaque('fluentd'),
  }),
  logStore: object({
    type: textEnum('elasticsearch', 'lokistack'),
    elasticsearch: object({
      ...collector,
      ...counts('nodeCount'),
      ...texts('redundancyPolicy'),
      ...opaque('proxy storage'),
    }),
    ...opaque('lokistack retentionPolicy'),
  }),
  visualization: object({
    type: textEnum('kibana', 'ocp-console'),
    kibana: object({ ...collector, ...counts('replicas'), ...opaque('proxy') }),
    ...opaque('ocpConsole'),
  }),
  ...opaque('curation forwarder'),
});

const clusterLogForwarder = withSpec(
  {
    managementState: managed,
    serviceAccount: object(texts('name'), 'name'),
    collector: object({ ...collector, ...opaque('networkPolicy maxUnavailable') }),
    ...opaque('inputs outputs filters pipelines'),
  },
  'serviceAccount',
);

/** The components of a LokiStack, each with its own placement. */
export const LOKI_COMPONENTS: readonly string[] = [
  ...['compactor', 'distributor', 'gateway', 'indexGateway', 'ingester', 'querier', 'queryFrontend', 'ruler'],
];
const lokiComponent = object({ ...placement, ...counts('replicas'), ...opaque('podAntiAffinity') });

const lokiStack = withSpec(
  {
    managementState: managed,
    size: textEnum('1x.demo', '1x.pico', '1x.extra-small', '1x.small', '1x.medium'),
    ...texts('storageClassName'),
    template: object(Object.fromEntries(LOKI_COMPONENTS.map((component) => [component, lokiComponent]))),
    ...opaque('storage hashRing limits proxy replication rules tenants networkPolicies'),
  },
  'size storage storageClassName',
);

const cephDriver = withSpec({
  nodePlugin: object({ ...placement, ...opaque('affinity resources updateStrategy volumes kubeletDirPath') }),
  controllerPlugin: object({ ...placement, ...counts('replicas'), ...opaque('affinity resources hostNetwork') }),
  ...opaque('attachRequired log imageSet clusterName enableMetadata fsGroupPolicy snapshotPolicy cephFsClientType'),
});

// openshift/api: machine/v1beta1, autoscaling/v1 and autoscaling/v1beta1.

const objectMeta = object({
  ...texts('name generateName namespace'),
  labels: textMap,
  annotations: textMap,
  ...opaque('ownerReferences'),
});
const machineSpec = object({
  metadata: objectMeta,
  taints: list(taint),
  providerSpec: object(opaque('value')),
  ...texts('providerID authoritativeAPI'),
  ...opaque('lifecycleHooks'),
});

const machineSet = withSpec({
  ...counts('replicas'),
  ...integers('minReadySeconds'),
  deletePolicy: textEnum('', 'Random', 'Newest', 'Oldest'),
  selector: labelSelector,
  template: object({ metadata: objectMeta, spec: machineSpec }),
  ...texts('authoritativeAPI'),
});

const machineAutoscaler = withSpec(
  {
    ...counts('minReplicas'),
    maxReplicas: { type: 'integer', minimum: 1 },
    scaleTargetRef: object(texts('apiVersion kind name'), 'kind name'),
  },
  'minReplicas maxReplicas scaleTargetRef',
);

const range = object(counts('min max'));

const clusterAutoscaler = withSpec({
  resourceLimits: object({ ...counts('maxNodesTotal'), cores: range, memory: range, ...opaque('gpus') }),
  scaleDown: object({
    ...flags('enabled'),
    ...texts('delayAfterAdd delayAfterDelete delayAfterFailure unneededTime utilizationThreshold'),
  }),
  ...integers('maxPodGracePeriod podPriorityThreshold logVerbosity'),
  ...flags('balanceSimilarNodeGroups ignoreDaemonsetsUtilization skipNodesWithLocalStorage'),
  ...texts('maxNodeProvisionTime'),
  ...opaque('balancingIgnoredLabels expanders scaleUp'),
});

const machineHealthCheck = withSpec(
  {
    selector: labelSelector,
    unhealthyConditions: list(object(texts('type status timeout'), 'type status timeout')),
    ...intsOrTexts('maxUnhealthy'),
    ...texts('nodeStartupTimeout'),
    ...opaque('remediationTemplate'),
  },
  'selector unhealthyConditions',
);

interface KindOptions {
  readonly version?: string;
  readonly isClusterWide?: boolean;
  readonly operatorNamespace?: string;
  readonly subresources?: readonly Subresource[];
  readonly hasGeneration?: boolean;
  readonly isInAll?: boolean;
}

const metadata = object({
  ...texts('name generateName namespace selfLink uid resourceVersion'),
  ...integers('generation deletionGracePeriodSeconds'),
  labels: textMap,
  annotations: textMap,
  finalizers: textList,
  ...opaque('creationTimestamp deletionTimestamp managedFields ownerReferences'),
});

/** @param names the plural, the kind and its short names, with blanks between them */
function createKind(
  isCustom: boolean,
  group: string,
  names: string,
  fields: Fields,
  options: KindOptions,
): ResourceKind {
  const [plural = '', kind = '', ...shortNames] = names.split(' ');
  const { isClusterWide = false, ...others } = options;
  return {
    ...{ version: 'v1', isInAll: false, subresources: ['status'], hasGeneration: isCustom, ...others },
    ...{ isCustom, group, plural, kind, shortNames, namespaced: !isClusterWide },
    schema: object({ ...texts('apiVersion kind'), metadata, ...fields }),
    columns: getColumns(resourceKey({ group, plural })),
  };
}

/** Creates a kind that a kube-apiserver has built in. */
const builtin = (group: string, names: string, fields: Fields, options: KindOptions = {}) =>
  createKind(false, group, names, fields, options);

/** Creates a kind of a CustomResourceDefinition. */
const custom = (group: string, names: string, fields: Fields, options: KindOptions = {}) =>
  createKind(true, group, names, fields, options);

const CLUSTER: KindOptions = { isClusterWide: true };
const NO_STATUS: KindOptions = { subresources: [] };
const WORKLOAD: KindOptions = { hasGeneration: true, isInAll: true };
const WITH_SCALE: KindOptions = { subresources: ['status', 'scale'] };
const BETA: KindOptions = { version: 'v1beta1' };
const CONFIG = 'config.openshift.io';
const OPERATOR = 'operator.openshift.io';
const REGISTRY = 'imageregistry.operator.openshift.io';
const MACHINE_CONFIG = 'machineconfiguration.openshift.io';
const AUTOSCALING = 'autoscaling.openshift.io';
const MACHINE_API = 'machine.openshift.io';
const ADMISSION = 'admissionregistration.k8s.io';
/** The logging operators install these kinds, and are installed into this namespace. */
const LOGGING: KindOptions = { operatorNamespace: 'openshift-logging' };
const STORAGE: KindOptions = { operatorNamespace: 'openshift-storage' };

const nodeSpec = {
  ...texts('podCIDR providerID'),
  ...flags('unschedulable'),
  ...opaque('podCIDRs'),
  taints: list(taint),
};
const event: Fields = {
  ...texts('reason message type action reportingComponent reportingInstance'),
  ...opaque('involvedObject source firstTimestamp lastTimestamp eventTime count series related'),
};
const storageClass: Fields = {
  ...texts('provisioner reclaimPolicy volumeBindingMode'),
  ...flags('allowVolumeExpansion'),
  parameters: textMap,
  ...opaque('mountOptions allowedTopologies'),
};
const configMap: Fields = { data: textMap, binaryData: textMap, ...flags('immutable') };
const secret: Fields = { data: textMap, stringData: textMap, ...texts('type'), ...flags('immutable') };
const hasApproval: KindOptions = { subresources: ['status', 'approval'] };
const webhooks: KindOptions = { ...CLUSTER, ...NO_STATUS, hasGeneration: true };

const KINDS: readonly ResourceKind[] = [
  builtin('', 'namespaces Namespace ns', FREE, CLUSTER),
  builtin('', 'nodes Node no', withSpec(nodeSpec), CLUSTER),
  builtin('', 'pods Pod po', FREE, { isInAll: true }),
  builtin('', 'configmaps ConfigMap cm', configMap, NO_STATUS),
  builtin('', 'secrets Secret', secret, NO_STATUS),
  builtin('', 'services Service svc', FREE, { isInAll: true }),
  builtin('', 'endpoints Endpoints ep', opaque('subsets'), NO_STATUS),
  builtin('', 'events Event ev', event, NO_STATUS),
  builtin('', 'persistentvolumeclaims PersistentVolumeClaim pvc', FREE),
  builtin('', 'persistentvolumes PersistentVolume pv', FREE, CLUSTER),
  builtin('apps', 'deployments Deployment deploy', FREE, { ...WORKLOAD, ...WITH_SCALE }),
  builtin('apps', 'statefulsets StatefulSet sts', FREE, { ...WORKLOAD, ...WITH_SCALE }),
  builtin('apps', 'daemonsets DaemonSet ds', FREE, WORKLOAD),
  builtin('certificates.k8s.io', 'certificatesigningrequests CertificateSigningRequest csr', FREE, {
    ...CLUSTER,
    ...hasApproval,
  }),
  builtin('storage.k8s.io', 'storageclasses StorageClass sc', storageClass, { ...CLUSTER, ...NO_STATUS }),
  builtin('apiregistration.k8s.io', 'apiservices APIService', FREE, CLUSTER),
  builtin(ADMISSION, 'validatingwebhookconfigurations ValidatingWebhookConfiguration', opaque('webhooks'), webhooks),
  builtin(ADMISSION, 'mutatingwebhookconfigurations MutatingWebhookConfiguration', opaque('webhooks'), webhooks),
  custom(CONFIG, 'clusterversions ClusterVersion', FREE, CLUSTER),
  custom(CONFIG, 'clusteroperators ClusterOperator co', FREE, CLUSTER),
  custom(CONFIG, 'infrastructures Infrastructure', FREE, CLUSTER),
  custom(CONFIG, 'schedulers Scheduler', FREE, CLUSTER),
  custom(CONFIG, 'featuregates FeatureGate', FREE, CLUSTER),
  custom('apiserver.openshift.io', 'apirequestcounts APIRequestCount', FREE, CLUSTER),
  custom(CONFIG, 'ingresses Ingress', FREE, CLUSTER),
  custom(CONFIG, 'proxies Proxy', FREE, CLUSTER),
  custom(CONFIG, 'networks Network', networkConfig, CLUSTER),
  custom(OPERATOR, 'ingresscontrollers IngressController', ingressController, WITH_SCALE),
  ...[
    ...['etcds Etcd', 'dnses DNS', 'kubeapiservers KubeAPIServer', 'kubecontrollermanagers KubeControllerManager'],
    ...['kubeschedulers KubeScheduler', 'openshiftapiservers OpenShiftAPIServer', 'authentications Authentication'],
    ...['consoles Console', 'networks Network', 'storages Storage'],
  ].map((names) => custom(OPERATOR, names, FREE, CLUSTER)),
  custom(REGISTRY, 'configs Config', registryConfig, CLUSTER),
  custom(REGISTRY, 'imagepruners ImagePruner', imagePruner, CLUSTER),
  custom(MACHINE_CONFIG, 'machineconfigpools MachineConfigPool mcp', machineConfigPool, CLUSTER),
  custom(OPERATOR, 'machineconfigurations MachineConfiguration', machineConfiguration, CLUSTER),
  custom(MACHINE_CONFIG, 'containerruntimeconfigs ContainerRuntimeConfig ctrcfg', FREE, CLUSTER),
  custom(MACHINE_CONFIG, 'machineconfigs MachineConfig mc', opaque('spec'), CLUSTER),
  custom(MACHINE_API, 'machinesets MachineSet', machineSet, { ...BETA, ...WITH_SCALE }),
  custom(MACHINE_API, 'machines Machine', { spec: machineSpec, status: anything }, BETA),
  custom(MACHINE_API, 'machinehealthchecks MachineHealthCheck mhc mhcs', machineHealthCheck, BETA),
  custom(AUTOSCALING, 'machineautoscalers MachineAutoscaler', machineAutoscaler, BETA),
  custom(AUTOSCALING, 'clusterautoscalers ClusterAutoscaler', clusterAutoscaler, CLUSTER),
  custom('route.openshift.io', 'routes Route', FREE),
  custom('logging.openshift.io', 'clusterloggings ClusterLogging', clusterLogging, LOGGING),
  custom('observability.openshift.io', 'clusterlogforwarders ClusterLogForwarder', clusterLogForwarder, LOGGING),
  custom('loki.grafana.com', 'lokistacks LokiStack', lokiStack, LOGGING),
  custom('operators.coreos.com', 'clusterserviceversions ClusterServiceVersion csv csvs', FREE, {
    version: 'v1alpha1',
  }),
  custom('csi.ceph.io', 'drivers Driver', cephDriver, STORAGE),
];

/** Every kind that the API serves, by resource key (`nodes`, `clusteroperators.config.openshift.io`). */
export const registry: ReadonlyMap<string, ResourceKind> = new Map(KINDS.map((kind) => [resourceKey(kind), kind]));

/**
 * The kind of a resource key.
 * @throws Error if there is no such kind: a mistake of the caller, not of a client
 */
export function findKind(resource: string): ResourceKind {
  const kind = registry.get(resource);
  if (!kind) throw new Error(`no such resource: ${resource}`);
  return kind;
}

/** The resource that a path under /api or /apis addresses. */
export interface ResourceRequest {
  /** The resource key. */
  readonly resource: string;
  readonly kind: ResourceKind;
  /** Null: the whole cluster. */
  readonly namespace: string | null;
  /** Null: the collection. */
  readonly name: string | null;
  readonly subresource: Subresource | null;
}

/**
 * Parses a path such as `/apis/apps/v1/namespaces/default/deployments/x/status`; null: the site serves no such path.
 */
export function parseResourcePath(path: string): ResourceRequest | null {
  const [root, ...parts] = decodeParts(path) ?? [];
  const [group = '', version = '', ...rest] = root === 'api' ? ['', ...parts] : root === 'apis' ? parts : [];
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2 && !isNamespaceSubresource(group, rest);
  const namespace = isInNamespace ? (rest[1] ?? '') : null;
  const [plural = '', name = null, subresource = null, ...more] = isInNamespace ? rest.slice(2) : rest;
  const resource = resourceKey({ group, plural });
  const kind = registry.get(resource);
  if (kind?.version !== version || more.length > 0 || name === '') return null;
  if (isInNamespace ? !kind.namespaced : name !== null && kind.namespaced) return null;
  const known = kind.subresources.find((item) => item === subresource) ?? null;
  if (subresource !== null && known === null) return null;
  return { resource, kind, namespace, name, subresource: known };
}

/** `/api/v1/namespaces/x/status` is the namespace's own status, not a kind in it. */
function isNamespaceSubresource(group: string, rest: readonly string[]): boolean {
  return group === '' && rest.length === 3 && (rest[2] === 'status' || rest[2] === 'finalize');
}

function decodeParts(path: string): string[] | null {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return null;
  }
}
