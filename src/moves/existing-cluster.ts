import { completeDesign } from '../design/defaults.ts';
import { INFRA_LABEL } from '../design/infra-placement.ts';
import type { AutoscalerPlan, Design, MachineSetsPlan } from '../design/model.ts';
import { getNumber, getString, type KubeObject } from '../openshift/object.ts';
import type { ClusterReader } from './cluster-reader.ts';
import { listMachineSets } from './machine-sets/index.ts';
import { MACHINE_NAMESPACE, type MachineSetView } from './machine-sets/machine-set-view.ts';
import { createNodeStub } from './machine-sets/nodes.ts';

/** Facts about a running cluster that infra moves need. */
export interface ExistingCluster {
  readonly version: string;
  /** The platform type: `AWS`, `None`; empty if the cluster does not report it. */
  readonly platform: string;
  /** The cluster domain in two parts. */
  readonly name: string;
  readonly baseDomain: string;
  /** The names of all nodes; of those with the infra label; of those with `infra` in their name, without the label. */
  readonly nodes: readonly string[];
  readonly labelledNodes: readonly string[];
  readonly likelyInfraNodes: readonly string[];
  /** Infra machines that MachineSets ask for; null if the cluster has no MachineSets. */
  readonly infraMachines: number | null;
  /**
   * The limits of all workers; null unless every worker MachineSet has a MachineAutoscaler of its name, and a
   * ClusterAutoscaler exists.
   */
  readonly workers: AutoscalerPlan | null;
  /** The size of the workers' machines; empty if no MachineSet has one. */
  readonly size: string;
}

/** The chosen infra nodes: existing nodes by name, and machines from the cloud. */
export interface InfraChoice {
  readonly names: readonly string[];
  readonly machineSets: MachineSetsPlan | null;
  readonly autoscaler: AutoscalerPlan | null;
  /** Routers of the default IngressController; null: its current number. */
  readonly routerReplicas: number | null;
}

/** Reads the facts of a cluster that has no design. @throws ClusterError */
export async function readExistingCluster(cluster: ClusterReader): Promise<ExistingCluster> {
  const [version, infrastructure, nodes, sets] = [
    await cluster.get('ClusterVersion', 'version'),
    await cluster.get('Infrastructure', 'cluster'),
    await cluster.list('Node'),
    await listMachineSets(cluster),
  ];
  const status = infrastructure?.status;
  const [name = '', ...base] = (
    getString(status, 'etcdDiscoveryDomain') || parseClusterDomain(getString(status, 'apiServerURL'))
  ).split('.');
  const isLabelled = ({ metadata }: KubeObject) => metadata.labels?.[INFRA_LABEL] !== undefined;
  const listNames = (some: readonly KubeObject[]) => some.map(({ metadata }) => metadata.name).sort();
  const isLikely = (node: KubeObject) =>
    !isLabelled(node) && /(?:^|[^a-z])infra/.test(node.metadata.name.split('.')[0] ?? '');
  const infra = sets.filter(({ isInfra, unfitReason }) => isInfra && unfitReason !== 'deleted');
  return {
    version: getString(version?.status, 'desired', 'version') ?? '',
    platform: getString(status, 'platformStatus', 'type') ?? getString(status, 'platform') ?? '',
    name,
    baseDomain: base.join('.'),
    nodes: listNames(nodes),
    labelledNodes: listNames(nodes.filter(isLabelled)),
    likelyInfraNodes: listNames(nodes.filter(isLikely)),
    infraMachines: sets.length === 0 ? null : infra.reduce((sum, { replicas }) => sum + replicas, 0),
    workers: await readWorkerLimits(cluster, sets),
    size: sets.find(({ unfitReason }) => unfitReason === null)?.size ?? '',
  };
}

async function readWorkerLimits(
  cluster: ClusterReader,
  sets: readonly MachineSetView[],
): Promise<AutoscalerPlan | null> {
  const workers = sets.filter(({ unfitReason, isInfra }) => unfitReason === null && !isInfra);
  const scalers = workers.length === 0 ? [] : await cluster.list('MachineAutoscaler', { namespace: MACHINE_NAMESPACE });
  const matching = workers.flatMap(({ name }) => scalers.find(({ metadata }) => metadata.name === name) ?? []);
  const isComplete =
    matching.length > 0 && matching.length === workers.length && (await cluster.get('ClusterAutoscaler', 'default'));
  const sum = (field: string) => matching.reduce((all, { spec }) => all + (getNumber(spec, field) ?? 0), 0);
  return isComplete ? { least: sum('minReplicas'), most: sum('maxReplicas') } : null;
}

/** `https://api.ocp.example.com:6443` gives `ocp.example.com`. */
function parseClusterDomain(url: string | null): string {
  return /^https:\/\/api\.([^:/]+)/.exec(url ?? '')?.[1] ?? '';
}

/**
 * Creates the design of a cluster that has none: infra moves with their usual settings, on these nodes. Whatever the
 * user did not choose stays as it is: load balancer, number of routers, registry storage and monitoring volumes. The
 * role worker stays, too: a machine that the cloud replaces is a worker again.
 */
export function createDesignForExisting(
  found: ExistingCluster,
  { names, machineSets, autoscaler, routerReplicas }: InfraChoice,
): Design {
  const noBastion = { name: 'bastion', ip: [] };
  const design = completeDesign({
    apiVersion: 'upi-wizard/v1',
    kind: 'ClusterDesign',
    openshift: { version: found.version },
    topology: 'standard',
    cluster: { name: found.name, baseDomain: found.baseDomain },
    networks: { machine: [] },
    endpoints: { api: [], apiInt: [], ingress: [] },
    nodes: [],
    services: { bastion: noBastion, dns: { kind: 'external' }, loadBalancer: { kind: 'external' } },
    infra: { registry: { storage: 'none' }, keepWorkerRole: true, machineSets, autoscaler },
  });
  return {
    ...design,
    infra: { ...design.infra, routerReplicas },
    nodes: names.map((name) => createNodeStub(name, 'infra')),
  };
}
