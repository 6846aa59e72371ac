import { INFRA_LABEL, listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getNumber, getString, type KubeObject } from '../../openshift/object.ts';
import { isWorkloadRolledOut } from '../../openshift/operator.ts';
import type { ClusterReader, PendingReason } from '../cluster-reader.ts';
import { type EditTarget, isJsonObject } from '../edit.ts';
import type { Workload } from '../infra-move.ts';
import { listWorkloadNodes } from '../shared/rollout.ts';

const words = () => catalogue().moves.byName.router;

/** The controller that every cluster has. */
export const DEFAULT_CONTROLLER = 'default';
const NAMESPACE = 'openshift-ingress-operator';
const HOST_NETWORK = 'HostNetwork';
/**
 * Default ports of a router with the strategy HostNetwork (openshift/api, operator/v1/types_ingress.go,
 * HostNetworkStrategy).
 */
const DEFAULT_PORTS = { httpPort: 80, httpsPort: 443, statsPort: 1936 } as const;
/** The replicas of a controller that sets no number (cluster-ingress-operator, replicas.go). */
const DEFAULT_REPLICAS = 2;

/** References the IngressController of that name. */
export const toControllerRef = (name: string) =>
  ({ kind: 'IngressController', name, namespace: NAMESPACE }) as const satisfies EditTarget;

/** Returns the Deployment of a controller's routers. */
export const toRouterWorkload = (name: string) =>
  ({ kind: 'Deployment', namespace: 'openshift-ingress', name: `router-${name}` }) as const satisfies Workload;

/** Lists the controllers that the design moves, including sharded ones. */
export const listControllerNames = ({ infra }: Design) => [...new Set([DEFAULT_CONTROLLER, ...infra.routers])];

/** The IngressControllers of the cluster, grouped by what the move does with them. */
interface ControllerSelection {
  /** The default one first. */
  readonly movableNames: readonly string[];
  /** The design names them, but they serve only some routes or projects. */
  readonly shardedControllers: readonly string[];
  /** The design does not name them. */
  readonly unlistedControllers: readonly string[];
  /** The design names them, but they are not in the cluster. */
  readonly missingControllers: readonly string[];
  /**
   * Controllers whose routers need the same ports of a node, and the number of those routers; null: they have enough
   * nodes.
   */
  readonly portConflict: { readonly names: readonly string[]; readonly routerCount: number } | null;
}

/**
 * Groups the controllers of the cluster by the design. A sharded controller has clients and often a load balancer of
 * its own, so the wizard does not decide its placement.
 * @param replicas number of routers that the default controller gets; null: the number in its spec
 */
export async function selectControllers(
  cluster: ClusterReader,
  design: Design,
  replicas: number | null,
): Promise<ControllerSelection> {
  const controllers = await cluster.list('IngressController', { namespace: NAMESPACE });
  const plannedNames = listControllerNames(design);
  const existingControllers = plannedNames.flatMap(
    (name) => controllers.find(({ metadata }) => metadata.name === name) ?? [],
  );
  const movableControllers = existingControllers.filter(
    (controller) => controller.metadata.name === DEFAULT_CONTROLLER || !isSharded(controller),
  );
  const listNames = (list: readonly KubeObject[]) => list.map(({ metadata }) => metadata.name);
  return {
    movableNames: listNames(movableControllers),
    shardedControllers: listNames(existingControllers.filter((controller) => !movableControllers.includes(controller))),
    unlistedControllers: listNames(controllers.filter(({ metadata }) => !plannedNames.includes(metadata.name))),
    missingControllers: plannedNames.filter((name) => !listNames(existingControllers).includes(name)),
    portConflict: findPortConflict(movableControllers, replicas, listInfraNodeNames(design).length),
  };
}

function isSharded({ spec }: KubeObject): boolean {
  return ['routeSelector', 'namespaceSelector'].some((field) => {
    const selector = getField(spec, field);
    return isJsonObject(selector) && Object.keys(selector).length > 0;
  });
}

/**
 * Finds controllers whose routers need more nodes than there are. Host-network routers that share a port cannot share a
 * node, whether they are of one controller or of several.
 */
function findPortConflict(
  controllers: readonly KubeObject[],
  replicas: number | null,
  nodeCount: number,
): ControllerSelection['portConflict'] {
  const hostNetworkControllers = controllers.filter((controller) => getPublishingStrategy(controller) === HOST_NETWORK);
  for (const controller of hostNetworkControllers) {
    const conflictingControllers = hostNetworkControllers.filter((candidate) =>
      listHostPorts(candidate).some((port) => listHostPorts(controller).includes(port)),
    );
    const routerCount = conflictingControllers.reduce((sum, candidate) => sum + getReplicas(candidate, replicas), 0);
    if (routerCount > nodeCount)
      return { names: conflictingControllers.map(({ metadata }) => metadata.name), routerCount };
  }
  return null;
}

function getPublishingStrategy({ spec, status }: KubeObject): string | null {
  return (
    getString(status, 'endpointPublishingStrategy', 'type') ?? getString(spec, 'endpointPublishingStrategy', 'type')
  );
}

function listHostPorts({ spec, status }: KubeObject): number[] {
  return Object.entries(DEFAULT_PORTS).map(
    ([name, defaultPort]) =>
      getNumber(spec, 'endpointPublishingStrategy', 'hostNetwork', name) ??
      getNumber(status, 'endpointPublishingStrategy', 'hostNetwork', name) ??
      defaultPort,
  );
}

function getReplicas({ metadata, spec }: KubeObject, replicas: number | null): number {
  const designReplicas = metadata.name === DEFAULT_CONTROLLER ? replicas : null;
  return designReplicas ?? getNumber(spec, 'replicas') ?? DEFAULT_REPLICAS;
}

/** Reads the number of routers that the Deployment of the default controller requests (`spec.replicas`). */
export async function readDefaultRouterReplicas(cluster: ClusterReader): Promise<number> {
  const { kind, name, namespace } = toRouterWorkload(DEFAULT_CONTROLLER);
  return getNumber((await cluster.get(kind, name, namespace))?.spec, 'replicas') ?? DEFAULT_REPLICAS;
}

/** Lists the router Deployments that the move places on the infra nodes. */
export async function listMovableRouters(cluster: ClusterReader, design: Design): Promise<readonly Workload[]> {
  return (await selectControllers(cluster, design, 0)).movableNames.map(toRouterWorkload);
}

/**
 * Finds why undo must wait: the operator has not applied the undo of the placement or replaced each router. Null if
 * undo need not wait.
 */
export async function findLeavingRouters(cluster: ClusterReader, design: Design): Promise<PendingReason | null> {
  // Sharded controllers are ignored: their owner may have placed their routers on infra nodes.
  const { movableNames } = await selectControllers(cluster, design, 0);
  const deployments = await Promise.all(
    movableNames.map(toRouterWorkload).map(({ kind, name, namespace }) => cluster.get(kind, name, namespace)),
  );
  const haveAllLeft = deployments.every((deployment) => deployment === null || hasLeftInfra(deployment));
  return haveAllLeft ? null : { state: 'moving', why: words().waitingForRouters };
}

/**
 * Finds why the load balancers must still forward connections to the infra nodes: a router runs there. `moving`: the
 * routers are leaving. `blocked`: they were placed there, or may run there, because the infra nodes keep the role
 * worker and have no taint that repels routers.
 */
export async function findRoutersOnInfra(cluster: ClusterReader, design: Design): Promise<PendingReason | null> {
  const infraNames = listInfraNodeNames(design);
  const reasons: PendingReason[] = [];
  for (const name of listControllerNames(design)) {
    const { kind, name: workload, namespace } = toRouterWorkload(name);
    const deployment = await cluster.get(kind, workload, namespace);
    const nodes = (await listWorkloadNodes(cluster, toRouterWorkload(name))).filter((node) =>
      infraNames.includes(node),
    );
    if (deployment === null || nodes.length === 0) continue;
    const controller = await cluster.get('IngressController', name, NAMESPACE);
    const isPlacedOnInfra =
      getField(controller?.spec, 'nodePlacement', 'nodeSelector', 'matchLabels', INFRA_LABEL) !== undefined;
    reasons.push({
      state: isPlacedOnInfra || hasLeftInfra(deployment) ? 'blocked' : 'moving',
      why: words().routersRemain(nodes),
    });
  }
  return reasons.find(({ state }) => state === 'blocked') ?? reasons[0] ?? null;
}

function hasLeftInfra(routers: KubeObject): boolean {
  return (
    getField(routers.spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) === undefined &&
    isWorkloadRolledOut(routers)
  );
}
