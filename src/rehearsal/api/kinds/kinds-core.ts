import type { ResourceKind, Subresource } from './kind.ts';
import {
  anything,
  type Fields,
  flag,
  integer,
  list,
  object,
  opaque,
  quantities,
  text,
  textEnum,
  textList,
  textMap,
} from './schema.ts';
import { certificateRequest, claimSpec, event, node, service, volumeSpec, webhook } from './schemas-core.ts';
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
