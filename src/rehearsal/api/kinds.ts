import { type Column, getColumns } from './columns.ts';
import {
  anySchema,
  countFields,
  type Fields,
  flagFields,
  integerFields,
  intOrStringFields,
  listSchema,
  objectSchema,
  opaqueFields,
  type Schema,
  textEnum,
  textFields,
  textListSchema,
  textMapSchema,
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
  readonly isInCategoryAll: boolean;
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
const toleration = objectSchema({
  ...textFields('key value'),
  operator: textEnum('Exists', 'Equal', ''),
  effect: textEnum('NoSchedule', 'PreferNoSchedule', 'NoExecute', ''),
  ...integerFields('tolerationSeconds'),
});
const tolerations = listSchema(toleration);
const labelSelector = objectSchema({ matchLabels: textMapSchema, ...opaqueFields('matchExpressions') });
const placement: Fields = { nodeSelector: textMapSchema, tolerations };
const taint = objectSchema({ ...textFields('key value effect'), ...opaqueFields('timeAdded') }, 'key effect');

/** Builds the fields of a kind whose specification is validated. */
const buildSpecFields = (fields: Fields, required = ''): Fields => ({
  spec: objectSchema(fields, required),
  status: anySchema,
});

const ingressController = buildSpecFields({
  ...textFields('domain idleConnectionTerminationPolicy'),
  ...integerFields('replicas'),
  nodePlacement: objectSchema({ nodeSelector: labelSelector, tolerations }),
  endpointPublishingStrategy: objectSchema(
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
    storage: objectSchema({
      pvc: objectSchema(textFields('claim')),
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
  networkDiagnostics: objectSchema({
    ...textFields('mode'),
    sourcePlacement: objectSchema(placement),
    targetPlacement: objectSchema(placement),
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
  bootImageSkewEnforcement: objectSchema(
    {
      mode: textEnum('Manual', 'None'),
      manual: objectSchema(
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
  collection: objectSchema({
    ...collector,
    type: textEnum('fluentd', 'vector'),
    logs: objectSchema({ type: textEnum('fluentd', 'vector'), fluentd: objectSchema(collector) }, 'type'),
    ...opaqueFields('fluentd'),
  }),
  logStore: objectSchema({
    type: textEnum('elasticsearch', 'lokistack'),
    elasticsearch: objectSchema({
      ...collector,
      ...countFields('nodeCount'),
      ...textFields('redundancyPolicy'),
      ...opaqueFields('proxy storage'),
    }),
    ...opaqueFields('lokistack retentionPolicy'),
  }),
  visualization: objectSchema({
    type: textEnum('kibana', 'ocp-console'),
    kibana: objectSchema({ ...collector, ...countFields('replicas'), ...opaqueFields('proxy') }),
    ...opaqueFields('ocpConsole'),
  }),
  ...opaqueFields('curation forwarder'),
});

const clusterLogForwarder = buildSpecFields(
  {
    managementState: managementSchema,
    serviceAccount: objectSchema(textFields('name'), 'name'),
    collector: objectSchema({ ...collector, ...opaqueFields('networkPolicy maxUnavailable') }),
    ...opaqueFields('inputs outputs filters pipelines'),
  },
  'serviceAccount',
);

/** The components of a LokiStack, each with its own placement. */
export const LOKI_COMPONENTS: readonly string[] = [
  ...['compactor', 'distributor', 'gateway', 'indexGateway', 'ingester', 'querier', 'queryFrontend', 'ruler'],
];
const lokiComponent = objectSchema({ ...placement, ...countFields('replicas'), ...opaqueFields('podAntiAffinity') });

const lokiStack = buildSpecFields(
  {
    managementState: managementSchema,
    size: textEnum('1x.demo', '1x.pico', '1x.extra-small', '1x.small', '1x.medium'),
    ...textFields('storageClassName'),
    template: objectSchema(Object.fromEntries(LOKI_COMPONENTS.map((component) => [component, lokiComponent]))),
    ...opaqueFields('storage hashRing limits proxy replication rules tenants networkPolicies'),
  },
  'size storage storageClassName',
);

const cephDriver = buildSpecFields({
  nodePlugin: objectSchema({
    ...placement,
    ...opaqueFields('affinity resources updateStrategy volumes kubeletDirPath'),
  }),
  controllerPlugin: objectSchema({
    ...placement,
    ...countFields('replicas'),
    ...opaqueFields('affinity resources hostNetwork'),
  }),
  ...opaqueFields(
    'attachRequired log imageSet clusterName enableMetadata fsGroupPolicy snapshotPolicy cephFsClientType',
  ),
});

// openshift/api: machine/v1beta1, autoscaling/v1 and autoscaling/v1beta1.

const objectMeta = objectSchema({
  ...textFields('name generateName namespace'),
  labels: textMapSchema,
  annotations: textMapSchema,
  ...opaqueFields('ownerReferences'),
});
const machineSpec = objectSchema({
  metadata: objectMeta,
  taints: listSchema(taint),
  providerSpec: objectSchema(opaqueFields('value')),
  ...textFields('providerID authoritativeAPI'),
  ...opaqueFields('lifecycleHooks'),
});

const machineSet = buildSpecFields({
  ...countFields('replicas'),
  ...integerFields('minReadySeconds'),
  deletePolicy: textEnum('', 'Random', 'Newest', 'Oldest'),
  selector: labelSelector,
  template: objectSchema({ metadata: objectMeta, spec: machineSpec }),
  ...textFields('authoritativeAPI'),
});

const machineAutoscaler = buildSpecFields(
  {
    ...countFields('minReplicas'),
    maxReplicas: { type: 'integer', minimum: 1 },
    scaleTargetRef: objectSchema(textFields('apiVersion kind name'), 'kind name'),
  },
  'minReplicas maxReplicas scaleTargetRef',
);

const range = objectSchema(countFields('min max'));

const clusterAutoscaler = buildSpecFields({
  resourceLimits: objectSchema({
    ...countFields('maxNodesTotal'),
    cores: range,
    memory: range,
    ...opaqueFields('gpus'),
  }),
  scaleDown: objectSchema({
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
    unhealthyConditions: listSchema(objectSchema(textFields('type status timeout'), 'type status timeout')),
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

const metadata = objectSchema({
  ...textFields('name generateName namespace selfLink uid resourceVersion'),
  ...integerFields('generation deletionGracePeriodSeconds'),
  labels: textMapSchema,
  annotations: textMapSchema,
  finalizers: textListSchema,
  ...opaqueFields('creationTimestamp deletionTimestamp managedFields ownerReferences'),
});

/**
 * Returns a function that defines a kind. Its parameter `names` holds the plural, the kind and its short names, with
 * blanks between them.
 */
const createKindDefiner =
  (isCustom: boolean) =>
  (group: string, names: string, fields: Fields, options: KindOptions = {}): ResourceKind => {
    const [plural = '', kind = '', ...shortNames] = names.split(' ');
    const { isClusterScoped = false, ...kindOptions } = options;
    return {
      ...{ version: 'v1', isInCategoryAll: false, subresources: ['status'], hasGeneration: isCustom, ...kindOptions },
      ...{ isCustom, group, plural, kind, shortNames, namespaced: !isClusterScoped },
      schema: objectSchema({ ...textFields('apiVersion kind'), metadata, ...fields }),
      columns: getColumns(formatResourceKey({ group, plural })),
    };
  };

/** Defines a kind that is built into kube-apiserver. */
const defineBuiltin = createKindDefiner(false);
/** Defines a kind that a CustomResourceDefinition adds. */
const defineCustom = createKindDefiner(true);

const CLUSTER_SCOPED: KindOptions = { isClusterScoped: true };
const NO_STATUS: KindOptions = { subresources: [] };
const WORKLOAD_OPTIONS: KindOptions = { hasGeneration: true, isInAll: true };
const WITH_SCALE: KindOptions = { subresources: ['status', 'scale'] };
const BETA_VERSION: KindOptions = { version: 'v1beta1' };
const CONFIG_GROUP = 'config.openshift.io';
const OPERATOR_GROUP = 'operator.openshift.io';
const REGISTRY_GROUP = 'imageregistry.operator.openshift.io';
const MACHINE_CONFIG_GROUP = 'machineconfiguration.openshift.io';
const AUTOSCALING_GROUP = 'autoscaling.openshift.io';
const MACHINE_API_GROUP = 'machine.openshift.io';
/** Options of the kinds that the logging operators install, with the namespace of these operators. */
const LOGGING_OPTIONS: KindOptions = { operatorNamespace: 'openshift-logging' };
const STORAGE_OPTIONS: KindOptions = { operatorNamespace: 'openshift-storage' };

const nodeSpec = {
  ...textFields('podCIDR providerID'),
  ...flagFields('unschedulable'),
  ...opaqueFields('podCIDRs'),
  taints: listSchema(taint),
};
const event: Fields = {
  ...textFields('reason message type action reportingComponent reportingInstance'),
  ...opaqueFields('involvedObject source firstTimestamp lastTimestamp eventTime count series related'),
};
const storageClass: Fields = {
  ...textFields('provisioner reclaimPolicy volumeBindingMode'),
  ...flagFields('allowVolumeExpansion'),
  parameters: textMapSchema,
  ...opaqueFields('mountOptions allowedTopologies'),
};
const configMap: Fields = { data: textMapSchema, binaryData: textMapSchema, ...flagFields('immutable') };
const secret: Fields = {
  data: textMapSchema,
  stringData: textMapSchema,
  ...textFields('type'),
  ...flagFields('immutable'),
};
const WITH_APPROVAL: KindOptions = { subresources: ['status', 'approval'] };
const WEBHOOK_OPTIONS: KindOptions = { ...CLUSTER_SCOPED, ...NO_STATUS, hasGeneration: true };

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
  defineBuiltin('apps', 'deployments Deployment deploy', OPAQUE_CONTENT, { ...WORKLOAD_OPTIONS, ...WITH_SCALE }),
  defineBuiltin('apps', 'statefulsets StatefulSet sts', OPAQUE_CONTENT, { ...WORKLOAD_OPTIONS, ...WITH_SCALE }),
  defineBuiltin('apps', 'daemonsets DaemonSet ds', OPAQUE_CONTENT, WORKLOAD_OPTIONS),
  defineBuiltin('certificates.k8s.io', 'certificatesigningrequests CertificateSigningRequest csr', OPAQUE_CONTENT, {
    ...CLUSTER_SCOPED,
    ...WITH_APPROVAL,
  }),
  defineBuiltin('storage.k8s.io', 'storageclasses StorageClass sc', storageClass, { ...CLUSTER_SCOPED, ...NO_STATUS }),
  defineBuiltin('apiregistration.k8s.io', 'apiservices APIService', OPAQUE_CONTENT, CLUSTER_SCOPED),
  ...[
    'validatingwebhookconfigurations ValidatingWebhookConfiguration',
    'mutatingwebhookconfigurations MutatingWebhookConfiguration',
  ].map((names) => defineBuiltin('admissionregistration.k8s.io', names, opaqueFields('webhooks'), WEBHOOK_OPTIONS)),
  defineCustom(CONFIG_GROUP, 'clusterversions ClusterVersion', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG_GROUP, 'clusteroperators ClusterOperator co', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG_GROUP, 'infrastructures Infrastructure', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG_GROUP, 'schedulers Scheduler', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG_GROUP, 'featuregates FeatureGate', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom('apiserver.openshift.io', 'apirequestcounts APIRequestCount', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG_GROUP, 'ingresses Ingress', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG_GROUP, 'proxies Proxy', OPAQUE_CONTENT, CLUSTER_SCOPED),
  defineCustom(CONFIG_GROUP, 'networks Network', networkConfig, CLUSTER_SCOPED),
  defineCustom(OPERATOR_GROUP, 'ingresscontrollers IngressController', ingressController, WITH_SCALE),
  ...[
    ...['etcds Etcd', 'dnses DNS', 'kubeapiservers KubeAPIServer', 'kubecontrollermanagers KubeControllerManager'],
    ...['kubeschedulers KubeScheduler', 'openshiftapiservers OpenShiftAPIServer', 'authentications Authentication'],
    ...['consoles Console', 'networks Network', 'storages Storage'],
  ].map((names) => defineCustom(OPERATOR_GROUP, names, OPAQUE_CONTENT, CLUSTER_SCOPED)),
  defineCustom(REGISTRY_GROUP, 'configs Config', registryConfig, CLUSTER_SCOPED),
  defineCustom(REGISTRY_GROUP, 'imagepruners ImagePruner', imagePruner, CLUSTER_SCOPED),
  defineCustom(MACHINE_CONFIG_GROUP, 'machineconfigpools MachineConfigPool mcp', machineConfigPool, CLUSTER_SCOPED),
  defineCustom(OPERATOR_GROUP, 'machineconfigurations MachineConfiguration', machineConfiguration, CLUSTER_SCOPED),
  defineCustom(
    MACHINE_CONFIG_GROUP,
    'containerruntimeconfigs ContainerRuntimeConfig ctrcfg',
    OPAQUE_CONTENT,
    CLUSTER_SCOPED,
  ),
  defineCustom(MACHINE_CONFIG_GROUP, 'machineconfigs MachineConfig mc', opaqueFields('spec'), CLUSTER_SCOPED),
  defineCustom(MACHINE_API_GROUP, 'machinesets MachineSet', machineSet, { ...BETA_VERSION, ...WITH_SCALE }),
  defineCustom(MACHINE_API_GROUP, 'machines Machine', { spec: machineSpec, status: anySchema }, BETA_VERSION),
  defineCustom(MACHINE_API_GROUP, 'machinehealthchecks MachineHealthCheck mhc mhcs', machineHealthCheck, BETA_VERSION),
  defineCustom(AUTOSCALING_GROUP, 'machineautoscalers MachineAutoscaler', machineAutoscaler, BETA_VERSION),
  defineCustom(AUTOSCALING_GROUP, 'clusterautoscalers ClusterAutoscaler', clusterAutoscaler, CLUSTER_SCOPED),
  defineCustom('route.openshift.io', 'routes Route', OPAQUE_CONTENT),
  defineCustom('logging.openshift.io', 'clusterloggings ClusterLogging', clusterLogging, LOGGING_OPTIONS),
  defineCustom(
    'observability.openshift.io',
    'clusterlogforwarders ClusterLogForwarder',
    clusterLogForwarder,
    LOGGING_OPTIONS,
  ),
  defineCustom('loki.grafana.com', 'lokistacks LokiStack', lokiStack, LOGGING_OPTIONS),
  defineCustom('operators.coreos.com', 'clusterserviceversions ClusterServiceVersion csv csvs', OPAQUE_CONTENT, {
    version: 'v1alpha1',
  }),
  defineCustom('csi.ceph.io', 'drivers Driver', cephDriver, STORAGE_OPTIONS),
];

/** Every kind that the API serves, by resource key (`nodes`, `clusteroperators.config.openshift.io`). */
export const kindsByKey: ReadonlyMap<string, ResourceKind> = new Map(
  KINDS.map((kind) => [formatResourceKey(kind), kind]),
);

/**
 * Returns the kind of a resource key.
 * @throws Error if there is no such kind: a mistake of the caller, not of a client
 */
export function getKind(resource: string): ResourceKind {
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
  const [root, ...parts] = decodePathSegments(path) ?? [];
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

function decodePathSegments(path: string): string[] | null {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return null;
  }
}
