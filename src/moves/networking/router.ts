import { INFRA_SELECTOR, routerReplicas } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at, listAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Edit, exactly } from '../edit.ts';
import type { ClusterMove } from '../move.ts';
import { label } from '../nodes/label.ts';
import { isStopped, labelledInfraNodes } from '../shared/nodes.ts';
import { unsettled } from '../shared/rollout.ts';
import { type Tolerate, tolerateAs, tolerateOn } from '../shared/tolerations.ts';
import { lbAdd } from './lb-add.ts';
import {
  controllerOf,
  controllersOf,
  DEFAULT,
  movedRouters,
  namesIn,
  routersIn,
  routersLeaving,
  routersOf,
} from './routers.ts';

const words = () => catalogue().moves.each.router;

/** The default controller gets the number of the design, too, if that has one; the number of another one is its owner's. */
const placementEdit = (name: string, design: Design, tolerate: Tolerate): Edit => ({
  ...controllerOf(name),
  patch(current) {
    const selector = at(current.spec, 'nodePlacement', 'nodeSelector');
    const nodeSelector = exactly(selector, { matchLabels: exactly(at(selector, 'matchLabels'), INFRA_SELECTOR) });
    const wanted = name === DEFAULT ? routerReplicas(design) : null;
    const replicas = wanted === null ? null : { replicas: wanted };
    const tolerations = tolerate(listAt(current.spec, 'nodePlacement', 'tolerations'));
    return { spec: { ...replicas, nodePlacement: { nodeSelector, tolerations } } };
  },
});

// Without a number the operator uses its default (two, or one in a single-node cluster).
const defaultsOf = (name: string, design: Design) => () => ({
  spec: { nodePlacement: null, ...(name === DEFAULT && routerReplicas(design) !== null ? { replicas: null } : null) },
});

/**
 * Replicas, selector and tolerations in one patch: one rollout. Routers use the ports of their host, so there must not be
 * more of them than nodes.
 */
export const router: ClusterMove<'router'> = {
  name: 'router',
  where: 'cluster',
  carried: { operator: 'ingress', workloads: movedRouters },
  needs: [label, lbAdd],
  taintWaits: true,
  async plan(sight, design) {
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    const { moved, sharded, others, missing, crowded } = await controllersOf(sight, design, routerReplicas(design));
    const [first] = missing;
    if (first === DEFAULT)
      return { state: 'blocked', why: catalogue().moves.why.operatorMissing('IngressController default') };
    if (first !== undefined) return { state: 'blocked', why: words().missing(missing) };
    if (crowded !== null)
      return { state: 'blocked', why: words().crowded(crowded.names, crowded.routers, nodes.length) };
    const tolerate = await tolerateOn(sight, design);
    return {
      state: 'edits',
      edits: moved.map((name) => placementEdit(name, design, tolerate)),
      says: [
        ...(sharded.length > 0 ? [words().sharded(sharded)] : []),
        ...(others.length > 0 ? [words().others(others)] : []),
      ],
    };
  },
  async settled(sight, design) {
    const replicas = routerReplicas(design);
    const { moved } = await controllersOf(sight, design, replicas);
    const numbered = replicas === null ? {} : { replicas };
    const workloads = moved.map((name) => ({ ...routersOf(name), ...(name === DEFAULT ? numbered : {}) }));
    const open = await unsettled(sight, workloads, design, 'ingress');
    return (
      open ?? {
        state: 'done',
        why: words().done(
          replicas ?? (await routersIn(sight)),
          moved.filter((name) => name !== DEFAULT),
        ),
      }
    );
  },
  undoWaits: null,
  undoEdits: async (sight, design) =>
    (await controllersOf(sight, design, 0)).moved.map((name) => ({
      ...controllerOf(name),
      patch: defaultsOf(name, design),
    })),
  left: routersLeaving,
  manifest: (design) => [
    {
      comment: ' The routers: placement and number in one change, for one rollout.',
      edits: namesIn(design).map((name) => placementEdit(name, design, tolerateAs(design))),
    },
  ],
};
