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
  quantities,
  type Schema,
  text,
  textEnum,
  textList,
  textMap,
} from './schema.ts';

export const toleration: Schema = object({
  key: text,
  operator: textEnum('Exists', 'Equal', ''),
  value: text,
  effect: textEnum('NoSchedule', 'PreferNoSchedule', 'NoExecute', ''),
  tolerationSeconds: integer,
});

export const condition: Schema = object(
  {
    type: text,
    status: text,
    reason: text,
    message: text,
    lastTransitionTime: text,
    lastUpdateTime: text,
    lastHeartbeatTime: text,
    lastProbeTime: text,
    observedGeneration: integer,
  },
  'type',
  'status',
);

export const labelSelector: Schema = object({
  matchLabels: textMap,
  matchExpressions: list(object({ key: text, operator: text, values: textList }, 'key', 'operator')),
});

export const resources: Schema = object({
  limits: quantities,
  requests: quantities,
  claims: list(anything),
});

const container: Schema = object(
  {
    name: text,
    image: text,
    imagePullPolicy: text,
    command: textList,
    args: textList,
    workingDir: text,
    env: list(object({ name: text, value: text, valueFrom: anything }, 'name'), 'name'),
    envFrom: list(anything),
    ports: list(
      object({ name: text, containerPort: integer, hostPort: integer, hostIP: text, protocol: text }, 'containerPort'),
      'containerPort',
    ),
    resources,
    volumeMounts: list(
      object({
        name: text,
        mountPath: text,
        subPath: text,
        subPathExpr: text,
        readOnly: flag,
        mountPropagation: text,
        recursiveReadOnly: text,
      }),
      'mountPath',
    ),
    volumeDevices: list(object({ name: text, devicePath: text }), 'devicePath'),
    terminationMessagePath: text,
    terminationMessagePolicy: text,
    stdin: flag,
    stdinOnce: flag,
    tty: flag,
    restartPolicy: text,
    ...opaque('livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle', 'securityContext', 'resizePolicy'),
  },
  'name',
);

const podFields: Fields = {
  containers: list(container, 'name'),
  initContainers: list(container, 'name'),
  ephemeralContainers: list(anything, 'name'),
  volumes: list(anything, 'name'),
  nodeName: text,
  nodeSelector: textMap,
  tolerations: list(toleration),
  affinity: anything,
  topologySpreadConstraints: list(anything, 'topologyKey'),
  serviceAccountName: text,
  serviceAccount: text,
  automountServiceAccountToken: flag,
  hostNetwork: flag,
  hostPID: flag,
  hostIPC: flag,
  hostUsers: flag,
  hostname: text,
  subdomain: text,
  setHostnameAsFQDN: flag,
  shareProcessNamespace: flag,
  enableServiceLinks: flag,
  restartPolicy: textEnum('Always', 'OnFailure', 'Never'),
  dnsPolicy: text,
  schedulerName: text,
  priorityClassName: text,
  runtimeClassName: text,
  preemptionPolicy: text,
  priority: integer,
  terminationGracePeriodSeconds: integer,
  activeDeadlineSeconds: integer,
  hostAliases: list(anything, 'ip'),
  imagePullSecrets: list(object({ name: text }), 'name'),
  ...opaque('securityContext', 'dnsConfig', 'readinessGates', 'overhead', 'os', 'schedulingGates', 'resourceClaims'),
};

export const podSpec: Schema = object(podFields, 'containers');

export const podStatus: Schema = object({
  phase: text,
  reason: text,
  message: text,
  conditions: list(condition, 'type'),
  podIP: text,
  podIPs: list(object({ ip: text }), 'ip'),
  hostIP: text,
  hostIPs: list(object({ ip: text })),
  startTime: text,
  qosClass: text,
  nominatedNodeName: text,
  observedGeneration: integer,
  containerStatuses: list(anything),
  initContainerStatuses: list(anything),
  ephemeralContainerStatuses: list(anything),
});

const template: Schema = object({ metadata: anything, spec: podSpec });

export const deploymentSpec: Schema = object(
  {
    replicas: count,
    selector: labelSelector,
    template,
    strategy: object({ type: text, rollingUpdate: object({ maxSurge: intOrString, maxUnavailable: intOrString }) }),
    minReadySeconds: count,
    revisionHistoryLimit: count,
    progressDeadlineSeconds: count,
    paused: flag,
  },
  'selector',
  'template',
);

export const deploymentStatus: Schema = object({
  observedGeneration: integer,
  replicas: count,
  updatedReplicas: count,
  readyReplicas: count,
  availableReplicas: count,
  unavailableReplicas: count,
  terminatingReplicas: count,
  collisionCount: integer,
  conditions: list(condition, 'type'),
});

export const statefulSetSpec: Schema = object(
  {
    replicas: count,
    selector: labelSelector,
    template,
    serviceName: text,
    volumeClaimTemplates: list(anything),
    podManagementPolicy: text,
    updateStrategy: anything,
    revisionHistoryLimit: count,
    minReadySeconds: count,
    ...opaque('persistentVolumeClaimRetentionPolicy', 'ordinals'),
  },
  'selector',
  'template',
);

export const statefulSetStatus: Schema = object({
  observedGeneration: integer,
  replicas: count,
  readyReplicas: count,
  currentReplicas: count,
  updatedReplicas: count,
  availableReplicas: count,
  currentRevision: text,
  updateRevision: text,
  collisionCount: integer,
  conditions: list(condition, 'type'),
});

export const daemonSetSpec: Schema = object(
  {
    selector: labelSelector,
    template,
    updateStrategy: anything,
    minReadySeconds: count,
    revisionHistoryLimit: count,
  },
  'selector',
  'template',
);

export const daemonSetStatus: Schema = object({
  currentNumberScheduled: count,
  numberMisscheduled: count,
  desiredNumberScheduled: count,
  numberReady: count,
  updatedNumberScheduled: count,
  numberAvailable: count,
  numberUnavailable: count,
  observedGeneration: integer,
  collisionCount: integer,
  conditions: list(condition, 'type'),
});

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
