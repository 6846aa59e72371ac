import type { ResourceKind, Subresource } from './kind.ts';
import {
  anything,
  type Fields,
  flag,
  integer,
  intOrString,
  list,
  object,
  oneOf,
  opaque,
  quantities,
  text,
  textMap,
  texts,
} from './schema.ts';
import {
  condition,
  daemonSetSpec,
  daemonSetStatus,
  deploymentSpec,
  deploymentStatus,
  labelSelector,
  podSpec,
  podStatus,
  resources,
  statefulSetSpec,
  statefulSetStatus,
} from './schemas-pod.ts';

/** A kind without what the registry adds to all: the metadata in its schema, and its columns. */
export type KindData = Omit<ResourceKind, 'schema' | 'columns'> & { readonly fields: Fields };

interface Options {
  readonly shortNames?: readonly string[];
  readonly clusterWide?: boolean;
  readonly hasStatus?: boolean;
  readonly subresources?: readonly Subresource[];
  readonly hasGeneration?: boolean;
  readonly isInAll?: boolean;
}

function builtin(
  group: string,
  version: string,
  plural: string,
  kind: string,
  fields: Fields,
  options: Options = {},
): KindData {
  return {
    group,
    version,
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

const address = object({ type: text, address: text }, 'type', 'address');

const node: Fields = {
  spec: object({
    podCIDR: text,
    podCIDRs: { ...texts, isSet: true } as typeof texts,
    providerID: text,
    unschedulable: flag,
    taints: list(object({ key: text, value: text, effect: text, timeAdded: text }, 'key', 'effect')),
    externalID: text,
    configSource: anything,
  }),
  status: object({
    addresses: list(address, 'type'),
    conditions: list(condition, 'type'),
    capacity: quantities,
    allocatable: quantities,
    phase: text,
    images: list(anything),
    volumesInUse: texts,
    volumesAttached: list(anything),
    ...opaque('nodeInfo', 'daemonEndpoints', 'config', 'runtimeHandlers', 'features'),
  }),
};

const service: Fields = {
  spec: object({
    type: text,
    selector: textMap,
    ports: list(
      object(
        { name: text, protocol: text, appProtocol: text, port: integer, targetPort: intOrString, nodePort: integer },
        'port',
      ),
      'port',
    ),
    clusterIP: text,
    clusterIPs: texts,
    externalIPs: texts,
    externalName: text,
    loadBalancerIP: text,
    loadBalancerClass: text,
    loadBalancerSourceRanges: texts,
    sessionAffinity: text,
    sessionAffinityConfig: anything,
    publishNotReadyAddresses: flag,
    internalTrafficPolicy: text,
    externalTrafficPolicy: text,
    healthCheckNodePort: integer,
    allocateLoadBalancerNodePorts: flag,
    ipFamilies: texts,
    ipFamilyPolicy: text,
    trafficDistribution: text,
  }),
  status: object({ loadBalancer: anything, conditions: list(condition, 'type') }),
};

const event: Fields = {
  involvedObject: object({
    apiVersion: text,
    kind: text,
    namespace: text,
    name: text,
    uid: text,
    resourceVersion: text,
    fieldPath: text,
  }),
  reason: text,
  message: text,
  source: object({ component: text, host: text }),
  firstTimestamp: text,
  lastTimestamp: text,
  eventTime: anything,
  count: integer,
  type: text,
  action: text,
  reportingComponent: text,
  reportingInstance: text,
  ...opaque('series', 'related'),
};

const claimSpec = object({
  accessModes: texts,
  selector: labelSelector,
  resources,
  volumeName: text,
  storageClassName: text,
  volumeMode: text,
  volumeAttributesClassName: text,
  ...opaque('dataSource', 'dataSourceRef'),
});

const volumeSpec = object({
  capacity: quantities,
  accessModes: texts,
  persistentVolumeReclaimPolicy: text,
  storageClassName: text,
  volumeMode: text,
  mountOptions: texts,
  ...opaque(
    'claimRef',
    'nodeAffinity',
    'csi',
    'nfs',
    'hostPath',
    'local',
    'iscsi',
    'fc',
    'rbd',
    'cephfs',
    'vsphereVolume',
  ),
});

const requestCondition = object(
  { type: text, status: text, reason: text, message: text, lastUpdateTime: text, lastTransitionTime: text },
  'type',
  'status',
);

const request: Fields = {
  spec: object(
    {
      request: text,
      signerName: text,
      expirationSeconds: integer,
      usages: texts,
      username: text,
      uid: text,
      groups: texts,
      extra: anything,
    },
    'request',
    'signerName',
  ),
  status: object({ conditions: list(requestCondition), certificate: text }),
};

/** The kinds that a kube-apiserver has built in. */
export const coreKinds: readonly KindData[] = [
  builtin(
    '',
    'v1',
    'namespaces',
    'Namespace',
    {
      spec: object({ finalizers: texts }),
      status: object({ phase: oneOf('Active', 'Terminating'), conditions: list(condition, 'type') }),
    },
    { clusterWide: true, shortNames: ['ns'], hasStatus: true },
  ),
  builtin('', 'v1', 'nodes', 'Node', node, { clusterWide: true, shortNames: ['no'], hasStatus: true }),
  builtin(
    '',
    'v1',
    'pods',
    'Pod',
    { spec: podSpec, status: podStatus },
    { shortNames: ['po'], hasStatus: true, isInAll: true },
  ),
  builtin(
    '',
    'v1',
    'configmaps',
    'ConfigMap',
    { data: textMap, binaryData: textMap, immutable: flag },
    { shortNames: ['cm'] },
  ),
  builtin('', 'v1', 'secrets', 'Secret', { data: textMap, stringData: textMap, type: text, immutable: flag }),
  builtin('', 'v1', 'services', 'Service', service, { shortNames: ['svc'], hasStatus: true, isInAll: true }),
  builtin('', 'v1', 'endpoints', 'Endpoints', { subsets: list(anything) }, { shortNames: ['ep'] }),
  builtin('', 'v1', 'events', 'Event', event, { shortNames: ['ev'] }),
  builtin(
    '',
    'v1',
    'persistentvolumeclaims',
    'PersistentVolumeClaim',
    {
      spec: claimSpec,
      status: object({
        phase: text,
        accessModes: texts,
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
    'v1',
    'persistentvolumes',
    'PersistentVolume',
    { spec: volumeSpec, status: object({ phase: text, message: text, reason: text, lastPhaseTransitionTime: text }) },
    { clusterWide: true, shortNames: ['pv'], hasStatus: true },
  ),
  builtin(
    'apps',
    'v1',
    'deployments',
    'Deployment',
    { spec: deploymentSpec, status: deploymentStatus },
    { shortNames: ['deploy'], hasStatus: true, hasGeneration: true, isInAll: true },
  ),
  builtin(
    'apps',
    'v1',
    'statefulsets',
    'StatefulSet',
    { spec: statefulSetSpec, status: statefulSetStatus },
    { shortNames: ['sts'], hasStatus: true, hasGeneration: true, isInAll: true },
  ),
  builtin(
    'apps',
    'v1',
    'daemonsets',
    'DaemonSet',
    { spec: daemonSetSpec, status: daemonSetStatus },
    { shortNames: ['ds'], hasStatus: true, hasGeneration: true, isInAll: true },
  ),
  builtin('certificates.k8s.io', 'v1', 'certificatesigningrequests', 'CertificateSigningRequest', request, {
    clusterWide: true,
    shortNames: ['csr'],
    subresources: ['status', 'approval'],
  }),
  builtin(
    'storage.k8s.io',
    'v1',
    'storageclasses',
    'StorageClass',
    {
      provisioner: text,
      parameters: textMap,
      reclaimPolicy: text,
      mountOptions: texts,
      allowVolumeExpansion: flag,
      volumeBindingMode: text,
      allowedTopologies: list(anything),
    },
    { clusterWide: true, shortNames: ['sc'] },
  ),
];
