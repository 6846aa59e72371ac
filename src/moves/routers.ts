import { INFRA_LABEL, infraNames } from '../design/infra-placement.ts';
import type { Design } from '../design/model.ts';
import { at, type KubeObject } from '../objects/object.ts';
import { isRolledOut } from '../objects/rollout.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Sight, Waiting } from './move.ts';
import { nodesOf, type Workload } from './rollout.ts';

const words = () => catalogue().moves.each.router;

export const ROUTERS = {
  kind: 'Deployment',
  namespace: 'openshift-ingress',
  name: 'router-default',
} as const satisfies Workload;
/** The object in which we configure the routers. */
export const CONTROLLER = {
  kind: 'IngressController',
  name: 'default',
  namespace: 'openshift-ingress-operator',
} as const;

/** After the undo of the placement: waits until the operator has applied it and replaced each router. */
export async function routersLeaving(sight: Sight): Promise<Waiting | null> {
  const routers = await sight.get(ROUTERS.kind, ROUTERS.name, ROUTERS.namespace);
  return routers === null || hasLeft(routers) ? null : { state: 'moving', why: words().leaving };
}

/**
 * While a router runs on an infra node, the load balancers must forward connections to it. That ends by itself while the
 * routers are leaving; it does not where they were placed there, or may run there (infra nodes that keep the role worker,
 * and no taint that keeps routers off).
 */
export async function routersOnInfra(sight: Sight, design: Design): Promise<Waiting | null> {
  const routers = await sight.get(ROUTERS.kind, ROUTERS.name, ROUTERS.namespace);
  const infra = infraNames(design);
  const nodes = (await nodesOf(sight, ROUTERS)).filter((node) => infra.includes(node));
  if (routers === null || nodes.length === 0) return null;
  const controller = await sight.get(CONTROLLER.kind, CONTROLLER.name, CONTROLLER.namespace);
  const isSent = at(controller?.spec, 'nodePlacement', 'nodeSelector', 'matchLabels', INFRA_LABEL) !== undefined;
  return { state: isSent || hasLeft(routers) ? 'blocked' : 'moving', why: words().stay(nodes) };
}

function hasLeft(routers: KubeObject): boolean {
  return at(routers.spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) === undefined && isRolledOut(routers);
}
