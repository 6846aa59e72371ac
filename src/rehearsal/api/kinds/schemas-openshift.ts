import {
  anything,
  count,
  type Fields,
  flag,
  integer,
  intOrString,
  list,
  object,
  opaque,
  type Schema,
  text,
  textEnum,
  textList,
  textMap,
} from './schema.ts';
import { condition, labelSelector, resources, toleration } from './schemas-core.ts';

const conditions = list(condition, 'type');
const tolerations = list(toleration);
const release: Schema = object({ version: text, image: text, url: text, channels: textList, architecture: text });
const managementState = textEnum('Managed', 'Unmanaged', 'Force', 'Removed');
const logLevel = textEnum('', 'Normal', 'Debug', 'Trace', 'TraceAll');

const operatorSpec: Fields = {
  managementState: text,
  logLevel,
  operatorLogLevel: logLevel,
  unsupportedConfigOverrides: anything,
  observedConfig: anything,
};

export const operatorStatus: Fields = {
  conditions,
  observedGeneration: integer,
  version: text,
  readyReplicas: count,
  generations: list(anything),
  latestAvailableRevision: integer,
  latestAvailableRevisionReason: text,
  nodeStatuses: list(anything),
};

export const clusterVersion: Fields = {
  spec: object(
    {
      clusterID: text,
      desiredUpdate: object({ version: text, image: text, force: flag, architecture: text, acceptRisks: anything }),
      upstream: text,
      channel: text,
      overrides: list(anything),
      signatureStores: list(anything),
      capabilities: object({ baselineCapabilitySet: text, additionalEnabledCapabilities: textList }),
    },
    'clusterID',
  ),
  status: object({
    desired: release,
    history: list(
      object({
        state: text,
        startedTime: text,
        completionTime: { type: 'any' },
        version: text,
        image: text,
        verified: flag,
        acceptedRisks: text,
      }),
    ),
    observedGeneration: integer,
    versionHash: text,
    capabilities: object({ enabledCapabilities: textList, knownCapabilities: textList }),
    conditions,
    availableUpdates: anything,
    conditionalUpdates: anything,
    conditionalUpdateRisks: anything,
  }),
};

export const clusterOperator: Fields = {
  spec: object({}),
  status: object({
    conditions,
    versions: list(object({ name: text, version: text })),
    relatedObjects: list(object({ group: text, resource: text, namespace: text, name: text })),
    extension: anything,
  }),
};

export const ingressController: Fields = {
  spec: object({
    domain: text,
    replicas: { type: 'integer' },
    nodePlacement: object({ nodeSelector: labelSelector, tolerations }),
    endpointPublishingStrategy: object(
      {
        type: textEnum('LoadBalancerService', 'HostNetwork', 'Private', 'NodePortService'),
        ...opaque('hostNetwork', 'loadBalancer', 'private', 'nodePort'),
      },
      'type',
    ),
    defaultCertificate: object({ name: text }),
    namespaceSelector: labelSelector,
    routeSelector: labelSelector,
    idleConnectionTerminationPolicy: text,
    unsupportedConfigOverrides: anything,
    ...opaque(
      'routeAdmission',
      'tlsSecurityProfile',
      'clientTLS',
      'logging',
      'httpHeaders',
      'httpEmptyRequestsPolicy',
      'tuningOptions',
      'httpErrorCodePages',
      'httpCompression',
    ),
  }),
  status: object({
    availableReplicas: count,
    selector: text,
    domain: text,
    endpointPublishingStrategy: anything,
    conditions,
    tlsProfile: anything,
    observedGeneration: integer,
    namespaceSelector: anything,
    routeSelector: anything,
  }),
};

const registryStorage: Schema = object({
  emptyDir: anything,
  pvc: object({ claim: text }),
  managementState: text,
  ...opaque('s3', 'gcs', 'swift', 'azure', 'ibmcos', 'oss'),
});

export const registryConfig: Fields = {
  spec: object(
    {
      ...operatorSpec,
      managementState,
      httpSecret: text,
      proxy: object({ http: text, https: text, noProxy: text }),
      storage: registryStorage,
      readOnly: flag,
      disableRedirect: flag,
      requests: anything,
      defaultRoute: flag,
      routes: list(anything),
      replicas: { type: 'integer' },
      logging: integer,
      resources,
      nodeSelector: textMap,
      tolerations,
      rolloutStrategy: text,
      affinity: anything,
      topologySpreadConstraints: list(anything),
    },
    'replicas',
  ),
  status: object({ ...operatorStatus, storage: registryStorage, storageManaged: flag }),
};

export const imagePruner: Fields = {
  spec: object({
    schedule: text,
    suspend: flag,
    keepTagRevisions: integer,
    keepYoungerThan: integer,
    keepYoungerThanDuration: text,
    resources,
    affinity: anything,
    nodeSelector: textMap,
    tolerations,
    successfulJobsHistoryLimit: integer,
    failedJobsHistoryLimit: integer,
    ignoreInvalidImageReferences: flag,
    logLevel,
  }),
  status: object({ observedGeneration: integer, conditions }),
};

const poolConfiguration: Schema = object({
  name: text,
  source: list(anything),
  ...opaque('apiVersion', 'fieldPath', 'kind', 'namespace', 'resourceVersion', 'uid'),
});

export const machineConfigPool: Fields = {
  spec: object({
    machineConfigSelector: labelSelector,
    nodeSelector: labelSelector,
    paused: flag,
    maxUnavailable: intOrString,
    configuration: poolConfiguration,
    pinnedImageSets: list(anything),
    osImageStream: anything,
  }),
  status: object({
    observedGeneration: integer,
    configuration: poolConfiguration,
    machineCount: integer,
    updatedMachineCount: integer,
    readyMachineCount: integer,
    unavailableMachineCount: integer,
    degradedMachineCount: integer,
    conditions,
    certExpirys: list(anything),
    poolSynchronizersStatus: list(anything),
  }),
};

export const route: Fields = {
  spec: object(
    {
      host: text,
      subdomain: text,
      path: text,
      to: object({ kind: text, name: text, weight: integer }, 'name'),
      alternateBackends: list(anything),
      port: object({ targetPort: intOrString }),
      tls: anything,
      wildcardPolicy: text,
      httpHeaders: anything,
    },
    'to',
  ),
  status: object({ ingress: list(anything) }),
};

const placementFields: Fields = { nodeSelector: textMap, tolerations };
export const placement: Schema = object(placementFields);

const collector: Fields = { resources, nodeSelector: textMap, tolerations };

/** operator-framework/api, operators/v1alpha1: the rehearsal reads none of it. */
export const clusterServiceVersion: Fields = { spec: anything, status: anything };

export const clusterLogging: Fields = {
  spec: object({
    managementState: textEnum('Managed', 'Unmanaged'),
    collection: object({
      ...collector,
      type: textEnum('fluentd', 'vector'),
      fluentd: anything,
      logs: object({ type: textEnum('fluentd', 'vector'), fluentd: object(collector) }, 'type'),
    }),
    logStore: object({
      type: textEnum('elasticsearch', 'lokistack'),
      elasticsearch: object({
        nodeCount: count,
        nodeSelector: textMap,
        redundancyPolicy: text,
        resources,
        tolerations,
        ...opaque('proxy', 'storage'),
      }),
      lokistack: object({ name: text }, 'name'),
      retentionPolicy: anything,
    }),
    visualization: object({
      type: textEnum('kibana', 'ocp-console'),
      kibana: object({ nodeSelector: textMap, proxy: anything, replicas: count, resources, tolerations }),
      ...opaque('ocpConsole'),
    }),
    ...opaque('curation', 'forwarder'),
  }),
  status: anything,
};

export const clusterLogForwarder: Fields = {
  spec: object(
    {
      managementState: textEnum('Managed', 'Unmanaged'),
      serviceAccount: object({ name: text }, 'name'),
      collector: object({ ...collector, ...opaque('networkPolicy', 'maxUnavailable') }),
      ...opaque('inputs', 'outputs', 'filters', 'pipelines'),
    },
    'serviceAccount',
  ),
  status: object({
    conditions,
    ...opaque('inputConditions', 'outputConditions', 'filterConditions', 'pipelineConditions'),
  }),
};

/** The components of a LokiStack, each with its own placement. */
export const LOKI_COMPONENTS = [
  'compactor',
  'distributor',
  'gateway',
  'indexGateway',
  'ingester',
  'querier',
  'queryFrontend',
  'ruler',
] as const;
const lokiComponent: Schema = object({
  replicas: count,
  nodeSelector: textMap,
  tolerations,
  podAntiAffinity: anything,
});

export const lokiStack: Fields = {
  spec: object(
    {
      managementState: textEnum('Managed', 'Unmanaged'),
      size: textEnum('1x.demo', '1x.pico', '1x.extra-small', '1x.small', '1x.medium'),
      storageClassName: text,
      storage: object({ secret: object({ type: text, name: text }, 'name', 'type'), ...opaque('schemas', 'tls') }),
      template: object(Object.fromEntries(LOKI_COMPONENTS.map((component) => [component, lokiComponent]))),
      ...opaque('hashRing', 'limits', 'proxy', 'replication', 'rules', 'tenants', 'networkPolicies'),
    },
    'size',
    'storage',
    'storageClassName',
  ),
  status: anything,
};

export const cephDriver: Fields = {
  spec: object({
    nodePlugin: object({
      ...placementFields,
      ...opaque('affinity', 'resources', 'updateStrategy', 'volumes', 'kubeletDirPath'),
    }),
    controllerPlugin: object({
      ...placementFields,
      replicas: count,
      ...opaque('affinity', 'resources', 'hostNetwork'),
    }),
    attachRequired: flag,
    ...opaque(
      'log',
      'imageSet',
      'clusterName',
      'enableMetadata',
      'fsGroupPolicy',
      'snapshotPolicy',
      'cephFsClientType',
    ),
  }),
  status: anything,
};
