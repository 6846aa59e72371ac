import { ETCD_ROLES, WORKER_ROLES } from '../../design/choices.ts';
import { listNodesWithRole } from '../../design/derived-facts.ts';
import { MINUTE } from '../../platform/clock.ts';
import { findApiServiceProblem } from '../api/api-services.ts';
import { buildCsrCondition, CSR_RESOURCE, isRequestPending, parseCsr } from '../api/csr.ts';
import {
  assignFields,
  buildCondition,
  formatTimestamp,
  getList,
  getString,
  isConditionTrue,
  type KubeObject,
  type NewObject,
} from '../api/objects.ts';
import type { FaultId } from '../site/faults.ts';
import { pickRandom } from '../site/seeded-random.ts';
import type { Machine } from './machines/machine.ts';
import { ensureNamespace, listNodesOfRoles } from './operators/cluster-objects.ts';
import { APPROVER_NAMESPACE, STORAGE_NAMESPACE } from './workloads/plan.ts';
import { isPodReady } from './workloads/pods.ts';
import { mergeStatus, type World } from './world.ts';

// Faults of a running cluster: changes by an administrator, by software that an administrator installed, or at a
// machine.

/** Cordons a compute node, which nothing uncordons afterwards. */
function cordonNode({ store, seed }: World): boolean {
  const readyNodes = listNodesOfRoles(store, 'worker').filter((node) => isConditionTrue(node, 'Ready'));
  const node = pickRandom(readyNodes, seed, 'node-cordoned');
  return node !== undefined && changeSpec(store, ['nodes', null, node.metadata.name], { unschedulable: true });
}

/** Starts an update by the digest of an unsigned image. */
function startUpdate({ store, release }: World): boolean {
  const version = getString(store.get(CLUSTER_VERSION_RESOURCE, null, 'version'), 'status', 'desired', 'version');
  const digest = 'b1f0f64a5d6a0c0b7e9d27d1b3d9a5b4f3c1f0e2d4c6b8a09182736455463728';
  const desiredUpdate = {
    version: version.replace(/\d+$/, (patch) => String(Number(patch) + 1)),
    image: `${release.image.split(':')[0]}@sha256:${digest}`,
    force: false,
  };
  return changeSpec(store, [CLUSTER_VERSION_RESOURCE, null, 'version'], { desiredUpdate });
}

function changeSpec(
  store: Store,
  [resource, namespace, name]: readonly [string, string | null, string],
  fields: Record<string, unknown>,
): boolean {
  return store.mutate(resource, namespace, name, (object) => assignFields(object, 'spec', fields)) !== undefined;
}

function addClaim(store: Store, metadata: NewObject['metadata'], storage: string): void {
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    storageClassName: 'standard',
    volumeMode: 'Filesystem',
  };
  store.ensure('persistentvolumeclaims', { metadata, spec, status: {} });
}

/** Adds a PersistentVolumeClaim for a provisioner whose node selector matches no node. */
function addClaimWithoutVolume({ store }: World): void {
  ensureNamespace(store, STORAGE_NAMESPACE);
  ensureNamespace(store, 'shop');
  addClaim(store, { name: 'orders', namespace: 'shop' }, '10Gi');
}

/** Adds a namespace that stays Terminating: its PersistentVolumeClaim waits for a removed snapshot controller. */
function addTerminatingNamespace({ store, clock }: World): void {
  const deletionTimestamp = formatTimestamp(clock.now());
  const finalizers = ['snapshot.storage.kubernetes.io/pvc-as-source-protection'];
  ensureNamespace(store, 'backup-trial', deletionTimestamp);
  addClaim(store, { name: 'backup-data', namespace: 'backup-trial', deletionTimestamp, finalizers }, '20Gi');
}

const CLUSTER_VERSION_RESOURCE = 'clusterversions.config.openshift.io';
const API_SERVICES = 'apiservices.apiregistration.k8s.io';
const DEFAULT_INGRESS_CONTROLLER = [
  'ingresscontrollers.operator.openshift.io',
  'openshift-ingress-operator',
  'default',
] as const;
type Store = World['store'];
type MachinesByName = ReadonlyMap<string, Machine>;

/** etcd keeps its quorum if one of three members is lost, but not if it has fewer members. */
const MIN_ETCD_MEMBERS = 3;

/** Powers off one control plane machine. */
function powerOffControlPlaneNode(world: World, machines: MachinesByName): boolean {
  const nodes = listNodesWithRole(world.design, 'control-plane');
  const machine = pickJoinedMachine(world, machines, 'etcd-member-lost', nodes);
  if (listNodesWithRole(world.design, ...ETCD_ROLES).length < MIN_ETCD_MEMBERS || machine === undefined) return false;
  machine.powerOff();
  return true;
}

/** Restarts one compute node as if it had been off for longer than its certificates are valid. */
function expireNodeCredentials(world: World, machines: MachinesByName): boolean {
  const nodes = listNodesWithRole(world.design, ...WORKER_ROLES);
  const machine = pickJoinedMachine(world, machines, 'node-credentials-expired', nodes);
  if (machine === undefined) return false;
  machine.powerOff();
  Object.assign(machine.state, { isExpired: true, client: null, serving: null, servingCertificate: null });
  machine.powerOn();
  return true;
}

function pickJoinedMachine(
  { seed }: World,
  machines: MachinesByName,
  fault: string,
  nodes: readonly { readonly name: string }[],
): Machine | undefined {
  const joinedMachines = nodes
    .flatMap(({ name }) => machines.get(name) ?? [])
    .filter(({ state }) => state.stage === 'joined');
  return pickRandom(joinedMachines, seed, fault);
}

interface ClusterFault {
  /** `bootstrap-complete`: after the bootstrap; `installed`: after the whole installation. */
  readonly startsAfter: 'bootstrap-complete' | 'installed';
  /** Applies the fault. Returns false if the target of the fault does not exist yet. */
  readonly apply: (world: World, machines: MachinesByName) => unknown;
}

const createFaultAfterBootstrap = (apply: ClusterFault['apply']): ClusterFault => ({
  startsAfter: 'bootstrap-complete',
  apply,
});
const createFaultAfterInstallation = (apply: ClusterFault['apply']): ClusterFault => ({
  startsAfter: 'installed',
  apply,
});

/** Returns a function that adds an object, as an administrator or a removed component left it. */
const createObjectAdder =
  (resource: string, object: NewObject): ClusterFault['apply'] =>
  ({ store }) =>
    store.ensure(resource, object);

const CLUSTER_FAULTS: Readonly<Partial<Record<FaultId, ClusterFault>>> = {
  // Adds the namespace of an approver that denies the host name of a compute node.
  'request-denied': createFaultAfterBootstrap(({ store }) => ensureNamespace(store, APPROVER_NAMESPACE)),
  'node-cordoned': createFaultAfterBootstrap(cordonNode),
  // The MachineConfig has an Ignition version of a newer release.
  'pool-degraded': createFaultAfterBootstrap(
    createObjectAdder('machineconfigs.machineconfiguration.openshift.io', {
      metadata: { name: '99-worker-sysctl', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
      spec: { config: { ignition: { version: '3.6.0' }, storage: { files: [] } } },
    }),
  ),
  // The metrics adapter was removed, but its APIService was not.
  'api-service-unavailable': createFaultAfterBootstrap(
    createObjectAdder(API_SERVICES, {
      metadata: { name: 'v1beta1.external.metrics.k8s.io', labels: { 'app.kubernetes.io/part-of': 'keda' } },
      spec: {
        service: { namespace: 'keda', name: 'keda-operator-metrics-apiserver', port: 443 },
        ...{ group: 'external.metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 },
      },
      status: {},
    }),
  ),
  'namespace-terminating': createFaultAfterBootstrap(addTerminatingNamespace),
  // The policy engine was removed with its namespace, but the API still calls its webhook.
  'webhook-unanswered': createFaultAfterInstallation(
    createObjectAdder('validatingwebhookconfigurations.admissionregistration.k8s.io', {
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
          ...{ failurePolicy: 'Fail', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 10 },
        },
      ],
    }),
  ),
  'release-not-loaded': createFaultAfterInstallation(startUpdate),
  'routers-not-running': createFaultAfterInstallation(({ store }) =>
    changeSpec(store, DEFAULT_INGRESS_CONTROLLER, { replicas: 0 }),
  ),
  'volume-not-provisioned': createFaultAfterInstallation(addClaimWithoutVolume),
  'etcd-member-lost': createFaultAfterInstallation(powerOffControlPlaneNode),
  'node-credentials-expired': createFaultAfterInstallation(expireNodeCredentials),
};

/** Time in which everything is healthy, so that the effects visibly follow the fault. */
const FAULT_DELAY = 0.5 * MINUTE;

/** Applies each fault once, when it is due. */
export function applyClusterFaults(world: World, machines: ReadonlyMap<string, Machine>): void {
  for (const fault of world.faults) {
    const { startsAfter, apply } = CLUSTER_FAULTS[fault] ?? {};
    const timer = `trouble ${fault}`;
    if (apply === undefined || world.saved.timers[timer] !== undefined) continue;
    const startedAt =
      startsAfter === 'bootstrap-complete'
        ? (world.saved.cluster?.bootstrapCompleteAt ?? null)
        : findInstallTime(world);
    const now = world.clock.now();
    if (startedAt === null || now < startedAt + FAULT_DELAY || apply(world, machines) === false) continue;
    world.saved.timers[timer] = now;
    world.log(`trouble: ${fault}`);
    world.requestSave();
  }
}

function findInstallTime({ store }: World): number | null {
  const [latestUpdate] = getList(store.get(CLUSTER_VERSION_RESOURCE, null, 'version'), 'status', 'history');
  return getString(latestUpdate, 'state') === 'Completed'
    ? Date.parse(getString(latestUpdate, 'completionTime'))
    : null;
}

/** Sets the Available condition of each APIService, as the aggregation layer does. */
export function updateApiServiceStatuses(world: World): void {
  for (const object of world.store.list(API_SERVICES)) {
    const problem = findApiServiceProblem(world.store, object);
    const { reason, message } = problem ?? { reason: 'Passed', message: 'all checks passed' };
    const condition = buildCondition(world.clock.now(), object, 'Available', problem === null, reason, message);
    mergeStatus(world, API_SERVICES, object, { conditions: [condition] });
  }
}

/**
 * Starts the CSR approver that an administrator installed. While its pod runs, it denies CSRs of the first compute node
 * at once.
 * @returns a function that stops the approver
 */
export function startCsrApprover({ store, clock, design, log }: World): () => void {
  const [node] = listNodesWithRole(design, ...WORKER_ROLES);
  const isRunning = () => store.list('pods', APPROVER_NAMESPACE).some(isPodReady);
  async function denyRequest(request: KubeObject, nodeName: string): Promise<void> {
    const { commonNames } = await parseCsr(request);
    if (!isRunning() || !commonNames.some((name) => name.startsWith(`system:node:${nodeName}.`))) return;
    const message = `csr-approver: the host name ${nodeName} does not match ^node-[0-9]+`;
    store.mutate(CSR_RESOURCE, null, request.metadata.name, (csr) => {
      if (!isRequestPending(csr)) return;
      const conditions = [buildCsrCondition('Denied', 'CSRApproverDenied', message, clock.now())];
      assignFields(csr, 'status', { conditions });
    });
  }

  return store.subscribe(({ type, resource, object }) => {
    if (resource !== CSR_RESOURCE || type !== 'ADDED' || node === undefined || !isRunning()) return;
    denyRequest(object, node.name).catch((error: Error) => log(`approver: ${error.message}`));
  });
}
