import {
  createInfraTaints,
  INFRA_LABEL,
  INFRA_NODE_SELECTOR,
  listInfraNodeNames,
  WORKER_LABEL,
} from '../../design/infra-placement.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getApiVersion } from '../../openshift/kinds.ts';
import { type NodeView, parseNode } from '../../openshift/node.ts';
import { getField, getNumber, getString, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import type { ClusterReader, PendingReason } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, NotApplicable, RolloutStatus } from '../infra-move.ts';
import {
  buildInfraSet,
  chooseInfraSets,
  createHealthCheckEdit,
  type InfraSetChoice,
  type PlannedInfraSet,
} from './infra-set.ts';
import { MACHINE_NAMESPACE, MACHINE_SET_LABEL, type MachineSetView, parseMachineSet } from './machine-set-view.ts';

/** A machine of a set, with the state of its node. */
interface MachineView {
  readonly name: string;
  readonly setName: string;
  /** `Provisioning`, `Provisioned`, `Running`, `Deleting`, `Failed`; empty until its controller has processed it. */
  readonly phase: string;
  /** The reason of a failure; empty if there is none, or none is reported. */
  readonly error: string;
  /** The name of its node; null before it has one. */
  readonly node: string | null;
  readonly isNodeReady: boolean;
  /** The cloud is deleting it. */
  readonly isDeleting: boolean;
}

/** Lists the machines of these sets, with their nodes. */
async function listMachines(cluster: ClusterReader, setNames: readonly string[]): Promise<MachineView[]> {
  const allMachines = await cluster.list('Machine', { namespace: MACHINE_NAMESPACE });
  const setMachines = allMachines.filter(({ metadata }) =>
    setNames.includes(metadata.labels?.[MACHINE_SET_LABEL] ?? ''),
  );
  if (setMachines.length === 0) return [];
  const nodes = (await cluster.list('Node')).map(parseNode);
  return setMachines.map((machine) => parseMachine(machine, nodes));
}

function parseMachine({ metadata, status }: KubeObject, nodes: readonly NodeView[]): MachineView {
  const node = getString(status, 'nodeRef', 'name');
  return {
    name: metadata.name,
    setName: metadata.labels?.[MACHINE_SET_LABEL] ?? '',
    phase: getString(status, 'phase') ?? '',
    error: getString(status, 'errorMessage') ?? getString(status, 'errorReason') ?? '',
    node,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isNodeReady: nodes.some(({ name, isReady }) => name === node && isReady),
  };
}

const words = () => catalogue().moves.byName['machine-sets'];

const toMachineSetRef = (name: string) => ({ kind: 'MachineSet', name, namespace: MACHINE_NAMESPACE }) as const;

/**
 * Creates infra nodes where a cloud creates the machines: one infra MachineSet per zone, cloned from the worker set
 * there. Each set is created with zero machines and then scaled; its machine template sets label and taint.
 * ControlPlaneMachineSets are left alone.
 */
export const machineSetsMove: ClusterMove<'machine-sets'> = {
  name: 'machine-sets',
  where: 'cluster',
  rolloutTarget: null,
  needs: [],
  mustPrecedeTaint: false,
  async plan(cluster, design) {
    const resolution = await resolveInfraSets(cluster, design);
    if (!('choice' in resolution)) return resolution;
    const { plannedSets } = resolution.choice;
    const size = design.infra.machineSets?.size ?? null;
    const unsuitableSet = plannedSets.find(({ source }) => size !== null && !source.provider?.sizePattern.test(size));
    if (size !== null && unsuitableSet)
      return { state: 'blocked', why: words().badSize(size, unsuitableSet.source.size) };
    const expectedNodes = await planExpectedNodes(cluster, design, plannedSets);
    const healthEdits = design.infra.machineSets?.healthCheck
      ? [createHealthCheckEdit(resolution.infrastructureName)]
      : [];
    return {
      state: 'edits',
      edits: [...plannedSets.flatMap((plannedSet) => createMachineSetEdits(plannedSet, design, size)), ...healthEdits],
      expectedNodes,
    };
  },
  async probeRollout(cluster, design) {
    const resolution = await resolveInfraSets(cluster, design);
    if (!('choice' in resolution)) return { state: 'moving', why: resolution.why };
    const names = [...resolution.choice.plannedSets, ...resolution.choice.existingSets].map(({ name }) => name);
    return await probeMachines(cluster, names);
  },
  findUndoBlocker: findPodsSelectingInfra,
  // Without an undo record, it is unknown who created a set.
  planUndoEdits: async () => [],
  untilPodsGone: null,
  drainBeforeDelete: {
    edit: (record) => ({
      ...toMachineSetRef(record.name),
      patch: (current): JsonObject => (getNumber(current.spec, 'replicas') === 0 ? {} : { spec: { replicas: 0 } }),
    }),
    async untilDrained(cluster, names) {
      const machines = await listMachines(cluster, names);
      return machines.length === 0 ? null : { state: 'moving', why: words().deletion(machines.map(formatMachine)) };
    },
  },
  buildManifest: () => [],
};

/**
 * A new set starts with zero machines, so that a faulty one costs nothing. A set that was scaled up since stays as it
 * is.
 */
function createMachineSetEdits(
  { name, source, replicas }: PlannedInfraSet,
  design: Design,
  size: string | null,
): Edit[] {
  return [
    {
      ...toMachineSetRef(name),
      create: () => buildInfraSet(source, { name, design, size }),
      copyOf: source.object,
    },
    {
      ...toMachineSetRef(name),
      patch: ({ spec }): JsonObject => ((getNumber(spec, 'replicas') ?? 0) >= replicas ? {} : { spec: { replicas } }),
    },
  ];
}

async function resolveInfraSets(
  cluster: ClusterReader,
  design: Design,
): Promise<
  NotApplicable | { readonly choice: Extract<InfraSetChoice, { state: 'sets' }>; readonly infrastructureName: string }
> {
  const settings = design.infra.machineSets;
  if (settings === null) return { state: 'absent', why: words().unwanted };
  const infrastructure = await cluster.get('Infrastructure', 'cluster');
  const platform =
    getString(infrastructure?.status, 'platformStatus', 'type') ?? getString(infrastructure?.status, 'platform');
  if (infrastructure === null || platform === null || platform === 'None')
    return { state: 'absent', why: words().noCloud };
  const sets = await listMachineSets(cluster);
  if (sets.length === 0) return { state: 'absent', why: words().noSets(platform) };
  const name = getString(infrastructure.status, 'infrastructureName') ?? '';
  const choice = chooseInfraSets(sets, name, settings.count);
  if (choice.state === 'sets') return { choice, infrastructureName: name };
  const why = { clusterApi: words().clusterApi, notCloneable: words().notCloneable, taken: words().taken } as const;
  return { state: 'blocked', why: why[choice.state](choice.names) };
}

/** Lists the MachineSets of the cluster. */
export async function listMachineSets(cluster: ClusterReader): Promise<MachineSetView[]> {
  return (await cluster.list('MachineSet', { namespace: MACHINE_NAMESPACE })).map(parseMachineSet);
}

/**
 * Plans the nodes that the sets will add: joined nodes that are not Ready yet, shown as Ready, and one placeholder for
 * each missing node. The cloud assigns the real names.
 */
async function planExpectedNodes(
  cluster: ClusterReader,
  design: Design,
  sets: readonly PlannedInfraSet[],
): Promise<KubeObject[]> {
  const machines = await listMachines(
    cluster,
    sets.map(({ name }) => name),
  );
  const unreadyNames = machines.flatMap(({ node, isNodeReady, isDeleting }) =>
    isNodeReady || isDeleting ? [] : (node ?? []),
  );
  const clusterNodes = unreadyNames.length === 0 ? [] : await cluster.list('Node');
  const placeholders = sets.flatMap(({ name, replicas }) => {
    const nodeCount = machines.filter(({ setName, node }) => setName === name && node !== null).length;
    return Array.from({ length: Math.max(0, replicas - nodeCount) }, (_, index) =>
      createExpectedNode(words().expected(name, nodeCount + index + 1), design),
    );
  });
  return [
    ...clusterNodes.filter(({ metadata }) => unreadyNames.includes(metadata.name)).map(setReadyStatus),
    ...placeholders,
  ];
}

const READY = { type: 'Ready', status: 'True' } as const;

/** Returns the node as it is once its network is up; Kubernetes then removes the not-ready taint on its own. */
const setReadyStatus = (node: KubeObject): KubeObject => ({ ...node, status: { conditions: [READY] } });

/** Creates a node as its machine will register it: without a uid, since it does not exist yet. */
function createExpectedNode(name: string, design: Design): KubeObject {
  return {
    apiVersion: getApiVersion('Node'),
    kind: 'Node',
    metadata: { name, labels: { ...INFRA_NODE_SELECTOR, [WORKER_LABEL]: '' } },
    spec: { taints: createInfraTaints(design) },
    status: { conditions: [READY] },
  };
}

/** Probes the machines of these MachineSets. A failed machine stays failed: its set does not replace it. */
async function probeMachines(cluster: ClusterReader, names: readonly string[]): Promise<RolloutStatus> {
  const sets = (await listMachineSets(cluster)).filter(({ name }) => names.includes(name));
  const machines = await listMachines(cluster, names);
  const failedMachine = machines.find(
    ({ phase, error, isDeleting }) => !isDeleting && (phase === 'Failed' || error !== ''),
  );
  if (failedMachine) return { state: 'failed', why: words().machineFailed(failedMachine.name, failedMachine.error) };
  const desiredCount = sets.reduce((sum, { replicas }) => sum + replicas, 0);
  const readyMachines = machines.filter(({ isNodeReady }) => isNodeReady);
  const unreadyMachines = machines.filter(({ isNodeReady }) => !isNodeReady);
  if (readyMachines.length >= desiredCount && unreadyMachines.length === 0)
    return { state: 'done', why: words().done(readyMachines.length, names) };
  return {
    state: 'moving',
    why: words().progress(readyMachines.length, desiredCount, unreadyMachines.map(formatMachine)),
  };
}

const formatMachine = ({ name, phase, node }: MachineView) => words().machine(name, phase, node);

/**
 * Finds pods on the machines of infra sets that select infra nodes. Undo must wait for them: without these machines
 * they would have no node. Their moves are undone first.
 */
async function findPodsSelectingInfra(cluster: ClusterReader): Promise<PendingReason | null> {
  const setNames = (await listMachineSets(cluster)).filter(({ isInfra }) => isInfra).map(({ name }) => name);
  const nodes = (await listMachines(cluster, setNames)).flatMap(({ node }) => node ?? []);
  const pods = await Promise.all(nodes.map((node) => cluster.list('Pod', { fieldSelector: `spec.nodeName=${node}` })));
  const podNames = pods
    .flat()
    .filter((pod) => getField(pod.spec, 'nodeSelector', INFRA_LABEL) !== undefined && !hasEnded(pod))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return podNames.length === 0 ? null : { state: 'moving', why: words().podsSelectInfraNodes(podNames) };
}

const hasEnded = (pod: KubeObject) => /^(?:Succeeded|Failed)$/.test(getString(pod.status, 'phase') ?? '');

/**
 * Adds the infra nodes that the cloud created to the design. Machines come and go, so the label shows which nodes are
 * infra nodes. A design without machine sets is returned as it is, without a request.
 */
export async function addMachineNodes(design: Design, cluster: ClusterReader): Promise<Design> {
  if (design.infra.machineSets === null) return design;
  const designNames = listInfraNodeNames(design);
  const infraNodes = (await cluster.list('Node')).filter(
    ({ metadata }) => metadata.labels?.[INFRA_LABEL] !== undefined,
  );
  const cloudNames = infraNodes.map(({ metadata }) => metadata.name).filter((name) => !designNames.includes(name));
  return { ...design, nodes: [...design.nodes, ...cloudNames.sort().map((name) => createNodeStub(name, 'infra'))] };
}

/** Creates a node that is known by its name alone; nothing is generated from it. */
export function createNodeStub(name: string, role: DesignNode['role']): DesignNode {
  return {
    name,
    fqdn: name,
    role,
    ip: [],
    mac: '',
    vcpu: 0,
    memoryGiB: 0,
    diskGiB: 0,
    installDisk: '',
    interface: null,
    bond: null,
    vlan: null,
    firmware: 'uefi',
    secureBoot: false,
    kernelArguments: [],
  };
}
