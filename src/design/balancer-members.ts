import type { Stage } from './choices.ts';
import { nodesWithRole } from './derived-facts.ts';
import type { Design, DesignNode } from './model.ts';

/** Pool members of one stage. Checks of the site and steps compare with them, too. */
export interface BalancerMembers {
  /** Ports 6443 and 22623. */
  readonly api: readonly DesignNode[];
  /** Ports 443 and 80. */
  readonly ingress: readonly DesignNode[];
}

/**
 * Members by stage. Routers run on compute nodes until they are moved; where there are none, on the control plane
 * (openshift/cluster-ingress-operator pkg/operator/controller/ingress). Infra nodes join in `infra-added`, before the routers
 * move there; in `infra-only` they remain alone, if the design says so and there are any.
 */
export function balancerMembers(design: Design, stage: Stage): BalancerMembers {
  const controlPlane = nodesWithRole(design, 'control-plane');
  const bootstrap = stage === 'install' ? nodesWithRole(design, 'bootstrap') : [];
  const compute = nodesWithRole(design, 'compute', 'storage');
  const infra = nodesWithRole(design, 'infra');
  const routerNodes = compute.length > 0 ? compute : controlPlane;
  const isOnlyInfra = stage === 'infra-only' && design.infra.removeWorkersFromLoadBalancer && infra.length > 0;
  const withInfra = stage === 'infra-added' || stage === 'infra-only' ? [...routerNodes, ...infra] : routerNodes;
  return { api: [...bootstrap, ...controlPlane], ingress: isOnlyInfra ? infra : withInfra };
}
