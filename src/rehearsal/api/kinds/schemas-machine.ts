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
  textMap,
} from './schema.ts';
import { condition, labelSelector } from './schemas-core.ts';

// openshift/api: machine/v1beta1, machine/v1, autoscaling/v1 and autoscaling/v1beta1.

const conditions = list(condition, 'type');
const authority = textEnum('', 'MachineAPI', 'ClusterAPI', 'Migrating');
const objectMeta: Schema = object({
  name: text,
  generateName: text,
  namespace: text,
  labels: textMap,
  annotations: textMap,
  ownerReferences: list(anything),
});
const taint: Schema = object({ key: text, value: text, effect: text, timeAdded: anything }, 'effect', 'key');

const machineSpec: Schema = object({
  metadata: objectMeta,
  lifecycleHooks: anything,
  taints: list(taint),
  providerSpec: object({ value: anything }),
  providerID: text,
  authoritativeAPI: authority,
});

export const machine: Fields = {
  spec: machineSpec,
  status: object({
    nodeRef: anything,
    lastUpdated: anything,
    errorReason: text,
    errorMessage: text,
    phase: text,
    conditions,
    addresses: list(anything),
    ...opaque('providerStatus', 'lastOperation', 'synchronizedGeneration', 'synchronizedAPI'),
    authoritativeAPI: authority,
  }),
};

export const machineSet: Fields = {
  spec: object({
    replicas: count,
    minReadySeconds: integer,
    deletePolicy: textEnum('', 'Random', 'Newest', 'Oldest'),
    selector: labelSelector,
    template: object({ metadata: objectMeta, spec: machineSpec }),
    authoritativeAPI: authority,
  }),
  status: object({
    replicas: integer,
    fullyLabeledReplicas: integer,
    readyReplicas: integer,
    availableReplicas: integer,
    observedGeneration: integer,
    errorReason: text,
    errorMessage: text,
    conditions,
    authoritativeAPI: authority,
    ...opaque('synchronizedGeneration', 'synchronizedAPI'),
  }),
};

export const machineAutoscaler: Fields = {
  spec: object(
    {
      minReplicas: count,
      maxReplicas: { type: 'integer', minimum: 1 },
      scaleTargetRef: object({ apiVersion: text, kind: text, name: text }, 'kind', 'name'),
    },
    'minReplicas',
    'maxReplicas',
    'scaleTargetRef',
  ),
  status: object({ lastTargetRef: anything }),
};

const range: Schema = object({ min: count, max: count });

export const clusterAutoscaler: Fields = {
  spec: object({
    resourceLimits: object({ maxNodesTotal: count, cores: range, memory: range, gpus: list(anything) }),
    scaleDown: object({
      enabled: flag,
      delayAfterAdd: text,
      delayAfterDelete: text,
      delayAfterFailure: text,
      unneededTime: text,
      utilizationThreshold: text,
    }),
    scaleUp: anything,
    maxPodGracePeriod: integer,
    podPriorityThreshold: { type: 'integer' },
    balanceSimilarNodeGroups: flag,
    ignoreDaemonsetsUtilization: flag,
    skipNodesWithLocalStorage: flag,
    logVerbosity: { type: 'integer' },
    maxNodeProvisionTime: text,
    balancingIgnoredLabels: list(text),
    expanders: list(text),
  }),
  status: anything,
};

export const machineHealthCheck: Fields = {
  spec: object(
    {
      selector: labelSelector,
      unhealthyConditions: list(object({ type: text, status: text, timeout: text }, 'type', 'status', 'timeout')),
      maxUnhealthy: intOrString,
      nodeStartupTimeout: text,
      remediationTemplate: anything,
    },
    'selector',
    'unhealthyConditions',
  ),
  status: anything,
};
