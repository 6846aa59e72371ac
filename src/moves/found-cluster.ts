import { completeDesign } from '../design/defaults.ts';
import { INFRA_LABEL } from '../design/infra-placement.ts';
import type { AutoscalerPlan, Design, MachineSetsPlan } from '../design/model.ts';
import { type KubeObject, numberAt, textAt } from '../objects/object.ts';
import { setsOf } from './machine-sets/index.ts';
import { foundNode } from './machine-sets/nodes.ts';
import { MACHINE_NAMESPACE, type WorkerSet } from './machine-sets/worker-set.ts';
import type { Sight } from './move.ts';

/** What a running cluster says of itself, as far as infra moves need it. */
export interface FoundCluster {
  readonly version: string;
  /** Of the platform: `AWS`, `None`; empty where it is not told. */
  readonly platform: string;
  /** The domain that all names of the cluster live in, in two parts. */
  readonly name: string;
  readonly baseDomain: string;
  /** The names of all nodes; of those with the label of infra nodes; of those with `infra` in their name, without the label. */
  readonly nodes: readonly string[];
  readonly labelled: readonly string[];
  readonly likely: readonly string[];
  /** Infra machines that MachineSets ask for; null where no MachineSet is there to begin with. */
  readonly machines: number | null;
  /** The limits of workers, where every worker set has an autoscaler of its name; null where one has none. */
  readonly workers: AutoscalerPlan | null;
  /** The size of the workers' machines; empty where no set says it. */
  readonly size: string;
}

/** Who shall be infra nodes: nodes by their names, and machines of the cloud. */
export interface InfraChoice {
  readonly names: readonly string[];
  readonly machineSets: MachineSetsPlan | null;
  readonly autoscaler: AutoscalerPlan | null;
  /** How many routers the default IngressController gets; null: as many as its owner has set. */
  readonly routerReplicas: number | null;
}

/** Looks at a cluster of which there is no design. @throws ClusterError */
export async function findCluster(sight: Sight): Promise<FoundCluster> {
  const [version, infrastructure, nodes, sets] = [
    await sight.get('ClusterVersion', 'version'),
    await sight.get('Infrastructure', 'cluster'),
    await sight.list('Node'),
    await setsOf(sight),
  ];
  const status = infrastructure?.status;
  const [name = '', ...base] = (textAt(status, 'etcdDiscoveryDomain') || hostOf(textAt(status, 'apiServerURL'))).split(
    '.',
  );
  const isLabelled = ({ metadata }: KubeObject) => metadata.labels?.[INFRA_LABEL] !== undefined;
  const namesOf = (some: readonly KubeObject[]) => some.map(({ metadata }) => metadata.name).sort();
  const isLikely = (node: KubeObject) =>
    !isLabelled(node) && /(?:^|[^a-z])infra/.test(node.metadata.name.split('.')[0] ?? '');
  const infra = sets.filter(({ isInfra, unfit }) => isInfra && unfit !== 'deleted');
  return {
    version: textAt(version?.status, 'desired', 'version') ?? '',
    platform: textAt(status, 'platformStatus', 'type') ?? textAt(status, 'platform') ?? '',
    name,
    baseDomain: base.join('.'),
    nodes: namesOf(nodes),
    labelled: namesOf(nodes.filter(isLabelled)),
    likely: namesOf(nodes.filter(isLikely)),
    machines: sets.length === 0 ? null : infra.reduce((sum, { replicas }) => sum + replicas, 0),
    workers: await scaledWorkers(sight, sets),
    size: sets.find(({ unfit }) => unfit === null)?.size ?? '',
  };
}

async function scaledWorkers(sight: Sight, sets: readonly WorkerSet[]): Promise<AutoscalerPlan | null> {
  const workers = sets.filter(({ unfit, isInfra }) => unfit === null && !isInfra);
  const scalers = workers.length === 0 ? [] : await sight.list('MachineAutoscaler', { namespace: MACHINE_NAMESPACE });
  const own = workers.flatMap(({ name }) => scalers.find(({ metadata }) => metadata.name === name) ?? []);
  const isWhole = own.length > 0 && own.length === workers.length && (await sight.get('ClusterAutoscaler', 'default'));
  const sum = (field: string) => own.reduce((all, { spec }) => all + (numberAt(spec, field) ?? 0), 0);
  return isWhole ? { least: sum('minReplicas'), most: sum('maxReplicas') } : null;
}

/** `https://api.ocp.example.com:6443` is of `ocp.example.com`. */
function hostOf(url: string | null): string {
  return /^https:\/\/api\.([^:/]+)/.exec(url ?? '')?.[1] ?? '';
}

/**
 * The design of a cluster of which there is none: infra moves with their usual settings, on these nodes. What the cluster has
 * and nobody decided here stays: its load balancer, its number of routers, the storage of its registry, volumes of monitoring, the role worker (a
 * machine that a cloud makes anew is a worker again).
 */
export function designOfFound(
  found: FoundCluster,
  { names, machineSets, autoscaler, routerReplicas }: InfraChoice,
): Design {
  const nowhere = { name: 'bastion', ip: [] };
  const design = completeDesign({
    apiVersion: 'upi-wizard/v1',
    kind: 'ClusterDesign',
    openshift: { version: found.version },
    topology: 'standard',
    cluster: { name: found.name, baseDomain: found.baseDomain },
    networks: { machine: [] },
    endpoints: { api: [], apiInt: [], ingress: [] },
    nodes: [],
    services: { bastion: nowhere, dns: { kind: 'external' }, loadBalancer: { kind: 'external' } },
    infra: { registry: { storage: 'none' }, keepWorkerRole: true, machineSets, autoscaler },
  });
  return {
    ...design,
    infra: { ...design.infra, routerReplicas },
    nodes: names.map((name) => foundNode(name, 'infra')),
  };
}
