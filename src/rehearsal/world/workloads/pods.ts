import { SECOND } from '../../../platform/clock.ts';
import { findWebhookError } from '../../api/admission.ts';
import { getKind } from '../../api/kinds.ts';
import {
  assignFields,
  formatTimestamp,
  getField,
  getList,
  getString,
  isConditionTrue,
  isRecord,
  type KubeObject,
  memoizeByObject,
} from '../../api/objects.ts';
import { deriveDuration } from '../../site/seeded-random.ts';
import { type OperatorContext, recordEvent, setStatus } from '../world.ts';
import { PROVISIONER_KEY } from './plan.ts';
import { NO_PLACEMENT, parsePlacement, type SchedulableNode, schedulePod } from './scheduler.ts';
import { buildClaimSpec, buildVolume, getPlacement, type Workload } from './workload.ts';

const POD_RESOURCE = { resource: 'pods', kind: getKind('pods') };
const STARTUP_TIME = [12 * SECOND, 35 * SECOND] as const;

export const isPodReady = memoizeByObject((pod) => isConditionTrue(pod, 'Ready'));

/** The rollout of the newest revision of a workload. */
export interface Rollout {
  readonly world: OperatorContext;
  readonly workload: Workload;
  readonly owner: KubeObject;
  readonly revision: string;
}

/** Creates a pod, and in a StatefulSet its own PersistentVolumeClaim, unless a webhook blocks the pod. */
export function createPod(rollout: Rollout, name: string, nodeName: string | null): void {
  const { workload, owner, revision } = rollout;
  const { store, clock } = rollout.world;
  const { namespace, volume } = workload;
  if (findWebhookError(store, { ...POD_RESOURCE, namespace, operation: 'CREATE' }) !== null) return;
  const template = getField(owner, 'spec', 'template', 'spec');
  const hasOwnClaim = workload.kind === 'StatefulSet';
  const claimName = hasOwnClaim ? `${volume?.claim}-${name}` : (volume?.claim ?? '');
  if (volume !== null && hasOwnClaim) {
    store.ensure('persistentvolumeclaims', {
      metadata: { name: claimName, namespace, labels: { 'app.kubernetes.io/name': workload.name } },
      spec: buildClaimSpec(volume),
      status: {},
    });
  }
  const { apiVersion, kind, metadata } = owner;
  store.create('pods', {
    metadata: {
      name,
      namespace,
      labels: {
        'app.kubernetes.io/name': workload.name,
        revision,
        ...(workload.kind === 'DaemonSet' ? { 'pod-template-generation': String(metadata.generation ?? 1) } : {}),
        ...getExtraLabels(workload),
      },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
    },
    spec: {
      ...(isRecord(template) ? template : { containers: [] }),
      tolerations: getPlacement(workload).tolerations,
      ...(volume === null ? {} : { volumes: [buildVolume(claimName)] }),
      ...(nodeName === null ? {} : { nodeName }),
    },
    status: { phase: 'Pending', ...(nodeName === null ? {} : { startTime: formatTimestamp(clock.now()) }) },
  });
}

/** Formats the key of the workload of a pod: `namespace/name`. */
export function formatOwnerKey({ metadata: { namespace, labels } }: KubeObject): string {
  return `${namespace}/${labels?.['app.kubernetes.io/name']}`;
}

/** Returns the labels by which users and operators select the pods of a workload. */
function getExtraLabels({ name, labels }: Workload): Readonly<Record<string, string>> {
  if (name.startsWith('router-'))
    return { 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller': name.slice('router-'.length) };
  if (name === 'image-registry') return { 'docker-registry': 'default' };
  if (name === 'ingress-canary')
    return { 'ingresscanary.operator.openshift.io/daemonset-ingresscanary': 'canary_controller' };
  if (name === 'dns-default') return { 'dns.operator.openshift.io/daemonset-dns': 'default' };
  return labels;
}

/** Assigns nodes to pods, and makes pods that have a node ready. */
export function advancePods(
  world: OperatorContext,
  nodes: readonly SchedulableNode[],
  plannedWorkloads: readonly Workload[],
): void {
  const workloadsByKey = new Map(
    plannedWorkloads.map((plannedWorkload) => [
      `${plannedWorkload.namespace}/${plannedWorkload.name}`,
      plannedWorkload,
    ]),
  );
  const pods = world.store.list('pods');
  const podCounts = new Map<string, number>();
  const getCountKey = (pod: KubeObject, node: string) => {
    const owner = formatOwnerKey(pod);
    // Workloads with the same host ports share a count: a node can use a host port only once.
    const ports = workloadsByKey.get(owner)?.hostPorts ?? [];
    return `${ports.length > 0 ? ports.join() : owner} ${node}`;
  };
  const countPod = (pod: KubeObject, node: string) => {
    const key = getCountKey(pod, node);
    podCounts.set(key, (podCounts.get(key) ?? 0) + 1);
  };
  for (const pod of pods) countPod(pod, getString(pod, 'spec', 'nodeName'));
  for (const pod of pods) {
    if (isPodReady(pod)) continue;
    const workload = workloadsByKey.get(formatOwnerKey(pod));
    if (!workload) continue;
    if (getString(pod, 'spec', 'nodeName') === '') {
      const claimError = findClaimError(world, pod);
      const result =
        claimError === null
          ? schedulePod(parsePlacement(pod.spec, NO_PLACEMENT), nodes, {
              countPods: (node) => podCounts.get(getCountKey(pod, node)) ?? 0,
              isExclusive: workload.isExclusive,
              usesHostPorts: workload.hostPorts.length > 0,
            })
          : { message: claimError };
      if ('node' in result) {
        bindPod(world, pod, result.node);
        countPod(pod, result.node);
      } else setUnschedulable(world, pod, result.message);
    } else startPod(world, pod, nodes);
  }
}

function findClaimError(world: OperatorContext, pod: KubeObject): string | null {
  const { namespace = '' } = pod.metadata;
  for (const volume of getList(pod, 'spec', 'volumes')) {
    const name = getString(volume, 'persistentVolumeClaim', 'claimName');
    if (name === '' || isClaimBound(world, namespace, name)) continue;
    return world.store.get('persistentvolumeclaims', namespace, name)
      ? 'pod has unbound immediate PersistentVolumeClaims. not found'
      : `persistentvolumeclaim "${name}" not found`;
  }
  return null;
}

function bindPod(world: OperatorContext, pod: KubeObject, node: string): void {
  const time = formatTimestamp(world.clock.now());
  world.store.mutate('pods', pod.metadata.namespace, pod.metadata.name, (object) => {
    assignFields(object, 'spec', { nodeName: node });
    const conditions = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: time }];
    object.status = { phase: 'Pending', startTime: time, conditions };
  });
}

function setUnschedulable(world: OperatorContext, pod: KubeObject, message: string): void {
  const [existingCondition] = getList(pod, 'status', 'conditions');
  if (getString(existingCondition, 'message') === message) return;
  recordEvent(world, pod, { type: 'Warning', reason: 'FailedScheduling', message, component: 'default-scheduler' });
  world.store.mutate('pods', pod.metadata.namespace, pod.metadata.name, (object) => {
    const lastTransitionTime = formatTimestamp(world.clock.now());
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
    object.status = { phase: 'Pending', conditions: [condition] };
  });
}

/** Makes a pod Ready after its image pull and first readiness probe, unless its node is not ready. */
function startPod(world: OperatorContext, pod: KubeObject, nodes: readonly SchedulableNode[]): void {
  const node = nodes.find(({ name }) => name === getString(pod, 'spec', 'nodeName'));
  if (!node?.isReady) return;
  const startedAt = Date.parse(getString(pod, 'status', 'startTime') || pod.metadata.creationTimestamp);
  if (world.clock.now() < startedAt + deriveDuration(world.seed, ...STARTUP_TIME, pod.metadata.name)) return;
  const time = formatTimestamp(world.clock.now());
  const name = getString(getList(pod, 'spec', 'containers')[0], 'name');
  const state = { running: { startedAt: time } };
  const container = { name, ready: true, started: true, restartCount: 0, state, image: '', imageID: '' };
  const status = {
    phase: 'Running',
    startTime: getString(pod, 'status', 'startTime') || time,
    hostIP: node.address,
    podIP: node.address,
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: time,
    })),
    containerStatuses: [container],
  };
  setStatus(world, 'pods', pod, status);
}

const CLAIM_RESOURCE = 'persistentvolumeclaims';
const BINDING_DELAY = 8 * SECOND;

/** Binds PersistentVolumeClaims whose StorageClass exists and can provision. The others stay Pending. */
export function bindClaims(world: OperatorContext): void {
  const { store, clock } = world;
  const classes = store.list('storageclasses.storage.k8s.io');
  const defaultClass = classes.find(
    ({ metadata }) => metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
  )?.metadata.name;
  for (const claim of store.list(CLAIM_RESOURCE)) {
    const { namespace = '', name, uid, creationTimestamp } = claim.metadata;
    if (getString(claim, 'status', 'phase') === 'Bound') continue;
    const className = getString(claim, 'spec', 'storageClassName') || defaultClass;
    const storageClass = classes.find(({ metadata }) => metadata.name === className);
    const isProvisionable = storageClass !== undefined && canProvision(world);
    if (storageClass !== undefined && !isProvisionable)
      recordProvisioningEvent(world, claim, getString(storageClass, 'provisioner'));
    if (!isProvisionable || clock.now() < Date.parse(creationTimestamp) + BINDING_DELAY) {
      setStatus(world, CLAIM_RESOURCE, claim, { phase: 'Pending' });
      continue;
    }
    const volumeName = `pvc-${uid}`;
    const storage = getString(claim, 'spec', 'resources', 'requests', 'storage') || '1Gi';
    const accessModes = getList(claim, 'spec', 'accessModes');
    store.ensure('persistentvolumes', {
      metadata: { name: volumeName },
      spec: {
        capacity: { storage },
        accessModes,
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: className,
        volumeMode: 'Filesystem',
        claimRef: { kind: 'PersistentVolumeClaim', namespace, name, uid },
      },
      status: { phase: 'Bound', lastPhaseTransitionTime: formatTimestamp(clock.now()) },
    });
    store.mutate(CLAIM_RESOURCE, namespace, name, (object) => {
      assignFields(object, 'spec', { volumeName, storageClassName: className });
      object.status = { phase: 'Bound', accessModes, capacity: { storage } };
    });
  }
}

/** Whether volumes can be provisioned: a provisioner that runs in the cluster must have a ready pod. */
function canProvision({ store }: OperatorContext): boolean {
  const [namespace = '', name = ''] = PROVISIONER_KEY.split('/');
  const deployment = store.get('deployments.apps', namespace, name);
  return (
    store.get('namespaces', null, namespace) === undefined ||
    Number(getField(deployment, 'status', 'readyReplicas') ?? 0) > 0
  );
}

/** Records the event of the volume controller (pkg/controller/volume/persistentvolume). */
function recordProvisioningEvent(world: OperatorContext, claim: KubeObject, provisioner: string): void {
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  const component = 'persistentvolume-controller';
  recordEvent(world, claim, { type: 'Normal', reason: 'ExternalProvisioning', message, component });
}

export function hasUnboundClaims({ store }: OperatorContext): boolean {
  return store.list(CLAIM_RESOURCE).some((claim) => getString(claim, 'status', 'phase') !== 'Bound');
}

function isClaimBound(world: OperatorContext, namespace: string, name: string): boolean {
  return getString(world.store.get(CLAIM_RESOURCE, namespace, name), 'status', 'phase') === 'Bound';
}
