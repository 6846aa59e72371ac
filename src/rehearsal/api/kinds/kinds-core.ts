import type { ResourceKind, Subresource } from './kind.ts';
import {
  anything,
  type Fields,
  flag,
  integer,
  list,
  object,
  oneOf,
  opaque,
  quantities,
  text,
  textMap,
  texts,
} from './schema.ts';
import { claimSpec, event, node, request, service, volumeSpec, webhook } from './schemas-core.ts';
import {
  condition,
  daemonSetSpec,
  daemonSetStatus,
  deploymentSpec,
  deploymentStatus,
  podSpec,
  podStatus,
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

function builtin(group: string, plural: string, kind: string, fields: Fields, options: Options = {}): KindData {
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
export const coreKinds: readonly KindData[] = [
  builtin(
    '',
    'namespaces',
    'Namespace',
    {
      spec: object({ finalizers: texts }),
      status: object({ phase: oneOf('Active', 'Terminating'), conditions: list(condition, 'type') }),
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
  builtin('certificates.k8s.io', 'certificatesigningrequests', 'CertificateSigningRequest', request, {
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
      mountOptions: texts,
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
  ...(['Validating', 'Mutating'] as const).map((when) =>
    builtin(
      'admissionregistration.k8s.io',
      `${when.toLowerCase()}webhookconfigurations`,
      `${when}WebhookConfiguration`,
      { webhooks: list(webhook, 'name') },
      { clusterWide: true, hasGeneration: true },
    ),
  ),
];
