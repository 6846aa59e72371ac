import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { formatTimestamp, getList, getString, isRecord, type KubeObject } from '../../api/objects.ts';
import { isAtLeast } from '../../site/versions.ts';
import { isApiServing } from '../network/ports.ts';
import type { ClusterState } from '../saved.ts';
import { getOrStartTimer, type World } from '../world.ts';

const CSR_RESOURCE = 'certificatesigningrequests.certificates.k8s.io';
/** Interval of approve-csr.sh on the bootstrap node. */
const APPROVAL_INTERVAL = 20 * SECOND;
/** Delay from the last control plane node's API server to "complete", which etcd and its operator need. */
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
    const serving = Object.values(machines).filter(
      (machine) => machine.kind === 'master' && isApiServing(machine, now),
    );
    if (serving.length < cluster.controlPlaneReplicas) return;
    if (now < getOrStartTimer(world, 'control plane serves') + COMPLETION_DELAY) return;
    completeBootstrap(world, cluster, now);
    return;
  }
  if (now >= cluster.bootstrapCompleteAt + ETCD_REMOVAL_DELAY) removeBootstrapMember(world, now);
}

/**
 * bootstrap-in-place-post-reboot.sh approves the node's requests until the node is Ready. Then the bootstrap is
 * complete.
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
  world.store.mutate('configmaps', 'kube-system', 'bootstrap', (map) => {
    map.data = { status: 'complete' };
  });
  world.log('bootstrap is complete');
  world.changed();
}

function removeBootstrapMember(world: World, now: number): void {
  world.store.mutate('etcds.operator.openshift.io', null, 'cluster', (etcd) => {
    // The operators of earlier releases report no such condition.
    if (getList(etcd, 'status', 'conditions').length > 0 || !isAtLeast(world.release, 4, 13)) return;
    const condition = {
      // Spelled differently before 4.16 (cluster-etcd-operator#1201).
      type: isAtLeast(world.release, 4, 16) ? 'EtcdBootstrapMemberRemoved' : 'EtcdBoostrapMemberRemoved',
      status: 'True',
      reason: 'BootstrapMemberRemoved',
      message: 'etcd bootstrap member is removed',
      lastTransitionTime: formatTimestamp(now),
    };
    etcd.status = { ...(isRecord(etcd.status) ? etcd.status : {}), conditions: [condition] };
  });
}

function approvePendingRequests(world: World, now: number): void {
  const last = getOrStartTimer(world, 'approve-csr');
  if (now < last + APPROVAL_INTERVAL) return;
  world.saved.timers['approve-csr'] = now;
  for (const request of world.store.list(CSR_RESOURCE)) {
    if (!isRequestPending(request)) continue;
    world.store.mutate(CSR_RESOURCE, null, request.metadata.name, (change) => {
      const condition = {
        type: 'Approved',
        status: 'True',
        reason: 'KubectlApprove',
        message: 'This CSR was approved by kubectl certificate approve.',
        lastUpdateTime: formatTimestamp(now),
        lastTransitionTime: formatTimestamp(now),
      };
      change.status = { ...(isRecord(change.status) ? change.status : {}), conditions: [condition] };
    });
  }
}

/** True if a request is neither approved, denied nor failed. */
export function isRequestPending(request: KubeObject): boolean {
  return !getList(request, 'status', 'conditions').some((each) =>
    /^(?:Approved|Denied|Failed)$/.test(getString(each, 'type')),
  );
}
