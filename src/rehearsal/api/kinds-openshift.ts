import type { KindData } from './kinds-core.ts';
import {
  anything,
  count,
  type Fields,
  flag,
  integer,
  intOrString,
  list,
  object,
  oneOf,
  opaque,
  type Schema,
  text,
  textMap,
  texts,
} from './schema.ts';
import { condition, labelSelector, resources, toleration } from './schemas-pod.ts';

interface Options {
  readonly shortNames?: readonly string[];
  readonly namespaced?: boolean;
}

function custom(group: string, plural: string, kind: string, fields: Fields, options: Options = {}): KindData {
  return {
    group,
    version: 'v1',
    plural,
    singular: kind.toLowerCase(),
    kind,
    shortNames: options.shortNames ?? [],
    categories: [],
    namespaced: options.namespaced ?? false,
    isCustom: true,
    subresources: ['status'],
    hasGeneration: true,
    fields,
  };
}

const CONFIG = 'config.openshift.io';
const OPERATOR = 'operator.openshift.io';
const REGISTRY = 'imageregistry.operator.openshift.io';
const MACHINES = 'machineconfiguration.openshift.io';

const conditions = list(condition, 'type');
const tolerations = list(toleration);
const release: Schema = object({ version: text, image: text, url: text, channels: texts, architecture: text });
const managementState = oneOf('Managed', 'Unmanaged', 'Force', 'Removed');
const logLevel = oneOf('', 'Normal', 'Debug', 'Trace', 'TraceAll');

const operatorSpec: Fields = {
  managementState: text,
  logLevel,
  operatorLogLevel: logLevel,
  unsupportedConfigOverrides: anything,
  observedConfig: anything,
};
const operatorStatus: Fields = {
  conditions,
  observedGeneration: integer,
  version: text,
  readyReplicas: count,
  generations: list(anything),
  latestAvailableRevision: integer,
  latestAvailableRevisionReason: text,
  nodeStatuses: list(anything),
};

/** An operator whose own fields the rehearsal never looks into. */
function operator(plural: string, kind: string): KindData {
  const free: Schema = anything;
  return custom(OPERATOR, plural, kind, {
    spec: free,
    status: object({ ...operatorStatus, ...opaque('controlPlaneTopology', 'clusterIP', 'clusterDomain') }),
  });
}

const clusterVersion: Fields = {
  spec: object(
    {
      clusterID: text,
      desiredUpdate: object({ version: text, image: text, force: flag, architecture: text, acceptRisks: anything }),
      upstream: text,
      channel: text,
      overrides: list(anything),
      signatureStores: list(anything),
      capabilities: object({ baselineCapabilitySet: text, additionalEnabledCapabilities: texts }),
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
    capabilities: object({ enabledCapabilities: texts, knownCapabilities: texts }),
    conditions,
    availableUpdates: anything,
    conditionalUpdates: anything,
    conditionalUpdateRisks: anything,
  }),
};

const clusterOperator: Fields = {
  spec: object({}),
  status: object({
    conditions,
    versions: list(object({ name: text, version: text })),
    relatedObjects: list(object({ group: text, resource: text, namespace: text, name: text })),
    extension: anything,
  }),
};

const ingressController: Fields = {
  spec: object({
    domain: text,
    replicas: { type: 'integer' },
    nodePlacement: object({ nodeSelector: labelSelector, tolerations }),
    endpointPublishingStrategy: object(
      {
        type: oneOf('LoadBalancerService', 'HostNetwork', 'Private', 'NodePortService'),
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

const registryConfig: Fields = {
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

const imagePruner: Fields = {
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

const machineConfigPool: Fields = {
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

const route: Fields = {
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

const placement: Schema = object({ nodeSelector: textMap, tolerations });

/** The kinds that OpenShift adds, all of them custom resources. */
export const openshiftKinds: readonly KindData[] = [
  custom(CONFIG, 'clusterversions', 'ClusterVersion', clusterVersion),
  custom(CONFIG, 'clusteroperators', 'ClusterOperator', clusterOperator, { shortNames: ['co'] }),
  custom(CONFIG, 'infrastructures', 'Infrastructure', { spec: anything, status: anything }),
  custom(CONFIG, 'schedulers', 'Scheduler', {
    spec: object({
      mastersSchedulable: flag,
      defaultNodeSelector: text,
      policy: object({ name: text }),
      profile: oneOf('', 'LowNodeUtilization', 'HighNodeUtilization', 'NoScoring'),
      profileCustomizations: anything,
    }),
    status: object({}),
  }),
  custom(CONFIG, 'ingresses', 'Ingress', { spec: anything, status: anything }),
  custom(CONFIG, 'proxies', 'Proxy', {
    spec: object({
      httpProxy: text,
      httpsProxy: text,
      noProxy: text,
      readinessEndpoints: texts,
      trustedCA: object({ name: text }),
    }),
    status: object({ httpProxy: text, httpsProxy: text, noProxy: text }),
  }),
  custom(CONFIG, 'networks', 'Network', {
    spec: object({
      clusterNetwork: list(object({ cidr: text, hostPrefix: integer })),
      serviceNetwork: texts,
      networkType: text,
      externalIP: anything,
      serviceNodePortRange: text,
      networkDiagnostics: object({ mode: text, sourcePlacement: placement, targetPlacement: placement }),
    }),
    status: anything,
  }),
  custom(OPERATOR, 'ingresscontrollers', 'IngressController', ingressController, { namespaced: true }),
  operator('etcds', 'Etcd'),
  operator('dnses', 'DNS'),
  operator('kubeapiservers', 'KubeAPIServer'),
  operator('kubecontrollermanagers', 'KubeControllerManager'),
  operator('kubeschedulers', 'KubeScheduler'),
  operator('openshiftapiservers', 'OpenShiftAPIServer'),
  operator('authentications', 'Authentication'),
  operator('consoles', 'Console'),
  operator('networks', 'Network'),
  operator('storages', 'Storage'),
  custom(REGISTRY, 'configs', 'Config', registryConfig),
  custom(REGISTRY, 'imagepruners', 'ImagePruner', imagePruner),
  custom(MACHINES, 'machineconfigpools', 'MachineConfigPool', machineConfigPool, { shortNames: ['mcp'] }),
  custom(
    MACHINES,
    'machineconfigs',
    'MachineConfig',
    {
      spec: object({
        config: anything,
        kernelArguments: anything,
        kernelType: text,
        fips: flag,
        osImageURL: text,
        baseOSExtensionsContainerImage: text,
        extensions: texts,
      }),
    },
    { shortNames: ['mc'] },
  ),
  custom('route.openshift.io', 'routes', 'Route', route, { namespaced: true }),
];
