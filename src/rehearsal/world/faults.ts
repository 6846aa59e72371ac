import { WORKER_ROLES } from '../../design/choices.ts';
import { nodesWithRole } from '../../design/derived-facts.ts';
import { MINUTE } from '../../platform/clock.ts';
import { findApiServiceProblem } from '../api/admission.ts';
import { buildCsrCondition, CSR_RESOURCE, isRequestPending, readCsr } from '../api/csr.ts';
import { assignFields, formatTimestamp, getList, getString, isRecord, type KubeObject } from '../api/objects.ts';
import type { FaultId } from '../site/faults.ts';
import { deriveRandom } from '../site/seeded-random.ts';
import type { Machine } from './machines/machine.ts';
import { ensureObject } from './operators/cluster-objects.ts';
import { APPROVER_NAMESPACE, STORAGE_NAMESPACE } from './workloads/plan.ts';
import { isPodReady } from './workloads/pods.ts';
import { toSchedulableNode } from './workloads/scheduler.ts';
import { mergeStatus, type World, withTransitionTime } from './world.ts';

// Changes in a running cluster by an administrator, or by something that an administrator installed.

/** Installs an approver that accepts only other host names and denies the rest. */
function installApprover({ store }: World): boolean {
  addNamespace(store, APPROVER_NAMESPACE);
  return true;
}

/** Cordons a compute node, which nothing uncordons afterwards. */
function cordonNode(world: World): boolean {
  const { store, seed } = world;
  const nodes = store
    .list('nodes')
    .map(toSchedulableNode)
    .filter(({ isReady, labels }) => isReady && 'node-role.kubernetes.io/worker' in labels);
  const node = nodes[Math.floor(deriveRandom(seed, 'node-cordoned') * nodes.length)];
  if (node === undefined) return false;
  store.mutate('nodes', null, node.name, (change) => {
    change.spec = { ...(isRecord(change.spec) ? change.spec : {}), unschedulable: true };
  });
  return true;
}

/** Adds a MachineConfig that was made for a newer release. */
function addMachineConfig({ store }: World): boolean {
  ensureObject(store, 'machineconfigs.machineconfiguration.openshift.io', {
    metadata: { name: '99-worker-sysctl', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    spec: {
      config: {
        ignition: { version: '3.6.0' },
        storage: {
          files: [
            {
              path: '/etc/sysctl.d/99-net.conf',
              mode: 420,
              overwrite: true,
              contents: { source: 'data:,net.core.somaxconn%3D1024' },
            },
          ],
        },
      },
    },
  });
  return true;
}

/** Starts an update by the digest of an unsigned image. */
function startUpdate({ store }: World): boolean {
  const version = store.get('clusterversions.config.openshift.io', null, 'version');
  const [major, minor, patch] = getString(version, 'status', 'desired', 'version').split('.');
  const digest = 'b1f0f64a5d6a0c0b7e9d27d1b3d9a5b4f3c1f0e2d4c6b8a09182736455463728';
  const update = {
    version: `${major}.${minor}.${Number.parseInt(patch ?? '0', 10) + 1}`,
    image: `quay.io/openshift-release-dev/ocp-release@sha256:${digest}`,
    force: false,
  };
  store.mutate('clusterversions.config.openshift.io', null, 'version', (change) => {
    change.spec = { ...(isRecord(change.spec) ? change.spec : {}), desiredUpdate: update };
  });
  return true;
}

/** Scales the routers down to zero. */
function scaleRoutersDown({ store }: World): boolean {
  const found = store.mutate(
    'ingresscontrollers.operator.openshift.io',
    'openshift-ingress-operator',
    'default',
    (change) => {
      change.spec = { ...(isRecord(change.spec) ? change.spec : {}), replicas: 0 };
    },
  );
  return found !== undefined;
}

/** Requests a volume from a provisioner whose node selector matches no node. */
function requestVolume({ store }: World): boolean {
  addNamespace(store, STORAGE_NAMESPACE);
  addNamespace(store, 'shop');
  ensureObject(store, 'persistentvolumeclaims', {
    metadata: {
      name: 'orders',
      namespace: 'shop',
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '10Gi' } },
      storageClassName: 'standard',
      volumeMode: 'Filesystem',
    },
    status: {},
  });
  return true;
}

function addNamespace(store: World['store'], name: string): void {
  ensureObject(store, 'namespaces', {
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
}

// Leftovers of removed components: an API that their pods served, a namespace, a webhook.

/** The metrics adapter was removed, but its APIService was not. */
function addStaleApiService({ store }: World): boolean {
  ensureObject(store, 'apiservices.apiregistration.k8s.io', {
    metadata: { name: 'v1beta1.external.metrics.k8s.io', labels: { 'app.kubernetes.io/part-of': 'keda' } },
    spec: {
      service: { namespace: 'keda', name: 'keda-operator-metrics-apiserver', port: 443 },
      group: 'external.metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
    status: {},
  });
  return true;
}

/** The snapshot controller was removed, and a claim that it protects waits for it. */
function addTerminatingNamespace({ store, clock }: World): boolean {
  const name = 'backup-trial';
  const deletionTimestamp = formatTimestamp(clock.now());
  ensureObject(store, 'namespaces', {
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name }, deletionTimestamp },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  });
  ensureObject(store, 'persistentvolumeclaims', {
    metadata: {
      name: 'backup-data',
      namespace: name,
      deletionTimestamp,
      finalizers: ['snapshot.storage.kubernetes.io/pvc-as-source-protection'],
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '20Gi' } },
      storageClassName: 'standard',
    },
    status: {},
  });
  return true;
}

/** The policy engine was removed with its namespace, but the API still calls its webhook. */
function addStaleWebhook({ store }: World): boolean {
  ensureObject(store, 'validatingwebhookconfigurations.admissionregistration.k8s.io', {
    metadata: { name: 'image-policy', labels: { 'app.kubernetes.io/name': 'image-policy' } },
    webhooks: [
      {
        name: 'validate.image-policy.example.com',
        clientConfig: { service: { namespace: 'image-policy', name: 'image-policy', path: '/validate', port: 443 } },
        rules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: ['', 'apps', 'operator.openshift.io'],
            apiVersions: ['*'],
            resources: ['pods', 'deployments', 'ingresscontrollers'],
            scope: '*',
          },
        ],
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 10,
      },
    ],
  });
  return true;
}

type MachineMap = ReadonlyMap<string, Machine>;

/** etcd keeps its quorum with one of three members lost. With fewer members it would not. */
const MIN_MEMBERS = 3;

/** Powers off one control plane machine. */
function powerOffControlPlaneNode(world: World, machines: MachineMap): boolean {
  const nodes = nodesWithRole(world.design, 'control-plane');
  const machine = pickJoinedMachine(world, machines, 'etcd-member-lost', nodes);
  if (nodes.length < MIN_MEMBERS || machine === undefined) return false;
  machine.powerOff();
  return true;
}

/** Starts one compute node again that was off for longer than its certificates are valid. */
function expireNodeCredentials(world: World, machines: MachineMap): boolean {
  const nodes = nodesWithRole(world.design, ...WORKER_ROLES);
  const machine = pickJoinedMachine(world, machines, 'node-credentials-expired', nodes);
  if (machine === undefined) return false;
  machine.powerOff();
  Object.assign(machine.state, { isExpired: true, client: null, serving: null, servingCertificate: null });
  machine.powerOn();
  return true;
}

function pickJoinedMachine(
  { seed }: World,
  machines: MachineMap,
  fault: string,
  nodes: readonly { readonly name: string }[],
): Machine | undefined {
  const joined = nodes.flatMap(({ name }) => machines.get(name) ?? []).filter(({ state }) => state.stage === 'joined');
  return joined[Math.floor(deriveRandom(seed, fault) * joined.length)];
}

/** A fault of a running cluster. */
interface ClusterFault {
  readonly fault: FaultId;
  /** `complete`: after the bootstrap; `installed`: after the whole installation. */
  readonly since: 'complete' | 'installed';
  /** Applies the fault. False: its target does not exist yet. */
  readonly apply: (world: World, machines: MachineMap) => boolean;
}

const CLUSTER_FAULTS: readonly ClusterFault[] = [
  { fault: 'request-denied', since: 'complete', apply: installApprover },
  { fault: 'node-cordoned', since: 'complete', apply: cordonNode },
  { fault: 'pool-degraded', since: 'complete', apply: addMachineConfig },
  { fault: 'api-service-unavailable', since: 'complete', apply: addStaleApiService },
  { fault: 'namespace-terminating', since: 'complete', apply: addTerminatingNamespace },
  { fault: 'webhook-unanswered', since: 'installed', apply: addStaleWebhook },
  { fault: 'release-not-loaded', since: 'installed', apply: startUpdate },
  { fault: 'routers-not-running', since: 'installed', apply: scaleRoutersDown },
  { fault: 'volume-not-provisioned', since: 'installed', apply: requestVolume },
  { fault: 'etcd-member-lost', since: 'installed', apply: powerOffControlPlaneNode },
  { fault: 'node-credentials-expired', since: 'installed', apply: expireNodeCredentials },
];

/** Time in which everything is healthy, so that the effects visibly follow the fault. */
const FAULT_DELAY = 0.5 * MINUTE;

/** Applies each fault once, when it is due. */
export function applyClusterFaults(world: World, machines: ReadonlyMap<string, Machine>): void {
  for (const { fault, since, apply } of CLUSTER_FAULTS) {
    const timer = `trouble ${fault}`;
    if (!world.faults.has(fault) || world.saved.timers[timer] !== undefined) continue;
    const startedAt = since === 'complete' ? (world.saved.cluster?.bootstrapCompleteAt ?? null) : getInstallTime(world);
    const now = world.clock.now();
    if (startedAt === null || now < startedAt + FAULT_DELAY || !apply(world, machines)) continue;
    world.saved.timers[timer] = now;
    world.log(`trouble: ${fault}`);
    world.changed();
  }
}

function getInstallTime({ store }: World): number | null {
  const [first] = getList(store.get('clusterversions.config.openshift.io', null, 'version'), 'status', 'history');
  return getString(first, 'state') === 'Completed' ? Date.parse(getString(first, 'completionTime')) : null;
}

const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/** The aggregation layer reports for each APIService whether it is available. */
export function reportApiServices(world: World): void {
  for (const object of world.store.list(API_SERVICES)) {
    const problem = findApiServiceProblem(world.store, object);
    const condition = withTransitionTime(world, getList(object, 'status', 'conditions'), {
      type: 'Available',
      status: problem === null ? 'True' : 'False',
      reason: problem?.reason ?? 'Passed',
      message: problem?.message ?? 'all checks passed',
    });
    mergeStatus(world, API_SERVICES, object, { conditions: [condition] });
  }
}

/**
 * Starts the approver that an administrator installed. While its pod runs, it denies the first compute node's requests
 * at once.
 * @returns stops the approver
 */
export function startApprover({ store, clock, design, log }: World): () => void {
  const [node] = nodesWithRole(design, ...WORKER_ROLES);
  const isRunning = () => store.list('pods', APPROVER_NAMESPACE).some(isPodReady);
  async function denyRequest(request: KubeObject, planned: string): Promise<void> {
    const { commonNames } = await readCsr(request);
    if (!isRunning() || !commonNames.some((name) => name.startsWith(`system:node:${planned}.`))) return;
    const message = `csr-approver: the host name ${planned} does not match ^node-[0-9]+`;
    store.mutate(CSR_RESOURCE, null, request.metadata.name, (change) => {
      if (!isRequestPending(change)) return;
      const conditions = [buildCsrCondition('Denied', 'CSRApproverDenied', message, clock.now())];
      assignFields(change, 'status', { conditions });
    });
  }

  return store.subscribe(({ type, resource, object }) => {
    if (resource !== CSR_RESOURCE || type !== 'ADDED' || node === undefined || !isRunning()) return;
    denyRequest(object, node.name).catch((error: Error) => log(`approver: ${error.message}`));
  });
}
