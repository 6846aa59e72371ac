import {
  anything,
  count,
  type Fields,
  flag,
  list,
  object,
  opaque,
  type Schema,
  text,
  textEnum,
  textMap,
} from './schema.ts';
import { placementFields } from './schemas-openshift.ts';
import { condition, resources, toleration } from './schemas-pod.ts';

// Kinds that operators from OperatorHub add. openshift/cluster-logging-operator: logging/v1, observability/v1;
// grafana/loki operator: loki/v1; ceph/ceph-csi-operator: csi/v1.

const conditions = list(condition, 'type');
const tolerations = list(toleration);
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
