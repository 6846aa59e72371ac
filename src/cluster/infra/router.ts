import { INFRA_SELECTOR, infraNames, infraTolerations, routerReplicas } from '../../design/infra-placement.ts';
import { at } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Edit, exactly, type Patch } from './edit.ts';
import { makeMove } from './move.ts';
import { isStopped, labelledInfraNodes } from './nodes.ts';
import { unsettled } from './rollout.ts';

const words = () => catalogue().moves;

const NAMESPACE = 'openshift-ingress-operator';
const edit = (patch: Patch): Edit => ({
  kind: 'IngressController',
  name: 'default',
  namespace: NAMESPACE,
  patch,
});

/**
 * Replicas, selector and tolerations in one patch: one rollout. Routers use the ports of their host, so there may never be
 * more of them than nodes.
 */
export const router = makeMove({
  name: 'router',
  async plan(cluster, design) {
    const nodes = await labelledInfraNodes(cluster, design);
    if (isStopped(nodes)) return nodes;
    if (!(await cluster.get('IngressController', 'default', NAMESPACE))) {
      return { state: 'blocked', why: words().why.operatorMissing('IngressController default') };
    }
    const replicas = routerReplicas(design);
    const patch: Patch = (current) => {
      const selector = at(current.spec, 'nodePlacement', 'nodeSelector');
      const nodeSelector = exactly(selector, { matchLabels: exactly(at(selector, 'matchLabels'), INFRA_SELECTOR) });
      return { spec: { replicas, nodePlacement: { nodeSelector, tolerations: infraTolerations(design) } } };
    };
    return { state: 'edits', edits: [edit(patch)] };
  },
  async settled(cluster, design) {
    const names = infraNames(design);
    const replicas = routerReplicas(design);
    const workload = { kind: 'Deployment', namespace: 'openshift-ingress', name: 'router-default', replicas } as const;
    const open = await unsettled(cluster, [workload], names, 'ingress');
    return open ?? { state: 'done', why: words().why.router.done(replicas) };
  },
  // Without a number the operator takes its own (two, or one in a cluster of one node).
  undoEdits: () => Promise.resolve([edit(() => ({ spec: { nodePlacement: null, replicas: null } }))]),
});
