import {
  anything,
  count,
  type Fields,
  integer,
  list,
  object,
  oneOf,
  opaque,
  type Schema,
  text,
  textMap,
} from './schema.ts';
import { condition, labelSelector } from './schemas-pod.ts';

// openshift/api: machine/v1beta1, machine/v1, autoscaling/v1 and autoscaling/v1beta1.

const conditions = list(condition, 'type');
const authority = oneOf('', 'MachineAPI', 'ClusterAPI', 'Migrating');
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
    deletePolicy: oneOf('', 'Random', 'Newest', 'Oldest'),
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
