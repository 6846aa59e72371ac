import { INFRA_LABEL, infraNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at, type KubeObject, numberAt, textAt } from '../../objects/object.ts';
import { isRolledOut } from '../../objects/rollout.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Workload } from '../carried.ts';
import { type Edited, isFields } from '../edit.ts';
import type { Sight, Waiting } from '../move.ts';
import { nodesOf } from '../shared/rollout.ts';

const words = () => catalogue().moves.each.router;

/** The controller that every cluster has. */
export const DEFAULT = 'default';
const NAMESPACE = 'openshift-ingress-operator';
const HOST_NETWORK = 'HostNetwork';
/** What a router listens on in its host's network (openshift/api, operator/v1/types_ingress.go, HostNetworkStrategy). */
const PORTS = { httpPort: 80, httpsPort: 443, statsPort: 1936 } as const;
/** So many routers a controller has without a number of its own (cluster-ingress-operator, replicas.go). */
const USUAL_REPLICAS = 2;

/** The IngressController of that name, in which its routers are configured. */
export const controllerOf = (name: string) =>
  ({ kind: 'IngressController', name, namespace: NAMESPACE }) as const satisfies Edited;

/** The Deployment of a controller's routers. */
export const routersOf = (name: string) =>
  ({ kind: 'Deployment', namespace: 'openshift-ingress', name: `router-${name}` }) as const satisfies Workload;

/** The controllers that the design moves, sharded ones among them. */
export const namesIn = ({ infra }: Design) => [...new Set([DEFAULT, ...infra.routers])];

/** The controllers as the move takes them. */
export interface Controllers {
  /** The default one first. */
  readonly moved: readonly string[];
  /** Those that the design names, and that serve only some routes or projects. */
  readonly sharded: readonly string[];
  /** Those that the design does not name. */
  readonly others: readonly string[];
  /** Those that the design names, and that are not there. */
  readonly missing: readonly string[];
  /** Controllers whose routers want the same ports of a node, with how many routers those are. */
  readonly crowded: { readonly names: readonly string[]; readonly routers: number } | null;
}

/**
 * Sorts the controllers of the cluster by what the design says of them. A sharded one has clients and often a balancer of its
 * own, so where it runs is not ours to decide.
 * @param replicas how many routers the default controller gets; null: as many as it has
 */
export async function controllersOf(sight: Sight, design: Design, replicas: number | null): Promise<Controllers> {
  const found = await sight.list('IngressController', { namespace: NAMESPACE });
  const named = namesIn(design);
  const there = named.flatMap((name) => found.find(({ metadata }) => metadata.name === name) ?? []);
  const moved = there.filter((one) => one.metadata.name === DEFAULT || !isSharded(one));
  const namesOf = (list: readonly KubeObject[]) => list.map(({ metadata }) => metadata.name);
  return {
    moved: namesOf(moved),
    sharded: namesOf(there.filter((one) => !moved.includes(one))),
    others: namesOf(found.filter(({ metadata }) => !named.includes(metadata.name))),
    missing: named.filter((name) => !namesOf(there).includes(name)),
    crowded: crowdedOf(moved, replicas, infraNames(design).length),
  };
}

function isSharded({ spec }: KubeObject): boolean {
  return ['routeSelector', 'namespaceSelector'].some((field) => {
    const selector = at(spec, field);
    return isFields(selector) && Object.keys(selector).length > 0;
  });
}

/** Routers in their hosts' network that share a port cannot share a node: those of one controller, or of several. */
function crowdedOf(moved: readonly KubeObject[], replicas: number | null, nodes: number): Controllers['crowded'] {
  const onHosts = moved.filter((one) => strategyOf(one) === HOST_NETWORK);
  for (const one of onHosts) {
    const together = onHosts.filter((other) => portsOf(other).some((port) => portsOf(one).includes(port)));
    const routers = together.reduce((sum, each) => sum + replicasOf(each, replicas), 0);
    if (routers > nodes) return { names: together.map(({ metadata }) => metadata.name), routers };
  }
  return null;
}

function strategyOf({ spec, status }: KubeObject): string | null {
  return textAt(status, 'endpointPublishingStrategy', 'type') ?? textAt(spec, 'endpointPublishingStrategy', 'type');
}

function portsOf({ spec, status }: KubeObject): number[] {
  return Object.entries(PORTS).map(
    ([name, usual]) =>
      numberAt(spec, 'endpointPublishingStrategy', 'hostNetwork', name) ??
      numberAt(status, 'endpointPublishingStrategy', 'hostNetwork', name) ??
      usual,
  );
}

function replicasOf({ metadata, spec }: KubeObject, replicas: number | null): number {
  const own = metadata.name === DEFAULT ? replicas : null;
  return own ?? numberAt(spec, 'replicas') ?? USUAL_REPLICAS;
}

/** How many routers the default controller has. */
export async function routersIn(sight: Sight): Promise<number> {
  const { kind, name, namespace } = routersOf(DEFAULT);
  return numberAt((await sight.get(kind, name, namespace))?.spec, 'replicas') ?? USUAL_REPLICAS;
}

/** The routers that the move takes to the infra nodes. */
export async function movedRouters(sight: Sight, design: Design): Promise<readonly Workload[]> {
  return (await controllersOf(sight, design, 0)).moved.map(routersOf);
}

/** After the undo of the placement: waits until the operator has applied it and replaced each router. */
export async function routersLeaving(sight: Sight, design: Design): Promise<Waiting | null> {
  // Not the sharded ones: their owner may have placed them on infra nodes.
  const { moved } = await controllersOf(sight, design, 0);
  const found = await Promise.all(
    moved.map(routersOf).map(({ kind, name, namespace }) => sight.get(kind, name, namespace)),
  );
  const isAway = found.every((routers) => routers === null || hasLeft(routers));
  return isAway ? null : { state: 'moving', why: words().leaving };
}

/**
 * While a router runs on an infra node, the load balancers must forward connections to it. That ends by itself while the
 * routers are leaving; it does not where they were placed there, or may run there (infra nodes that keep the role worker,
 * and no taint that keeps routers off).
 */
export async function routersOnInfra(sight: Sight, design: Design): Promise<Waiting | null> {
  const infra = infraNames(design);
  const waiting: Waiting[] = [];
  for (const name of namesIn(design)) {
    const { kind, name: workload, namespace } = routersOf(name);
    const routers = await sight.get(kind, workload, namespace);
    const nodes = (await nodesOf(sight, routersOf(name))).filter((node) => infra.includes(node));
    if (routers === null || nodes.length === 0) continue;
    const controller = await sight.get('IngressController', name, NAMESPACE);
    const isSent = at(controller?.spec, 'nodePlacement', 'nodeSelector', 'matchLabels', INFRA_LABEL) !== undefined;
    waiting.push({ state: isSent || hasLeft(routers) ? 'blocked' : 'moving', why: words().stay(nodes) });
  }
  return waiting.find(({ state }) => state === 'blocked') ?? waiting[0] ?? null;
}

function hasLeft(routers: KubeObject): boolean {
  return at(routers.spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) === undefined && isRolledOut(routers);
}
