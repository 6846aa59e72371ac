import { catalogue } from '../i18n/catalogue.ts';
import { canAddCompute, NODE_ROLES, STAGES, type Stage } from './choices.ts';
import { listNodesWithRole } from './derived-facts.ts';
import type { Design, DesignNode } from './model.ts';

/** For a role with more nodes than this, their number is shown instead of their names. */
const MAX_NAMES = 5;

/**
 * The members of the load balancer at one stage, for the generated files. Steps and checks of the site compare the load
 * balancer with them.
 */
export interface BalancerMembers {
  /** Ports 6443 and 22623. */
  readonly api: readonly DesignNode[];
  /** Ports 443 and 80. */
  readonly ingress: readonly DesignNode[];
}

/**
 * Returns the members at a stage. Routers run on compute nodes until they are moved; without such nodes, on the control
 * plane (openshift/cluster-ingress-operator pkg/operator/controller/ingress). Infra nodes join in `infra-added`, before
 * the routers move. In `infra-only` only they remain, if the design says so and has any.
 */
export function getBalancerMembers(design: Design, stage: Stage): BalancerMembers {
  const controlPlane = listNodesWithRole(design, 'control-plane');
  const bootstrap = stage === 'install' ? listNodesWithRole(design, 'bootstrap') : [];
  const compute = listNodesWithRole(design, 'compute', 'storage');
  const infra = listNodesWithRole(design, 'infra');
  // Compute nodes that join a compact cluster later run routers beside its control plane.
  const candidates = canAddCompute(design.topology) ? [...controlPlane, ...compute] : compute;
  const routerNodes = candidates.length > 0 ? candidates : controlPlane;
  const isOnlyInfra = stage === 'infra-only' && design.infra.removeWorkersFromLoadBalancer && infra.length > 0;
  const ingressNodes = stage === 'infra-added' || stage === 'infra-only' ? [...routerNodes, ...infra] : routerNodes;
  return { api: [...bootstrap, ...controlPlane], ingress: isOnlyInfra ? infra : ingressNodes };
}

/** The members at one stage, as texts for a drawing. */
interface BalancerStage {
  readonly title: string;
  /** One text for each role, such as `m1 m2 m3` or `92 compute`. */
  readonly api: readonly string[];
  readonly ingress: readonly string[];
}

/**
 * Lists the members by stage for a drawing, without stages whose members are those of the previous one. A design whose
 * endpoints are addresses of a node has no load balancer, and no stages.
 */
export function listBalancerStages(design: Design): BalancerStage[] {
  const { api, ingress } = design.endpoints;
  const hasNodeAddress = (addresses: readonly string[]) =>
    design.nodes.some(({ ip }) => ip.some((address) => addresses.includes(address)));
  if (hasNodeAddress(api) && hasNodeAddress(ingress)) return [];
  const stages = STAGES.map((stage) => {
    const members = getBalancerMembers(design, stage);
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
  return NODE_ROLES.flatMap((role) => {
    const names = members
      .filter((node) => node.role === role)
      .map(({ name }) => name || catalogue().pages.review.unknown);
    if (names.length === 0) return [];
    const text =
      names.length <= MAX_NAMES ? names.join(' ') : `${names.length} ${catalogue().pages.review.diagram.roles[role]}`;
    return [role === 'bootstrap' ? catalogue().design.diagram.backup(text) : text];
  });
}
