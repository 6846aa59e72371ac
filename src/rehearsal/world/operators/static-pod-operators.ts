import { MINUTE } from '../../../platform/clock.ts';
import { getList, getString } from '../../api/objects.ts';
import { toSchedulableNode } from '../workloads/scheduler.ts';
import type { World } from '../world.ts';

/** Operators whose pods are static: each control plane node runs one (library-go pkg/operator/staticpod/controller/node). */
const STATIC_POD_OPERATORS: ReadonlySet<string> = new Set([
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
]);
/** Delay before operators report that they are degraded. */
const DEGRADED_DELAY = 2 * MINUTE;

/**
 * Describes the rollout of an operator's first static pods, one node after the other (library-go
 * pkg/operator/staticpod/controller/installer, which writes "3 nodes" and "1 node").
 * @returns null for an operator without static pods
 */
export function describeFirstRevision(
  { store }: World,
  { name }: { readonly name: string },
): { readonly reason: string; readonly message: string } | null {
  if (!STATIC_POD_OPERATORS.has(name)) return null;
  const count = listControlPlaneNodes(store).length;
  const nodes = count === 1 ? '1 node is' : `${count} nodes are`;
  return {
    reason: 'NodeInstaller',
    message: `NodeInstallerProgressing: ${nodes} at revision 0; 0 nodes have achieved new revision 4`,
  };
}

function listControlPlaneNodes(store: World['store']) {
  return store.list('nodes').filter(({ metadata }) => 'node-role.kubernetes.io/master' in (metadata.labels ?? {}));
}

/**
 * Describes the control plane nodes that are not Ready, for an operator with static pods. Null: all are Ready, or it
 * has none.
 */
export function findControlPlaneProblem(
  { store, clock }: World,
  { name }: { readonly name: string },
): { readonly reason: string; readonly message: string } | null {
  if (!STATIC_POD_OPERATORS.has(name)) return null;
  const nodes = listControlPlaneNodes(store);
  const notReadyNodes = nodes.flatMap((node) => {
    const ready = getList(node, 'status', 'conditions').find((each) => getString(each, 'type') === 'Ready');
    const since = Date.parse(getString(ready, 'lastTransitionTime'));
    if (toSchedulableNode(node).isReady || clock.now() < since + DEGRADED_DELAY) return [];
    const time = new Date(since).toISOString().replace('T', ' ').slice(0, 19);
    const reason = `${getString(ready, 'reason')} (${getString(ready, 'message')})`;
    return [
      {
        name: node.metadata.name,
        description: `node "${node.metadata.name}" not ready since ${time} +0000 UTC because ${reason}`,
      },
    ];
  });
  if (notReadyNodes.length === 0) return null;
  const notReady = `NodeControllerDegraded: The master nodes not ready: ${notReadyNodes.map(({ description }) => description).join(', ')}`;
  if (name !== 'etcd') return { reason: 'NodeController_MasterNodesReady', message: notReady };
  const members = notReadyNodes.map((node) => `${node.name} is unhealthy`).join(', ');
  return {
    reason: 'EtcdMembers_UnhealthyMembers::NodeController_MasterNodesReady',
    message: `EtcdMembersDegraded: ${nodes.length - notReadyNodes.length} of ${nodes.length} members are available, ${members}\n${notReady}`,
  };
}
