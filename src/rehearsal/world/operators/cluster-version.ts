import { isVersionAtLeast } from '../../../design/versions.ts';
import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { buildCsrCondition, CSR_RESOURCE, isRequestPending } from '../../api/csr.ts';
import {
  assignFields,
  buildCondition,
  formatTimestamp,
  getField,
  getList,
  getString,
  isConditionTrue,
  isRecord,
  type KubeObject,
} from '../../api/objects.ts';
import { isApiServing } from '../network/ports.ts';
import type { ClusterState } from '../saved-world.ts';
import { getOrStartTimer, mergeStatus, type World } from '../world.ts';
import { listNodesOfRoles } from './cluster-objects.ts';
import { recordHandover } from './etcd.ts';
import type { OperatorDefinition } from './state.ts';
import { findUpdateRefusal } from './update-gates.ts';

const CLUSTER_VERSION_RESOURCE = 'clusterversions.config.openshift.io';
const OPERATOR_RESOURCE = 'clusteroperators.config.openshift.io';
const MANIFEST_COUNT = 869;
/** Share of the manifests that is applied before the first operator is available. */
const EARLY_SHARE = 0.12;

/** Updates ClusterVersion with the installation's progress, in the words of the cluster-version-operator. */
export function updateClusterVersionStatus(world: World, definitions: readonly OperatorDefinition[]): void {
  const { cluster } = world.saved;
  const object = world.store.get(CLUSTER_VERSION_RESOURCE, null, 'version');
  if (!object || cluster === null) return;
  const { version } = cluster;
  const operatorsByName = new Map(
    world.store.list(OPERATOR_RESOURCE).map((operator) => [operator.metadata.name, operator]),
  );
  const hasCondition = (name: string, type: string) => isConditionTrue(operatorsByName.get(name), type);
  const missingOperators = definitions
    .filter(({ name }) => !hasCondition(name, 'Available'))
    .map(({ name }) => name)
    .sort();
  const degradedOperators = definitions.filter(({ name }) => hasCondition(name, 'Degraded')).map(({ name }) => name);
  const history = getList(object, 'status', 'history');
  const [latestUpdate] = history;
  const isInstalled = getString(latestUpdate, 'state') === 'Completed';
  const isComplete = missingOperators.length === 0 && degradedOperators.length === 0;
  const isFailing = missingOperators.length === 0 && degradedOperators.length > 0;
  const failure = `Cluster operator ${degradedOperators[0]} is degraded`;
  const appliedCount = Math.floor(
    MANIFEST_COUNT * (EARLY_SHARE + (1 - EARLY_SHARE) * (1 - missingOperators.length / definitions.length)),
  );
  const createCondition = (type: string, isTrue: boolean, reason?: string, message?: string) =>
    buildCondition(world.clock.now(), object, type, isTrue, reason, message);
  const isAvailable = isInstalled || isComplete;
  const refusal = findUpdateRefusal(world.store, version);
  const progress = formatProgress(version, appliedCount, missingOperators, degradedOperators);
  mergeStatus(world, CLUSTER_VERSION_RESOURCE, object, {
    observedGeneration: object.metadata.generation ?? 1,
    history:
      isComplete && !isInstalled && isRecord(latestUpdate)
        ? [{ ...latestUpdate, state: 'Completed', completionTime: formatTimestamp(world.clock.now()) }]
        : history,
    conditions: [
      createCondition('Available', isAvailable, '', isAvailable ? `Done applying ${version}` : ''),
      isFailing
        ? createCondition('Failing', true, 'ClusterOperatorDegraded', failure)
        : createCondition('Failing', false),
      isAvailable
        ? createCondition('Progressing', false, '', `Cluster version is ${version}`)
        : createCondition('Progressing', true, isFailing ? 'ClusterOperatorDegraded' : '', progress),
      refusal === null
        ? createCondition('Upgradeable', true)
        : createCondition('Upgradeable', false, refusal.reason, refusal.message),
      createCondition('ReleaseAccepted', ...describeReleaseAcceptance(object, version)),
    ],
  });
}

/** Describes whether the release is accepted: not for an update by digest, which has no signature. */
function describeReleaseAcceptance(
  object: KubeObject,
  version: string,
): readonly [isAccepted: boolean, reason: string, message: string] {
  const desiredUpdate = getField(object, 'spec', 'desiredUpdate');
  const image = getString(desiredUpdate, 'image');
  if (image === '' || image === getString(object, 'status', 'desired', 'image'))
    return [true, 'PayloadLoaded', `Payload loaded version="${version}"`];
  const digest = image.split('@')[1] ?? image;
  const failure = `The update cannot be verified: unable to verify ${digest} against keyrings: verifier-public-key-redhat`;
  const message = `Retrieving payload failed version="${getString(desiredUpdate, 'version')}" image="${image}" failure=${failure}`;
  return [false, 'RetrievePayload', message];
}

/** Formats `Working towards 4.18.11: 640 of 869 done (73% complete)`, and names at most six missing operators. */
function formatProgress(
  version: string,
  appliedCount: number,
  missingOperators: readonly string[],
  degradedOperators: readonly string[],
): string {
  if (missingOperators.length === 0)
    return `Unable to apply ${version}: the cluster operator ${degradedOperators[0]} is degraded`;
  const percent = Math.floor((appliedCount / MANIFEST_COUNT) * 100);
  const waitingText = missingOperators.length <= 6 ? `, waiting on ${missingOperators.join(', ')}` : '';
  return `Working towards ${version}: ${appliedCount} of ${MANIFEST_COUNT} done (${percent}% complete)${waitingText}`;
}

/** Interval of approve-csr.sh on the bootstrap node. */
const APPROVAL_INTERVAL = 20 * SECOND;
/** Time that etcd and its operator need from the start of the last API server until bootstrap is complete. */
const COMPLETION_DELAY = 2 * MINUTE;
const ETCD_REMOVAL_DELAY = 2.5 * MINUTE;

/** Runs the tasks of the bootstrap node from its first API answer until the control plane runs on its own. */
export function advanceBootstrap(world: World): void {
  const { cluster, machines } = world.saved;
  if (cluster === null) return;
  const now = world.clock.now();
  if (cluster.isInPlace) {
    advanceInPlace(world, cluster, now);
    return;
  }
  const isBootstrapUp = Object.values(machines).some(({ stage }) => stage === 'serving');
  if (cluster.bootstrapCompleteAt === null) {
    if (!isBootstrapUp) return;
    approvePendingRequests(world, now);
    const servingMachines = Object.values(machines).filter(
      (machine) => machine.kind === 'master' && isApiServing(machine, now),
    );
    if (servingMachines.length < cluster.controlPlaneReplicas || !areArbitersReady(world, cluster)) return;
    if (now < getOrStartTimer(world, 'control plane serves') + COMPLETION_DELAY) return;
    completeBootstrap(world, cluster, now);
    return;
  }
  if (now >= cluster.bootstrapCompleteAt + ETCD_REMOVAL_DELAY) removeBootstrapMember(world, now);
  recordHandover(world);
}

/** Whether the arbiters are Ready: without them etcd cannot lose the member of the bootstrap node. */
function areArbitersReady({ store }: World, { arbiterReplicas = 0 }: ClusterState): boolean {
  return listNodesOfRoles(store, 'arbiter').filter((node) => isConditionTrue(node, 'Ready')).length >= arbiterReplicas;
}

/**
 * Advances bootstrap in place: bootstrap-in-place-post-reboot.sh approves the node's CSRs until the node has a serving
 * certificate. The bootstrap is complete `COMPLETION_DELAY` later.
 */
function advanceInPlace(world: World, cluster: ClusterState, now: number): void {
  const node = Object.values(world.saved.machines).find((machine) => machine.kind === 'master');
  if (node === undefined) return;
  if (cluster.bootstrapCompleteAt !== null) {
    if (now >= cluster.bootstrapCompleteAt + ETCD_REMOVAL_DELAY) removeBootstrapMember(world, now);
    return;
  }
  if (!isApiServing(node, now, true) || node.stage === 'in-place') return;
  approvePendingRequests(world, now);
  if (node.servingCertificate === null) return;
  if (now >= getOrStartTimer(world, 'control plane serves') + COMPLETION_DELAY) completeBootstrap(world, cluster, now);
}

function completeBootstrap(world: World, cluster: ClusterState, now: number): void {
  cluster.bootstrapCompleteAt = now;
  world.store.mutate('configmaps', 'kube-system', 'bootstrap', (configMap) => {
    configMap.data = { status: 'complete' };
  });
  world.log('bootstrap is complete');
  world.requestSave();
}

function removeBootstrapMember(world: World, now: number): void {
  world.store.mutate('etcds.operator.openshift.io', null, 'cluster', (etcd) => {
    // The operators of earlier releases report no such condition.
    if (getList(etcd, 'status', 'conditions').length > 0 || !isVersionAtLeast(world.release.version, '4.13')) return;
    const condition = {
      // Spelled differently before 4.16 (cluster-etcd-operator#1201).
      type: isVersionAtLeast(world.release.version, '4.16')
        ? 'EtcdBootstrapMemberRemoved'
        : 'EtcdBoostrapMemberRemoved',
      status: 'True',
      reason: 'BootstrapMemberRemoved',
      message: 'etcd bootstrap member is removed',
      lastTransitionTime: formatTimestamp(now),
    };
    assignFields(etcd, 'status', { conditions: [condition] });
  });
}

function approvePendingRequests(world: World, now: number): void {
  const lastApprovalAt = getOrStartTimer(world, 'approve-csr');
  if (now < lastApprovalAt + APPROVAL_INTERVAL) return;
  world.saved.timers['approve-csr'] = now;
  for (const request of world.store.list(CSR_RESOURCE)) {
    if (!isRequestPending(request)) continue;
    world.store.mutate(CSR_RESOURCE, null, request.metadata.name, (csr) => {
      const message = 'This CSR was approved by kubectl certificate approve.';
      const conditions = [buildCsrCondition('Approved', 'KubectlApprove', message, now)];
      assignFields(csr, 'status', { conditions });
    });
  }
}
