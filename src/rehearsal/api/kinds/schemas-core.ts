import {
  anything,
  type Fields,
  flag,
  integer,
  intOrString,
  list,
  object,
  opaque,
  quantities,
  text,
  textEnum,
  textList,
  textMap,
} from './schema.ts';
import { condition, labelSelector, resources } from './schemas-pod.ts';

const address = object({ type: text, address: text }, 'type', 'address');

export const node: Fields = {
  spec: object({
    podCIDR: text,
    podCIDRs: { ...textList, isSet: true } as typeof textList,
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
    volumesInUse: textList,
    volumesAttached: list(anything),
    ...opaque('nodeInfo', 'daemonEndpoints', 'config', 'runtimeHandlers', 'features'),
  }),
};

export const service: Fields = {
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
    clusterIPs: textList,
    externalIPs: textList,
    externalName: text,
    loadBalancerIP: text,
    loadBalancerClass: text,
    loadBalancerSourceRanges: textList,
    sessionAffinity: text,
    sessionAffinityConfig: anything,
    publishNotReadyAddresses: flag,
    internalTrafficPolicy: text,
    externalTrafficPolicy: text,
    healthCheckNodePort: integer,
    allocateLoadBalancerNodePorts: flag,
    ipFamilies: textList,
    ipFamilyPolicy: text,
    trafficDistribution: text,
  }),
  status: object({ loadBalancer: anything, conditions: list(condition, 'type') }),
};

export const event: Fields = {
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

export const claimSpec = object({
  accessModes: textList,
  selector: labelSelector,
  resources,
  volumeName: text,
  storageClassName: text,
  volumeMode: text,
  volumeAttributesClassName: text,
  ...opaque('dataSource', 'dataSourceRef'),
});

export const volumeSpec = object({
  capacity: quantities,
  accessModes: textList,
  persistentVolumeReclaimPolicy: text,
  storageClassName: text,
  volumeMode: text,
  mountOptions: textList,
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

export const certificateRequest: Fields = {
  spec: object(
    {
      request: text,
      signerName: text,
      expirationSeconds: integer,
      usages: textList,
      username: text,
      uid: text,
      groups: textList,
      extra: anything,
    },
    'request',
    'signerName',
  ),
  status: object({ conditions: list(requestCondition), certificate: text }),
};

/** A webhook of an admission configuration, as far as the rehearsal's API reads it. */
export const webhook = object(
  {
    name: text,
    clientConfig: object({
      url: text,
      caBundle: text,
      service: object({ namespace: text, name: text, path: text, port: integer }),
    }),
    rules: list(
      object({ operations: textList, apiGroups: textList, apiVersions: textList, resources: textList, scope: text }),
    ),
    failurePolicy: textEnum('Fail', 'Ignore'),
    timeoutSeconds: integer,
    ...opaque(
      'admissionReviewVersions',
      'matchConditions',
      'matchPolicy',
      'namespaceSelector',
      'objectSelector',
      'reinvocationPolicy',
      'sideEffects',
    ),
  },
  'name',
  'clientConfig',
);
