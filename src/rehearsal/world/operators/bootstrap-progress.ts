import { MINUTE, SECOND } from '../../../ports/clock.ts';
import { isRecord, type KubeObject, listAt, textAt, timestamp } from '../../api/objects.ts';
import { isAtLeast } from '../../site/versions.ts';
import { servesApi } from '../network/ports.ts';
import type { ClusterState } from '../saved.ts';
import { firstSeen, type World } from '../world.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
/** approve-csr.sh on the bootstrap node. */
const APPROVE_EVERY = 20 * SECOND;
/** From the last control plane node's API server to "complete": etcd and its operator need that long. */
const SETTLING = 2 * MINUTE;
const ETCD_REMOVAL = 2.5 * MINUTE;

/** What the bootstrap node does once its API answers, until the control plane stands by itself. */
export function watchBootstrap(world: World): void {
  const { cluster, machines } = world.saved;
  if (cluster === null) return;
  const now = world.clock.now();
  if (cluster.isInPlace) {
    watchInPlace(world, cluster, now);
    return;
  }
  const isBootstrapUp = Object.values(machines).some(({ stage }) => stage === 'serving');
  if (cluster.bootstrapCompleteAt === null) {
    if (!isBootstrapUp) return;
    approveAllInTurn(world, now);
    const serving = Object.values(machines).filter((machine) => machine.kind === 'master' && servesApi(machine, now));
    if (serving.length < cluster.controlPlaneReplicas) return;
    if (now < firstSeen(world, 'control plane serves') + SETTLING) return;
    completeBootstrap(world, cluster, now);
    return;
  }
  if (now >= cluster.bootstrapCompleteAt + ETCD_REMOVAL) removeBootstrapMember(world, now);
}

/** bootstrap-in-place-post-reboot.sh approves what the node asks for until it is Ready, then the bootstrap is over. */
function watchInPlace(world: World, cluster: ClusterState, now: number): void {
  const node = Object.values(world.saved.machines).find((machine) => machine.kind === 'master');
  if (node === undefined) return;
  if (cluster.bootstrapCompleteAt !== null) {
    if (now >= cluster.bootstrapCompleteAt + ETCD_REMOVAL) removeBootstrapMember(world, now);
    return;
  }
  if (!servesApi(node, now, true) || node.stage === 'in-place') return;
  approveAllInTurn(world, now);
  if (node.servingCertificate === null) return;
  if (now >= firstSeen(world, 'control plane serves') + SETTLING) completeBootstrap(world, cluster, now);
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
    // The operators before it say nothing.
    if (listAt(etcd, 'status', 'conditions').length > 0 || !isAtLeast(world.release, 4, 13)) return;
    const condition = {
      // Spelt otherwise before 4.16 (cluster-etcd-operator#1201).
      type: isAtLeast(world.release, 4, 16) ? 'EtcdBootstrapMemberRemoved' : 'EtcdBoostrapMemberRemoved',
      status: 'True',
      reason: 'BootstrapMemberRemoved',
      message: 'etcd bootstrap member is removed',
      lastTransitionTime: timestamp(now),
    };
    etcd.status = { ...(isRecord(etcd.status) ? etcd.status : {}), conditions: [condition] };
  });
}

function approveAllInTurn(world: World, now: number): void {
  const last = firstSeen(world, 'approve-csr');
  if (now < last + APPROVE_EVERY) return;
  world.saved.timers['approve-csr'] = now;
  for (const request of world.store.list(REQUESTS)) {
    if (!isPending(request)) continue;
    world.store.mutate(REQUESTS, null, request.metadata.name, (change) => {
      const condition = {
        type: 'Approved',
        status: 'True',
        reason: 'KubectlApprove',
        message: 'This CSR was approved by kubectl certificate approve.',
        lastUpdateTime: timestamp(now),
        lastTransitionTime: timestamp(now),
      };
      change.status = { ...(isRecord(change.status) ? change.status : {}), conditions: [condition] };
    });
  }
}

export function isPending(request: KubeObject): boolean {
  return !listAt(request, 'status', 'conditions').some((each) =>
    /^(?:Approved|Denied|Failed)$/.test(textAt(each, 'type')),
  );
}
