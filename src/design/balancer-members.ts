import { catalogue } from '../i18n/catalogue.ts';
import { canAddCompute, ROLES, STAGES, type Stage } from './choices.ts';
import { nodesWithRole } from './derived-facts.ts';
import type { Design, DesignNode } from './model.ts';

/** A role with more nodes than this is shown as their number. */
const MAX_NAMES = 5;

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
  // Compute nodes that join a compact cluster later run routers beside its control plane.
  const candidates = canAddCompute(design.topology) ? [...controlPlane, ...compute] : compute;
  const routerNodes = candidates.length > 0 ? candidates : controlPlane;
  const isOnlyInfra = stage === 'infra-only' && design.infra.removeWorkersFromLoadBalancer && infra.length > 0;
  const ingressNodes = stage === 'infra-added' || stage === 'infra-only' ? [...routerNodes, ...infra] : routerNodes;
  return { api: [...bootstrap, ...controlPlane], ingress: isOnlyInfra ? infra : ingressNodes };
}

/** The members of one stage as a drawing shows them. */
export interface BalancerStage {
  readonly title: string;
  /** One text for each role, such as `m1 m2 m3` or `92 compute`. */
  readonly api: readonly string[];
  readonly ingress: readonly string[];
}

/**
 * Lists the members by stage for a drawing; a stage with the members of the one before is left out. A design whose
 * endpoints are addresses of a node has no load balancer, and no stages.
 */
export function listBalancerStages(design: Design): BalancerStage[] {
  const { api, ingress } = design.endpoints;
  const isNode = (addresses: readonly string[]) =>
    design.nodes.some(({ ip }) => ip.some((address) => addresses.includes(address)));
  if (isNode(api) && isNode(ingress)) return [];
  const stages = STAGES.map((stage) => {
    const members = balancerMembers(design, stage);
    return {
      title: catalogue().design.diagram.stages[stage],
      api: summarizeMembers(members.api),
      ingress: summarizeMembers(members.ingress),
    };
  });
  return stages.filter((stage, index) => {
    const previousStage = stages[index - 1];
    return (
      previousStage === undefined || `${stage.api}|${stage.ingress}` !== `${previousStage.api}|${previousStage.ingress}`
    );
  });
}

function summarizeMembers(members: readonly DesignNode[]): string[] {
  return ROLES.flatMap((role) => {
    const names = members
      .filter((node) => node.role === role)
      .map(({ name }) => name || catalogue().pages.review.unknown);
    if (names.length === 0) return [];
    const text =
      names.length <= MAX_NAMES ? names.join(' ') : `${names.length} ${catalogue().pages.review.diagram.roles[role]}`;
    return [role === 'bootstrap' ? catalogue().design.diagram.backup(text) : text];
  });
}
