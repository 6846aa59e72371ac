import { type Column, getColumns } from './columns.ts';
import {
  anySchema,
  countFields,
  type Fields,
  flagFields,
  integerFields,
  intOrStringFields,
  list,
  object,
  opaqueFields,
  type Schema,
  textEnum,
  textFields,
  textList,
  textMap,
  textPattern,
} from './schema.ts';
import { formatResourceKey } from './status.ts';

/** One kind of object that the API serves. */
export interface ResourceKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  /** Whether `kubectl get all` lists the kind. */
  readonly isInAll: boolean;
  readonly namespaced: boolean;
  /** Namespace of an operator: the kind is served while the namespace exists. Undefined: always served. */
  readonly operatorNamespace?: string;
  /** Whether a CustomResourceDefinition defines the kind: pruned, validated, without strategic merge patch. */
  readonly isCustom: boolean;
  readonly subresources: readonly Subresource[];
  /** Whether metadata.generation counts the changes of the specification. */
  readonly hasGeneration: boolean;
  readonly schema: Schema;
  readonly columns: readonly Column[];
}

type Subresource = 'status' | 'approval' | 'scale';

// Schemas describe the fields that the wizard and its users write. The rehearsal does not check the content of opaque
// fields.

const OPAQUE_CONTENT = opaqueFields('spec status');
const toleration = object({
  ...textFields('key value'),
  operator: textEnum('Exists', 'Equal', ''),
  effect: textEnum('NoSchedule', 'PreferNoSchedule', 'NoExecute', ''),
  ...integerFields('tolerationSeconds'),
});
const tolerations = list(toleration);
const labelSelector = object({ matchLabels: textMap, ...opaqueFields('matchExpressions') });
const placement: Fields = { nodeSelector: textMap, tolerations };
const taint = object({ ...textFields('key value effect'), ...opaqueFields('timeAdded') }, 'key effect');

/** Returns the fields of a kind whose specification is validated. */
const buildSpecFields = (fields: Fields, required = ''): Fields => ({
  spec: object(fields, required),
  status: anySchema,
});

const ingressController = buildSpecFields({
  ...textFields('domain idleConnectionTerminationPolicy'),
  ...integerFields('replicas'),
  nodePlacement: object({ nodeSelector: labelSelector, tolerations }),
  endpointPublishingStrategy: object(
    {
      type: textEnum('LoadBalancerService', 'HostNetwork', 'Private', 'NodePortService'),
      ...opaqueFields('hostNetwork loadBalancer private nodePort'),
    },
    'type',
  ),
  ...opaqueFields(`clientTLS defaultCertificate httpCompression httpEmptyRequestsPolicy httpErrorCodePages httpHeaders logging
      namespaceSelector routeAdmission routeSelector tlsSecurityProfile tuningOptions unsupportedConfigOverrides`),
});

const registryConfig = buildSpecFields(
  {
    ...placement,
    ...integerFields('replicas'),
    ...flagFields('readOnly disableRedirect defaultRoute'),
    ...textFields('httpSecret rolloutStrategy operatorLogLevel logLevel'),
    managementState: textEnum('Managed', 'Unmanaged', 'Force', 'Removed'),
    storage: object({
      pvc: object(textFields('claim')),
      ...textFields('managementState'),
      ...opaqueFields('emptyDir s3 gcs swift azure ibmcos oss'),
    }),
    ...opaqueFields('affinity logging observedConfig proxy requests resources routes topologySpreadConstraints'),
    ...opaqueFields('unsupportedConfigOverrides'),
  },
  'replicas',
);

const imagePruner = buildSpecFields({
  ...placement,
  ...textFields('schedule keepYoungerThanDuration logLevel'),
  ...flagFields('suspend ignoreInvalidImageReferences'),
  ...integerFields('keepTagRevisions keepYoungerThan successfulJobsHistoryLimit failedJobsHistoryLimit'),
  ...opaqueFields('affinity resources'),
});

const networkConfig = buildSpecFields({
  ...textFields('networkType serviceNodePortRange'),
  networkDiagnostics: object({
    ...textFields('mode'),
    sourcePlacement: object(placement),
    targetPlacement: object(placement),
  }),
  ...opaqueFields('clusterNetwork externalIP serviceNetwork'),
});

const machineConfigPool = buildSpecFields({
  machineConfigSelector: labelSelector,
  nodeSelector: labelSelector,
  ...flagFields('paused'),
  ...intOrStringFields('maxUnavailable'),
  ...opaqueFields('configuration osImageStream pinnedImageSets'),
});

// openshift/api, operator/v1/types_machineconfiguration.go.
const machineConfiguration = buildSpecFields({
  ...textFields('logLevel operatorLogLevel managementState'),
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
  ...opaqueFields('irreconcilableValidationOverrides managedBootImages nodeDisruptionPolicy'),
});

const managementSchema = textEnum('Managed', 'Unmanaged');
const collector: Fields = { ...placement, ...opaqueFields('resources') };

const clusterLogging = buildSpecFields({
  managementState: managementSchema,
  collection: object({
    ...collector,
    type: textEnum('fluentd', 'vector'),
    logs: object({ type: textEnum('fluentd', 'vector'), fluentd: object(collector) }, 'type'),
    ...opaqueFields('fluentd'),
  }),
  logStore: object({
    type: textEnum('elasticsearch', 'lokistack'),
    elasticsearch: object({
      ...collector,
      ...countFields('nodeCount'),
      ...textFields('redundancyPolicy'),
      ...opaqueFields('proxy storage'),
    }),
    ...opaqueFields('lokistack retentionPolicy'),
  }),
  visualization: object({
    type: textEnum('kibana', 'ocp-console'),
    kibana: object({ ...collector, ...countFields('replicas'), ...opaqueFields('proxy') }),
    ...opaqueFields('ocpConsole'),
  }),
  ...opaqueFields('curation forwarder'),
});

const clusterLogForwarder = buildSpecFields(
  {
    managementState: managementSchema,
    serviceAccount: object(textFields('name'), 'name'),
    collector: object({ ...collector, ...opaqueFields('networkPolicy maxUnavailable') }),
    ...opaqueFields('inputs outputs filters pipelines'),
  },
  'serviceAccount',
);

/** The components of a LokiStack, each with its own placement. */
export const LOKI_COMPONENTS: readonly string[] = [
  ...['compactor', 'distributor', 'gateway', 'indexGateway', 'ingester', 'querier', 'queryFrontend', 'ruler'],
];
const lokiComponent = object({ ...placement, ...countFields('replicas'), ...opaqueFields('podAntiAffinity') });

const lokiStack = buildSpecFields(
  {
    managementState: managementSchema,
    size: textEnum('1x.demo', '1x.pico', '1x.extra-small', '1x.small', '1x.medium'),
    ...textFields('storageClassName'),
    template: object(Object.fromEntries(LOKI_COMPONENTS.map((component) => [component, lokiComponent]))),
    ...opaqueFields('storage hashRing limits proxy replication rules tenants networkPolicies'),
  },
  'size storage storageClassName',
);

const cephDriver = buildSpecFields({
  nodePlugin: object({ ...placement, ...opaqueFields('affinity resources updateStrategy volumes kubeletDirPath') }),
  controllerPlugin: object({
    ...placement,
    ...countFields('replicas'),
    ...opaqueFields('affinity resources hostNetwork'),
  }),
  ...opaqueFields(
    'attachRequired log imageSet clusterName enableMetadata fsGroupPolicy snapshotPolicy cephFsClientType',
  ),
});

// openshift/api: machine/v1beta1, autoscaling/v1 and autoscaling/v1beta1.

const objectMeta = object({
  ...textFields('name generateName namespace'),
  labels: textMap,
  annotations: textMap,
  ...opaqueFields('ownerReferences'),
});
const machineSpec = object({
  metadata: objectMeta,
  taints: list(taint),
  providerSpec: object(opaqueFields('value')),
  ...textFields('providerID authoritativeAPI'),
  ...opaqueFields('lifecycleHooks'),
});

const machineSet = buildSpecFields({
  ...countFields('replicas'),
  ...integerFields('minReadySeconds'),
  deletePolicy: textEnum('', 'Random', 'Newest', 'Oldest'),
  selector: labelSelector,
  template: object({ metadata: objectMeta, spec: machineSpec }),
  ...textFields('authoritativeAPI'),
});

const machineAutoscaler = buildSpecFields(
  {
    ...countFields('minReplicas'),
    maxReplicas: { type: 'integer', minimum: 1 },
    scaleTargetRef: object(textFields('apiVersion kind name'), 'kind name'),
  },
  'minReplicas maxReplicas scaleTargetRef',
);

const range = object(countFields('min max'));

const clusterAutoscaler = buildSpecFields({
  resourceLimits: object({ ...countFields('maxNodesTotal'), cores: range, memory: range, ...opaqueFields('gpus') }),
  scaleDown: object({
    ...flagFields('enabled'),
    ...textFields('delayAfterAdd delayAfterDelete delayAfterFailure unneededTime utilizationThreshold'),
  }),
  ...integerFields('maxPodGracePeriod podPriorityThreshold logVerbosity'),
  ...flagFields('balanceSimilarNodeGroups ignoreDaemonsetsUtilization skipNodesWithLocalStorage'),
  ...textFields('maxNodeProvisionTime'),
  ...opaqueFields('balancingIgnoredLabels expanders scaleUp'),
});

const machineHealthCheck = buildSpecFields(
  {
    selector: labelSelector,
    unhealthyConditions: list(object(textFields('type status timeout'), 'type status timeout')),
    ...intOrStringFields('maxUnhealthy'),
    ...textFields('nodeStartupTimeout'),
    ...opaqueFields('remediationTemplate'),
  },
  'selector unhealthyConditions',
);

interface KindOptions {
  readonly version?: string;
  readonly isClusterScoped?: boolean;
  readonly operatorNamespace?: string;
  readonly subresources?: readonly Subresource[];
  readonly hasGeneration?: boolean;
  readonly isInAll?: boolean;
}

const metadata = object({
  ...textFields('name generateName namespace selfLink uid resourceVersion'),
  ...integerFields('generation deletionGracePeriodSeconds'),
  labels: textMap,
  annotations: textMap,
  finalizers: textList,
  ...opaqueFields('creationTimestamp deletionTimestamp managedFields ownerReferences'),
});

/**
 * Returns a function that defines a kind. Its parameter `names` holds the plural, the kind and its short names, with
 * blanks between them.
 */
const createDefiner =
  (isCustom: boolean) =>
  (group: string, names: string, fields: Fields, options: KindOptions = {}): ResourceKind => {
    const [plural = '', kind = '', ...shortNames] = names.split(' ');
    const { isClusterScoped = false, ...kindOptions } = options;
    return {
      ...{ version: 'v1', isInAll: false, subresources: ['status'], hasGeneration: isCustom, ...kindOptions },
      ...{ isCustom, group, plural, kind, shortNames, namespaced: !isClusterScoped },
      schema: object({ ...textFields('apiVersion kind'), metadata, ...fields }),
      columns: getColumns(formatResourceKey({ group, plural })),
    };
  };

/** Defines a kind that is built into kube-apiserver. */
const defineBuiltin = createDefiner(false);
/** Defines a kind that a CustomResourceDefinition adds. */
const defineCustom = createDefiner(true);

const CLUSTER_SCOPED: KindOptions = { isClusterScoped: true };
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
/** Options of the kinds that the logging operators install, with the namespace of these operators. */
const LOGGING: KindOptions = { operatorNamespace: 'openshift-logging' };
const STORAGE: KindOptions = { operatorNamespace: 'openshift-storage' };

const nodeSpec = {
  ...textFields('podCIDR providerID'),
  ...flagFields('unschedulable'),
  ...opaqueFields('podCIDRs'),
  taints: list(taint),
};
const event: Fields = {
  ...textFields('reason message type action reportingComponent reportingInstance'),
  ...opaqueFields('involvedObject source firstTimestamp lastTimestamp eventTime count series related'),
};
const storageClass: Fields = {
  ...textFields('provisioner reclaimPolicy volumeBindingMode'),
  ...flagFields('allowVolumeExpansion'),
  parameters: textMap,
  ...opaqueFields('mountOptions allowedTopologies'),
};
const configMap: Fields = { data: textMap, binaryData: textMap, ...flagFields('immutable') };
const secret: Fields = { data: textMap, stringData: textMap, ...textFields('type'), ...flagFields('immutable') };
const WITH_APPROVAL: KindOptions = { subresources: ['status', 'approval'] };
const WEBHOOK_CONFIGURATION: KindOptions = { ...CLUSTER_SCOPED, ...NO_STATUS, hasGeneration: true };

const KINDS: readonly ResourceKind[] = [
  defineBuiltin('', 'namespaces Namespace ns', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineBuiltin('', 'nodes Node no', buildSpecFields(nodeSpec), CLUSTER_SCOPED),
  defineBuiltin('', 'pods Pod po', OPAQUE_CONTENT, { isInAll: true }),
  defineBuiltin('', 'configmaps ConfigMap cm', configMap, NO_STATUS),
  defineBuiltin('', 'secrets Secret', secret, NO_STATUS),
  defineBuiltin('', 'services Service svc', OPAQUE_CONTENT, { isInAll: true }),
  defineBuiltin('', 'endpoints Endpoints ep', opaqueFields('subsets'), NO_STATUS),
  defineBuiltin('', 'events Event ev', event, NO_STATUS),
  defineBuiltin('', 'persistentvolumeclaims PersistentVolumeClaim pvc', OPAQUE_CONTENT),
  defineBuiltin('', 'persistentvolumes PersistentVolume pv', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineBuiltin('apps', 'deployments Deployment deploy', OPAQUE_CONTENT, { ...WORKLOAD, ...WITH_SCALE }),
  defineBuiltin('apps', 'statefulsets StatefulSet sts', OPAQUE_CONTENT, { ...WORKLOAD, ...WITH_SCALE }),
  defineBuiltin('apps', 'daemonsets DaemonSet ds', OPAQUE_CONTENT, WORKLOAD),
  defineBuiltin('certificates.k8s.io', 'certificatesigningrequests CertificateSigningRequest csr', OPAQUE_CONTENT, {
    ...CLUSTER_SCOPED,
    ...WITH_APPROVAL,
  }),
  defineBuiltin('storage.k8s.io', 'storageclasses StorageClass sc', storageClass, { ...CLUSTER_SCOPED, ...NO_STATUS }),
  defineBuiltin('apiregistration.k8s.io', 'apiservices APIService', OPAQUE_CONTENT, CLUSTER_SCOPED),
  ...[
    'validatingwebhookconfigurations ValidatingWebhookConfiguration',
    'mutatingwebhookconfigurations MutatingWebhookConfiguration',
  ].map((names) =>
    defineBuiltin('admissionregistration.k8s.io', names, opaqueFields('webhooks'), WEBHOOK_CONFIGURATION),
  ),
  defineCustom(CONFIG, 'clusterversions ClusterVersion', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG, 'clusteroperators ClusterOperator co', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG, 'infrastructures Infrastructure', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG, 'schedulers Scheduler', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG, 'featuregates FeatureGate', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom('apiserver.openshift.io', 'apirequestcounts APIRequestCount', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG, 'ingresses Ingress', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG, 'proxies Proxy', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG, 'networks Network', networkConfig, CLUSTER_SCOPED),
  defineCustom(OPERATOR, 'ingresscontrollers IngressController', ingressController, WITH_SCALE),
  ...[
    ...['etcds Etcd', 'dnses DNS', 'kubeapiservers KubeAPIServer', 'kubecontrollermanagers KubeControllerManager'],
    ...['kubeschedulers KubeScheduler', 'openshiftapiservers OpenShiftAPIServer', 'authentications Authentication'],
    ...['consoles Console', 'networks Network', 'storages Storage'],
  ].map((names) => defineCustom(OPERATOR, names, OPAQUE_CONTENT, CLUSTER_SCOPED)),
  defineCustom(REGISTRY, 'configs Config', registryConfig, CLUSTER_SCOPED),
  defineCustom(REGISTRY, 'imagepruners ImagePruner', imagePruner, CLUSTER_SCOPED),
  defineCustom(MACHINE_CONFIG, 'machineconfigpools MachineConfigPool mcp', machineConfigPool, CLUSTER_SCOPED),
  defineCustom(OPERATOR, 'machineconfigurations MachineConfiguration', machineConfiguration, CLUSTER_SCOPED),
  defineCustom(MACHINE_CONFIG, 'containerruntimeconfigs ContainerRuntimeConfig ctrcfg', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(MACHINE_CONFIG, 'machineconfigs MachineConfig mc', opaqueFields('spec'), CLUSTER_SCOPED),
  defineCustom(MACHINE_API, 'machinesets MachineSet', machineSet, { ...BETA, ...WITH_SCALE }),
  defineCustom(MACHINE_API, 'machines Machine', { spec: machineSpec, status: anySchema }, BETA),
  defineCustom(MACHINE_API, 'machinehealthchecks MachineHealthCheck mhc mhcs', machineHealthCheck, BETA),
  defineCustom(AUTOSCALING, 'machineautoscalers MachineAutoscaler', machineAutoscaler, BETA),
  defineCustom(AUTOSCALING, 'clusterautoscalers ClusterAutoscaler', clusterAutoscaler, CLUSTER_SCOPED),
  defineCustom('route.openshift.io', 'routes Route', OPAQUE_CONTENT),
  defineCustom('logging.openshift.io', 'clusterloggings ClusterLogging', clusterLogging, LOGGING),
  defineCustom('observability.openshift.io', 'clusterlogforwarders ClusterLogForwarder', clusterLogForwarder, LOGGING),
  defineCustom('loki.grafana.com', 'lokistacks LokiStack', lokiStack, LOGGING),
  defineCustom('operators.coreos.com', 'clusterserviceversions ClusterServiceVersion csv csvs', OPAQUE_CONTENT, {
    version: 'v1alpha1',
  }),
  defineCustom('csi.ceph.io', 'drivers Driver', cephDriver, STORAGE),
];

/** Every kind that the API serves, by resource key (`nodes`, `clusteroperators.config.openshift.io`). */
export const kindsByKey: ReadonlyMap<string, ResourceKind> = new Map(
  KINDS.map((kind) => [formatResourceKey(kind), kind]),
);

/**
 * Returns the kind of a resource key.
 * @throws Error if there is no such kind: a mistake of the caller, not of a client
 */
export function findKind(resource: string): ResourceKind {
  const kind = kindsByKey.get(resource);
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

/** Parses a path such as `/apis/apps/v1/namespaces/default/deployments/x/status`; null: no resource. */
export function parseResourcePath(path: string): ResourceRequest | null {
  const [root, ...parts] = decodeParts(path) ?? [];
  const [group = '', version = '', ...segments] = root === 'api' ? ['', ...parts] : root === 'apis' ? parts : [];
  const isInNamespace = segments[0] === 'namespaces' && segments.length > 2 && !isNamespaceSubresource(group, segments);
  const namespace = isInNamespace ? (segments[1] ?? '') : null;
  const [plural = '', name = null, subresource = null, ...extraSegments] = isInNamespace ? segments.slice(2) : segments;
  const resource = formatResourceKey({ group, plural });
  const kind = kindsByKey.get(resource);
  if (kind?.version !== version || extraSegments.length > 0 || name === '') return null;
  if (isInNamespace ? !kind.namespaced : name !== null && kind.namespaced) return null;
  const servedSubresource = kind.subresources.find((item) => item === subresource) ?? null;
  if (subresource !== null && servedSubresource === null) return null;
  return { resource, kind, namespace, name, subresource: servedSubresource };
}

/** Whether a path such as `/api/v1/namespaces/x/status` names a subresource of the namespace, not a kind in it. */
function isNamespaceSubresource(group: string, segments: readonly string[]): boolean {
  return group === '' && segments.length === 3 && (segments[2] === 'status' || segments[2] === 'finalize');
}

function decodeParts(path: string): string[] | null {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return null;
  }
}
