import type { KubeObject } from '../objects.ts';
import {
  anything,
  type Fields,
  flag,
  integer,
  list,
  object,
  opaque,
  quantities,
  type Schema,
  text,
  textEnum,
  textList,
  textMap,
} from './schema.ts';
import {
  certificateRequest,
  claimSpec,
  condition,
  daemonSetSpec,
  daemonSetStatus,
  deploymentSpec,
  deploymentStatus,
  event,
  node,
  podSpec,
  podStatus,
  service,
  statefulSetSpec,
  statefulSetStatus,
  volumeSpec,
  webhook,
} from './schemas-core.ts';
import { clusterAutoscaler, machine, machineAutoscaler, machineHealthCheck, machineSet } from './schemas-machine.ts';
import {
  cephDriver,
  clusterLogForwarder,
  clusterLogging,
  clusterOperator,
  clusterServiceVersion,
  clusterVersion,
  imagePruner,
  ingressController,
  lokiStack,
  machineConfigPool,
  operatorStatus,
  placement,
  registryConfig,
  route,
} from './schemas-openshift.ts';

/** One kind of object that the API serves. */
export interface ResourceKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
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

export type Subresource = 'status' | 'approval' | 'scale';

/** A column that the server prints when a client asks for a Table. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly format?: 'name';
  /** 0: always shown; 1: only in the wide output. */
  readonly priority?: 0 | 1;
  readonly description?: string;
  /** @param now milliseconds since the epoch, for ages */
  readonly value: (object: KubeObject, now: number) => string | number | null;
}

/** A kind without the parts that the registry adds to all: the metadata in its schema, and its columns. */
export type KindDefinition = Omit<ResourceKind, 'schema' | 'columns'> & { readonly fields: Fields };

interface Options {
  readonly shortNames?: readonly string[];
  readonly clusterWide?: boolean;
  readonly hasStatus?: boolean;
  readonly subresources?: readonly Subresource[];
  readonly hasGeneration?: boolean;
  readonly isInAll?: boolean;
}

function builtin(group: string, plural: string, kind: string, fields: Fields, options: Options = {}): KindDefinition {
  return {
    group,
    version: 'v1',
    plural,
    singular: kind.toLowerCase(),
    kind,
    shortNames: options.shortNames ?? [],
    categories: options.isInAll ? ['all'] : [],
    namespaced: !options.clusterWide,
    isCustom: false,
    subresources: options.subresources ?? (options.hasStatus ? ['status'] : []),
    hasGeneration: options.hasGeneration ?? false,
    fields,
  };
}

/** The kinds that a kube-apiserver has built in. */
export const coreKinds: readonly KindDefinition[] = [
  builtin(
    '',
    'namespaces',
    'Namespace',
    {
      spec: object({ finalizers: textList }),
      status: object({ phase: textEnum('Active', 'Terminating'), conditions: list(condition, 'type') }),
    },
    { clusterWide: true, shortNames: ['ns'], hasStatus: true },
  ),
  builtin('', 'nodes', 'Node', node, { clusterWide: true, shortNames: ['no'], hasStatus: true }),
  builtin(
    '',
    'pods',
    'Pod',
    { spec: podSpec, status: podStatus },
    { shortNames: ['po'], hasStatus: true, isInAll: true },
  ),
  builtin(
    '',
    'configmaps',
    'ConfigMap',
    { data: textMap, binaryData: textMap, immutable: flag },
    { shortNames: ['cm'] },
  ),
  builtin('', 'secrets', 'Secret', { data: textMap, stringData: textMap, type: text, immutable: flag }),
  builtin('', 'services', 'Service', service, { shortNames: ['svc'], hasStatus: true, isInAll: true }),
  builtin('', 'endpoints', 'Endpoints', { subsets: list(anything) }, { shortNames: ['ep'] }),
  builtin('', 'events', 'Event', event, { shortNames: ['ev'] }),
  builtin(
    '',
    'persistentvolumeclaims',
    'PersistentVolumeClaim',
    {
      spec: claimSpec,
      status: object({
        phase: text,
        accessModes: textList,
        capacity: quantities,
        allocatedResources: quantities,
        conditions: list(condition, 'type'),
        ...opaque('allocatedResourceStatuses', 'currentVolumeAttributesClassName', 'modifyVolumeStatus'),
      }),
    },
    { shortNames: ['pvc'], hasStatus: true },
  ),
  builtin(
    '',
    'persistentvolumes',
    'PersistentVolume',
    { spec: volumeSpec, status: object({ phase: text, message: text, reason: text, lastPhaseTransitionTime: text }) },
    { clusterWide: true, shortNames: ['pv'], hasStatus: true },
  ),
  builtin(
    'apps',
    'deployments',
    'Deployment',
    { spec: deploymentSpec, status: deploymentStatus },
    { shortNames: ['deploy'], subresources: ['status', 'scale'], hasGeneration: true, isInAll: true },
  ),
  builtin(
    'apps',
    'statefulsets',
    'StatefulSet',
    { spec: statefulSetSpec, status: statefulSetStatus },
    { shortNames: ['sts'], subresources: ['status', 'scale'], hasGeneration: true, isInAll: true },
  ),
  builtin(
    'apps',
    'daemonsets',
    'DaemonSet',
    { spec: daemonSetSpec, status: daemonSetStatus },
    { shortNames: ['ds'], hasStatus: true, hasGeneration: true, isInAll: true },
  ),
  builtin('certificates.k8s.io', 'certificatesigningrequests', 'CertificateSigningRequest', certificateRequest, {
    clusterWide: true,
    shortNames: ['csr'],
    subresources: ['status', 'approval'],
  }),
  builtin(
    'storage.k8s.io',
    'storageclasses',
    'StorageClass',
    {
      provisioner: text,
      parameters: textMap,
      reclaimPolicy: text,
      mountOptions: textList,
      allowVolumeExpansion: flag,
      volumeBindingMode: text,
      allowedTopologies: list(anything),
    },
    { clusterWide: true, shortNames: ['sc'] },
  ),
  builtin(
    'apiregistration.k8s.io',
    'apiservices',
    'APIService',
    {
      spec: object({
        service: object({ namespace: text, name: text, port: integer }),
        group: text,
        version: text,
        insecureSkipTLSVerify: flag,
        caBundle: text,
        groupPriorityMinimum: integer,
        versionPriority: integer,
      }),
      status: object({ conditions: list(condition, 'type') }),
    },
    { clusterWide: true, hasStatus: true },
  ),
  ...(['Validating', 'Mutating'] as const).map((phase) =>
    builtin(
      'admissionregistration.k8s.io',
      `${phase.toLowerCase()}webhookconfigurations`,
      `${phase}WebhookConfiguration`,
      { webhooks: list(webhook, 'name') },
      { clusterWide: true, hasGeneration: true },
    ),
  ),
];

interface OperatorKindOptions {
  readonly version?: string;
  readonly shortNames?: readonly string[];
  readonly namespaced?: boolean;
  readonly operatorNamespace?: string;
  readonly hasScale?: boolean;
}

function custom(
  group: string,
  plural: string,
  kind: string,
  fields: Fields,
  options: OperatorKindOptions = {},
): KindDefinition {
  return {
    group,
    version: options.version ?? 'v1',
    plural,
    singular: kind.toLowerCase(),
    kind,
    shortNames: options.shortNames ?? [],
    categories: [],
    namespaced: options.namespaced ?? false,
    ...(options.operatorNamespace === undefined ? {} : { operatorNamespace: options.operatorNamespace }),
    isCustom: true,
    subresources: options.hasScale ? ['status', 'scale'] : ['status'],
    hasGeneration: true,
    fields,
  };
}

const CONFIG = 'config.openshift.io';
const OPERATOR = 'operator.openshift.io';
const REGISTRY = 'imageregistry.operator.openshift.io';
const MACHINE_CONFIG = 'machineconfiguration.openshift.io';
const AUTOSCALING = 'autoscaling.openshift.io';
const MACHINE_API = 'machine.openshift.io';

/** The logging operators install these kinds, and are installed into this namespace. */
const LOGGING: OperatorKindOptions = { namespaced: true, operatorNamespace: 'openshift-logging' };

/** Returns an operator kind whose specification the rehearsal does not read. */
function operator(plural: string, kind: string): KindDefinition {
  const free: Schema = anything;
  return custom(OPERATOR, plural, kind, {
    spec: free,
    status: object({ ...operatorStatus, ...opaque('controlPlaneTopology', 'clusterIP', 'clusterDomain') }),
  });
}

/** The kinds that OpenShift adds, all of them custom resources. */
export const openshiftKinds: readonly KindDefinition[] = [
  custom(CONFIG, 'clusterversions', 'ClusterVersion', clusterVersion),
  custom(CONFIG, 'clusteroperators', 'ClusterOperator', clusterOperator, { shortNames: ['co'] }),
  custom(CONFIG, 'infrastructures', 'Infrastructure', { spec: anything, status: anything }),
  custom(CONFIG, 'schedulers', 'Scheduler', {
    spec: object({
      mastersSchedulable: flag,
      defaultNodeSelector: text,
      policy: object({ name: text }),
      profile: textEnum('', 'LowNodeUtilization', 'HighNodeUtilization', 'NoScoring'),
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
      readinessEndpoints: textList,
      trustedCA: object({ name: text }),
    }),
    status: object({ httpProxy: text, httpsProxy: text, noProxy: text }),
  }),
  custom(CONFIG, 'networks', 'Network', {
    spec: object({
      clusterNetwork: list(object({ cidr: text, hostPrefix: integer })),
      serviceNetwork: textList,
      networkType: text,
      externalIP: anything,
      serviceNodePortRange: text,
      networkDiagnostics: object({ mode: text, sourcePlacement: placement, targetPlacement: placement }),
    }),
    status: anything,
  }),
  custom(OPERATOR, 'ingresscontrollers', 'IngressController', ingressController, { namespaced: true, hasScale: true }),
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
  custom(MACHINE_CONFIG, 'machineconfigpools', 'MachineConfigPool', machineConfigPool, { shortNames: ['mcp'] }),
  custom(
    MACHINE_CONFIG,
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
        extensions: textList,
      }),
    },
    { shortNames: ['mc'] },
  ),
  custom(MACHINE_API, 'machinesets', 'MachineSet', machineSet, {
    namespaced: true,
    version: 'v1beta1',
    hasScale: true,
  }),
  custom(AUTOSCALING, 'machineautoscalers', 'MachineAutoscaler', machineAutoscaler, {
    namespaced: true,
    version: 'v1beta1',
  }),
  custom(AUTOSCALING, 'clusterautoscalers', 'ClusterAutoscaler', clusterAutoscaler),
  custom(MACHINE_API, 'machinehealthchecks', 'MachineHealthCheck', machineHealthCheck, {
    shortNames: ['mhc', 'mhcs'],
    namespaced: true,
    version: 'v1beta1',
  }),
  custom(MACHINE_API, 'machines', 'Machine', machine, { namespaced: true, version: 'v1beta1' }),
  custom('route.openshift.io', 'routes', 'Route', route, { namespaced: true }),
  custom('logging.openshift.io', 'clusterloggings', 'ClusterLogging', clusterLogging, LOGGING),
  custom('observability.openshift.io', 'clusterlogforwarders', 'ClusterLogForwarder', clusterLogForwarder, LOGGING),
  custom('loki.grafana.com', 'lokistacks', 'LokiStack', lokiStack, LOGGING),
  custom('operators.coreos.com', 'clusterserviceversions', 'ClusterServiceVersion', clusterServiceVersion, {
    shortNames: ['csv', 'csvs'],
    namespaced: true,
    version: 'v1alpha1',
  }),
  custom('csi.ceph.io', 'drivers', 'Driver', cephDriver, { namespaced: true, operatorNamespace: 'openshift-storage' }),
];
