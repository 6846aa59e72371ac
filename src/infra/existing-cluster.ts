import { ARBITER_LABEL, INFRA_LABEL } from '../design/infra-placement.ts';
import type { AutoscalerSettings, Design, MachineSetSettings } from '../design/model.ts';
import { designSchema } from '../design/schema.ts';
import { isClusterError } from '../kube/errors.ts';
import { getNumber, getString, type KubeObject } from '../openshift/object.ts';
import type { ClusterReader } from './cluster-reader.ts';
import { MACHINE_NAMESPACE, type MachineSetView } from './moves/machine-set-view.ts';
import { createNodeStub, listMachineSets } from './moves/machine-sets.ts';

/** Facts about a running cluster that infra moves need. */
export interface ExistingCluster {
  readonly version: string;
  /** The platform type: `AWS`, `None`; empty if the cluster does not report it. */
  readonly platform: string;
  /** The first label of the cluster domain; `baseDomain` is the rest. */
  readonly name: string;
  readonly baseDomain: string;
  /**
   * Node names. `nodes`: all nodes. `arbiters`: arbiters, which run nothing but etcd. `labelledNodes`: nodes with the
   * infra label. `likelyInfraNodes`: nodes without it that have `infra` in their name.
   */
  readonly nodes: readonly string[];
  readonly arbiters: readonly string[];
  readonly labelledNodes: readonly string[];
  readonly likelyInfraNodes: readonly string[];
  /** Infra machines that MachineSets request; null if the cluster has no MachineSets. */
  readonly infraMachineCount: number | null;
  /**
   * The limits of all workers together; null unless every worker MachineSet has a MachineAutoscaler of its name, and a
   * ClusterAutoscaler exists.
   */
  readonly workerLimits: AutoscalerSettings | null;
  /** The machine size of the first worker MachineSet that can be cloned; empty if there is none, or it sets no size. */
  readonly workerMachineSize: string;
}

/** The chosen infra nodes: existing nodes by name, and machines from the cloud. */
export interface InfraChoice {
  readonly names: readonly string[];
  readonly machineSets: MachineSetSettings | null;
  readonly autoscaler: AutoscalerSettings | null;
  /** Routers of the default IngressController; null: its current number. */
  readonly routerReplicas: number | null;
}

/** Returns an empty list if the cluster lacks the machine API, which is optional. @throws any other error */
function returnEmptyIfAbsent(error: unknown): [] {
  if (isClusterError(error, 'absent')) return [];
  throw error;
}

/** Reads the facts of a cluster that has no design. @throws ClusterError */
export async function readExistingCluster(cluster: ClusterReader): Promise<ExistingCluster> {
  const [clusterVersion, infrastructure, nodes, sets] = [
    await cluster.get('ClusterVersion', 'version'),
    await cluster.get('Infrastructure', 'cluster'),
    await cluster.list('Node'),
    await listMachineSets(cluster).catch(returnEmptyIfAbsent),
  ];
  const status = infrastructure?.status;
  const [name = '', ...baseLabels] = (
    getString(status, 'etcdDiscoveryDomain') || parseClusterDomain(getString(status, 'apiServerURL'))
  ).split('.');
  const isLabelled = ({ metadata }: KubeObject) => metadata.labels?.[INFRA_LABEL] !== undefined;
  const listNames = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();
  const isLikelyInfra = (node: KubeObject) =>
    !isLabelled(node) && /(?:^|[^a-z])infra/.test(node.metadata.name.split('.')[0] ?? '');
  const infraSets = sets.filter(({ isInfra, unfitReason }) => isInfra && unfitReason !== 'deleted');
  return {
    version: getString(clusterVersion?.status, 'desired', 'version') ?? '',
    platform: getString(status, 'platformStatus', 'type') ?? getString(status, 'platform') ?? '',
    name,
    baseDomain: baseLabels.join('.'),
    nodes: listNames(nodes),
    arbiters: listNames(nodes.filter(({ metadata }) => metadata.labels?.[ARBITER_LABEL] !== undefined)),
    labelledNodes: listNames(nodes.filter(isLabelled)),
    likelyInfraNodes: listNames(nodes.filter(isLikelyInfra)),
    infraMachineCount: sets.length === 0 ? null : infraSets.reduce((sum, { replicas }) => sum + replicas, 0),
    workerLimits: await readWorkerLimits(cluster, sets),
    workerMachineSize: sets.find(({ unfitReason }) => unfitReason === null)?.size ?? '',
  };
}

async function readWorkerLimits(
  cluster: ClusterReader,
  sets: readonly MachineSetView[],
): Promise<AutoscalerSettings | null> {
  const workerSets = sets.filter(({ unfitReason, isInfra }) => unfitReason === null && !isInfra);
  const scalers =
    workerSets.length === 0 ? [] : await cluster.list('MachineAutoscaler', { namespace: MACHINE_NAMESPACE });
  const matchingScalers = workerSets.flatMap(
    ({ name }) => scalers.find(({ metadata }) => metadata.name === name) ?? [],
  );
  const isComplete =
    matchingScalers.length > 0 &&
    matchingScalers.length === workerSets.length &&
    (await cluster.get('ClusterAutoscaler', 'default'));
  const sum = (field: string) => matchingScalers.reduce((all, { spec }) => all + (getNumber(spec, field) ?? 0), 0);
  return isComplete ? { least: sum('minReplicas'), most: sum('maxReplicas') } : null;
}

/** `https://api.ocp.example.com:6443` gives `ocp.example.com`. */
function parseClusterDomain(url: string | null): string {
  return /^https:\/\/api\.([^:/]+)/.exec(url ?? '')?.[1] ?? '';
}

/**
 * Creates the design of a cluster that has none: infra moves with their usual settings, on these nodes. Whatever the
 * user did not choose stays as it is: load balancer, number of routers, registry storage and monitoring volumes. The
 * nodes keep the worker role, too: a machine that replaces one of them would have it again.
 */
export function createDesignForExistingCluster(
  cluster: ExistingCluster,
  { names, machineSets, autoscaler, routerReplicas }: InfraChoice,
): Design {
  // The schema requires hosts and addresses, so placeholders are parsed; they are removed below.
  const design = designSchema.parse({
    apiVersion: 'upi-wizard/v1',
    kind: 'ClusterDesign',
    openshift: { version: cluster.version },
    topology: 'standard',
    cluster: { name: cluster.name, baseDomain: cluster.baseDomain },
    networks: { machine: [{ cidr: '' }] },
    endpoints: { api: '', apiInt: '', ingress: '' },
    nodes: [{ name: '', role: 'infra', ip: '', mac: '' }],
    services: { bastion: { name: 'bastion', ip: '' }, dns: { kind: 'external' }, loadBalancer: { kind: 'external' } },
    infra: { registry: { storage: 'none' } },
  });
  return {
    ...design,
    networks: { ...design.networks, machine: [] },
    endpoints: { api: [], apiInt: [], ingress: [] },
    infra: { ...design.infra, machineSets, autoscaler, routerReplicas },
    nodes: names.map((name) => createNodeStub(name, 'infra')),
  };
}
