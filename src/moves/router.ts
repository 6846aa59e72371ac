import { INFRA_SELECTOR, infraNames, infraTolerations, routerReplicas } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { at } from '../objects/object.ts';
import { catalogue } from '../text/catalogue.ts';
import { type Edit, exactly } from './edit.ts';
import { label } from './label.ts';
import { lbAdd } from './lb-add.ts';
import type { ClusterMove } from './move.ts';
import { isStopped, labelledInfraNodes } from './nodes.ts';
import { unsettled } from './rollout.ts';
import { CONTROLLER, ROUTERS, routersLeaving } from './routers.ts';

const words = () => catalogue().moves.each.router;

const placementEdit = (design: Design): Edit => ({
  ...CONTROLLER,
  patch(current) {
    const selector = at(current.spec, 'nodePlacement', 'nodeSelector');
    const nodeSelector = exactly(selector, { matchLabels: exactly(at(selector, 'matchLabels'), INFRA_SELECTOR) });
    return {
      spec: {
        replicas: routerReplicas(design),
        nodePlacement: { nodeSelector, tolerations: infraTolerations(design) },
      },
    };
  },
});

/**
 * Replicas, selector and tolerations in one patch: one rollout. Routers use the ports of their host, so there must not be
 * more of them than nodes.
 */
export const router: ClusterMove<'router'> = {
  name: 'router',
  where: 'cluster',
  needs: [label, lbAdd],
  taintWaits: true,
  async plan(sight, design) {
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    if (!(await sight.get(CONTROLLER.kind, CONTROLLER.name, CONTROLLER.namespace))) {
      return { state: 'blocked', why: catalogue().moves.why.operatorMissing('IngressController default') };
    }
    return { state: 'edits', edits: [placementEdit(design)] };
  },
  async settled(sight, design) {
    const replicas = routerReplicas(design);
    const open = await unsettled(sight, [{ ...ROUTERS, replicas }], infraNames(design), 'ingress');
    return open ?? { state: 'done', why: words().done(replicas) };
  },
  undoWaits: null,
  // Without a number the operator uses its default (two, or one in a single-node cluster).
  undoEdits: async () => [{ ...CONTROLLER, patch: () => ({ spec: { nodePlacement: null, replicas: null } }) }],
  left: routersLeaving,
  manifest: (design) => [
    { comment: ' The routers: placement and number in one change, for one rollout.', edits: [placementEdit(design)] },
  ],
};
