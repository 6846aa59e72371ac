import { getRouterReplicas, INFRA_NODE_SELECTOR } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList } from '../../openshift/object.ts';
import { type Edit, replaceMapPatch } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { findIncompleteRollout } from '../shared/rollout.ts';
import { createTolerationMerger, createTolerationReplacer, type TolerationMerger } from '../shared/tolerations.ts';
import {
  DEFAULT_CONTROLLER,
  findLeavingRouters,
  listControllerNames,
  listMovableRouters,
  readDefaultRouterReplicas,
  selectControllers,
  toControllerRef,
  toRouterWorkload,
} from './ingress-controllers.ts';
import { labelMove } from './label.ts';
import { lbAddMove } from './load-balancer.ts';

const words = () => catalogue().moves.byName.router;

/**
 * Creates the edit of a controller's placement. The default controller also gets the replicas of the design, if the
 * design sets them; other controllers keep theirs.
 */
const createPlacementEdit = (name: string, design: Design, mergeTolerations: TolerationMerger): Edit => ({
  ...toControllerRef(name),
  patch(current) {
    const selector = getField(current.spec, 'nodePlacement', 'nodeSelector');
    const nodeSelector = replaceMapPatch(selector, {
      matchLabels: replaceMapPatch(getField(selector, 'matchLabels'), INFRA_NODE_SELECTOR),
    });
    const replicaCount = name === DEFAULT_CONTROLLER ? getRouterReplicas(design) : null;
    const replicas = replicaCount === null ? null : { replicas: replicaCount };
    const tolerations = mergeTolerations(getList(current.spec, 'nodePlacement', 'tolerations'));
    return { spec: { ...replicas, nodePlacement: { nodeSelector, tolerations } } };
  },
});

/**
 * Creates the patch to the operator's defaults. Without replicas the operator uses two, or one in a single-node
 * cluster.
 */
const createDefaultsPatch = (name: string, design: Design) => () => ({
  spec: {
    nodePlacement: null,
    ...(name === DEFAULT_CONTROLLER && getRouterReplicas(design) !== null ? { replicas: null } : null),
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
    const { movableNames, shardedControllers, unlistedControllers, missingControllers, portConflict } =
      await selectControllers(cluster, design, getRouterReplicas(design));
    const [firstMissingController] = missingControllers;
    if (firstMissingController === DEFAULT_CONTROLLER)
      return { state: 'blocked', why: catalogue().moves.reasons.operatorMissing('IngressController default') };
    if (firstMissingController !== undefined) return { state: 'blocked', why: words().missing(missingControllers) };
    if (portConflict !== null)
      return {
        state: 'blocked',
        why: words().portConflict(portConflict.names, portConflict.routerCount, nodes.length),
      };
    const mergeTolerations = await createTolerationMerger(cluster, design);
    return {
      state: 'edits',
      edits: movableNames.map((name) => createPlacementEdit(name, design, mergeTolerations)),
      notes: [
        ...(shardedControllers.length > 0 ? [words().sharded(shardedControllers)] : []),
        ...(unlistedControllers.length > 0 ? [words().unlisted(unlistedControllers)] : []),
      ],
    };
  },
  async probeRollout(cluster, design) {
    const replicas = getRouterReplicas(design);
    const { movableNames } = await selectControllers(cluster, design, replicas);
    const replicaOverride = replicas === null ? {} : { replicas };
    const workloads = movableNames.map((name) => ({
      ...toRouterWorkload(name),
      ...(name === DEFAULT_CONTROLLER ? replicaOverride : {}),
    }));
    const incompleteRollout = await findIncompleteRollout(cluster, workloads, design, 'ingress');
    return (
      incompleteRollout ?? {
        state: 'done',
        why: words().done(
          replicas ?? (await readDefaultRouterReplicas(cluster)),
          movableNames.filter((name) => name !== DEFAULT_CONTROLLER),
        ),
      }
    );
  },
  findUndoBlocker: null,
  planUndoEdits: async (cluster, design) =>
    (await selectControllers(cluster, design, 0)).movableNames.map((name) => ({
      ...toControllerRef(name),
      patch: createDefaultsPatch(name, design),
    })),
  untilPodsGone: findLeavingRouters,
  buildManifest: (design) => [
    {
      comment: ' Router pods: placement and replicas in one change, so that there is only one rollout.',
      edits: listControllerNames(design).map((name) =>
        createPlacementEdit(name, design, createTolerationReplacer(design)),
      ),
    },
  ],
};
