import { INFRA_SELECTOR, routerReplicas } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList } from '../../openshift/object.ts';
import { type Edit, replaceMapPatch } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { findIncompleteRollout } from '../shared/rollout.ts';
import { createTolerationMerger, replaceForDesign, type TolerationMerger } from '../shared/tolerations.ts';
import { labelMove } from './label.ts';
import { lbAddMove } from './load-balancer.ts';
import {
  controllerRef,
  countDefaultRouters,
  DEFAULT_CONTROLLER,
  findLeavingRouters,
  listControllerNames,
  listMovableRouters,
  routerWorkload,
  selectControllers,
} from './routers.ts';

const words = () => catalogue().moves.byName.router;

/**
 * The default controller also gets the number of routers of the design, if that has one; another controller keeps its
 * own number.
 */
const placementEdit = (name: string, design: Design, mergeTolerations: TolerationMerger): Edit => ({
  ...controllerRef(name),
  patch(current) {
    const selector = getField(current.spec, 'nodePlacement', 'nodeSelector');
    const nodeSelector = replaceMapPatch(selector, {
      matchLabels: replaceMapPatch(getField(selector, 'matchLabels'), INFRA_SELECTOR),
    });
    const replicaCount = name === DEFAULT_CONTROLLER ? routerReplicas(design) : null;
    const replicas = replicaCount === null ? null : { replicas: replicaCount };
    const tolerations = mergeTolerations(getList(current.spec, 'nodePlacement', 'tolerations'));
    return { spec: { ...replicas, nodePlacement: { nodeSelector, tolerations } } };
  },
});

// Without a number the operator uses its default (two, or one in a single-node cluster).
const createDefaultsPatch = (name: string, design: Design) => () => ({
  spec: {
    nodePlacement: null,
    ...(name === DEFAULT_CONTROLLER && routerReplicas(design) !== null ? { replicas: null } : null),
  },
});

/**
 * Sets replicas, selector and tolerations in one patch, for one rollout. Routers use the ports of their host, so there
 * must not be more of them than nodes.
 */
export const routerMove: ClusterMove<'router'> = {
  name: 'router',
  where: 'cluster',
  rolloutTarget: { operator: 'ingress', workloads: listMovableRouters },
  needs: [labelMove, lbAddMove],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const { movable, shardedControllers, unlistedControllers, missingControllers, portConflict } =
      await selectControllers(cluster, design, routerReplicas(design));
    const [firstMissing] = missingControllers;
    if (firstMissing === DEFAULT_CONTROLLER)
      return { state: 'blocked', why: catalogue().moves.why.operatorMissing('IngressController default') };
    if (firstMissing !== undefined) return { state: 'blocked', why: words().missing(missingControllers) };
    if (portConflict !== null)
      return { state: 'blocked', why: words().portConflict(portConflict.names, portConflict.routers, nodes.length) };
    const mergeTolerations = await createTolerationMerger(cluster, design);
    return {
      state: 'edits',
      edits: movable.map((name) => placementEdit(name, design, mergeTolerations)),
      notes: [
        ...(shardedControllers.length > 0 ? [words().sharded(shardedControllers)] : []),
        ...(unlistedControllers.length > 0 ? [words().unlisted(unlistedControllers)] : []),
      ],
    };
  },
  async probeRollout(cluster, design) {
    const replicas = routerReplicas(design);
    const { movable } = await selectControllers(cluster, design, replicas);
    const replicaOverride = replicas === null ? {} : { replicas };
    const workloads = movable.map((name) => ({
      ...routerWorkload(name),
      ...(name === DEFAULT_CONTROLLER ? replicaOverride : {}),
    }));
    const incompleteRollout = await findIncompleteRollout(cluster, workloads, design, 'ingress');
    return (
      incompleteRollout ?? {
        state: 'done',
        why: words().done(
          replicas ?? (await countDefaultRouters(cluster)),
          movable.filter((name) => name !== DEFAULT_CONTROLLER),
        ),
      }
    );
  },
  findUndoBlocker: null,
  undoEdits: async (cluster, design) =>
    (await selectControllers(cluster, design, 0)).movable.map((name) => ({
      ...controllerRef(name),
      patch: createDefaultsPatch(name, design),
    })),
  untilPodsGone: findLeavingRouters,
  manifest: (design) => [
    {
      comment: ' The routers: placement and number in one change, for one rollout.',
      edits: listControllerNames(design).map((name) => placementEdit(name, design, replaceForDesign(design))),
    },
  ],
};
