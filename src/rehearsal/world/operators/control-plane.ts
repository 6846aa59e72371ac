import { MINUTE } from '../../../ports/clock.ts';
import { listAt, textAt } from '../../api/objects.ts';
import { schedulableNode } from '../workloads/scheduler.ts';
import type { World } from '../world.ts';

/** Operators whose pods are static: each control plane node runs one (library-go pkg/operator/staticpod/controller/node). */
const STATIC: ReadonlySet<string> = new Set(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);
/** Operators wait for so long before they call themselves degraded. */
const INERTIA = 2 * MINUTE;

/**
 * What such an operator says while its first pods come up, one node after the other (library-go
 * pkg/operator/staticpod/controller/installer, which writes "3 nodes" and "1 node"); null: it is none of these.
 */
export function firstRevision(
  { store }: World,
  { name }: { readonly name: string },
): { readonly reason: string; readonly message: string } | null {
  if (!STATIC.has(name)) return null;
  const count = controlPlane(store).length;
  const nodes = count === 1 ? '1 node is' : `${count} nodes are`;
  return {
    reason: 'NodeInstaller',
    message: `NodeInstallerProgressing: ${nodes} at revision 0; 0 nodes have achieved new revision 4`,
  };
}

function controlPlane(store: World['store']) {
  return store.list('nodes').filter(({ metadata }) => 'node-role.kubernetes.io/master' in (metadata.labels ?? {}));
}

/** What such an operator says while a control plane node is not ready; null: all are. */
export function controlPlaneTrouble(
  { store, clock }: World,
  { name }: { readonly name: string },
): { readonly reason: string; readonly message: string } | null {
  if (!STATIC.has(name)) return null;
  const nodes = controlPlane(store);
  const gone = nodes.flatMap((node) => {
    const ready = listAt(node, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready');
    const since = Date.parse(textAt(ready, 'lastTransitionTime'));
    if (schedulableNode(node).isReady || clock.now() < since + INERTIA) return [];
    const at = new Date(since).toISOString().replace('T', ' ').slice(0, 19);
    const why = `${textAt(ready, 'reason')} (${textAt(ready, 'message')})`;
    return [
      { name: node.metadata.name, said: `node "${node.metadata.name}" not ready since ${at} +0000 UTC because ${why}` },
    ];
  });
  if (gone.length === 0) return null;
  const notReady = `NodeControllerDegraded: The master nodes not ready: ${gone.map(({ said }) => said).join(', ')}`;
  if (name !== 'etcd') return { reason: 'NodeController_MasterNodesReady', message: notReady };
  const members = gone.map((node) => `${node.name} is unhealthy`).join(', ');
  return {
    reason: 'EtcdMembers_UnhealthyMembers::NodeController_MasterNodesReady',
    message: `EtcdMembersDegraded: ${nodes.length - gone.length} of ${nodes.length} members are available, ${members}\n${notReady}`,
  };
}
