import { ETCD_ROLES, WORKER_ROLES } from '../../../design/choices.ts';
import { getNodeFqdn, listNodesWithRole } from '../../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../../design/model.ts';
import type { NodeView } from '../../../openshift/node.ts';
import type { StepContext } from '../../contract.ts';
import { hasReachedStage } from '../hosts/current-stage.ts';
import { isStageDone } from '../installer/bootstrap-progress.ts';

/** Lists the machines of compute, infra and storage nodes, which join a running control plane. */
export function listWorkerMachines(design: Design): DesignNode[] {
  return listNodesWithRole(design, ...WORKER_ROLES);
}

/**
 * Lists the machines that join a running cluster: those of `listWorkerMachines`, and replacements of deleted etcd
 * members.
 */
export function listJoinCandidates(context: Pick<StepContext, 'design' | 'stepState'>): DesignNode[] {
  const deletedNames = context.stepState.get(DELETED_KEY) ?? [];
  const members = listNodesWithRole(context.design, ...ETCD_ROLES);
  return [...members.filter(({ name }) => deletedNames.includes(name)), ...listWorkerMachines(context.design)];
}

/**
 * Whether the cluster runs without its bootstrap: the installation is over, and nodes only join. A single node has no
 * bootstrap to remove: its installation is over once it was observed as complete.
 */
export function isInstallationOver(context: StepContext): boolean {
  if (hasReachedStage(context, 'bootstrap-removed')) return true;
  const isSingleNode = listNodesWithRole(context.design, 'bootstrap').length === 0;
  return isSingleNode && isStageDone(context, 'complete');
}

// Facts about individual nodes, by their short names.
const POWERED_ON_KEY = 'powered-on';
const READY_KEY = 'seen-ready';
const READY_TIMES_KEY = 'ready-at';
const REINSTALLED_KEY = 'installed-anew';
const DENIED_KEY = 'ignition-denied';
const DELETED_KEY = 'deleted-members';

/** By full names: nodes whose serving certificate was issued, and nodes that presented it at the planned address. */
const CERTIFICATE_FACTS = ['served', 'proven'] as const;

/** Reads when each machine was powered on (ms of the clock), as far as known. */
export function readPowerOnTimes(context: Pick<StepContext, 'stepState'>): Readonly<Record<string, number>> {
  return context.stepState.get(POWERED_ON_KEY) ?? {};
}

/** Returns when the first machine was powered on, as far as known: no CSR of a node is older. Null: unknown. */
export function getFirstPowerOn(context: Pick<StepContext, 'stepState' | 'clock'>): number | null {
  // A time in the future comes from a clock that was ahead and has been corrected since.
  const times = Object.values(readPowerOnTimes(context)).filter((time) => time <= context.clock.now());
  return times.length === 0 ? null : Math.min(...times);
}

/** Records that a machine (its short name) was powered on now: earlier activity does not belong to this boot. */
export function recordPowerOn(context: StepContext, name: string): void {
  context.stepState.set(POWERED_ON_KEY, { ...readPowerOnTimes(context), [name]: context.clock.now() });
}

/** Lists the machines that were not powered on yet, as far as known. */
export function listMachinesNotPoweredOn(context: StepContext, machines: readonly DesignNode[]): DesignNode[] {
  const powerOnTimes = readPowerOnTimes(context);
  return machines.filter(({ name }) => powerOnTimes[name] === undefined);
}

/**
 * Returns when a node was marked as reinstalled, by the user or because its machine changed in the design (ms of the
 * clock). Earlier activity of its machine does not count. Null: never.
 */
export function getReinstalledAt(context: StepContext, name: string): number | null {
  return context.stepState.get(REINSTALLED_KEY)?.[name] ?? null;
}

/**
 * Records that the rehearsal rebooted the machines that have not joined, except a bootstrap node that serves.
 * @param at ms of the clock
 */
export function recordReboot(context: Pick<StepContext, 'design' | 'stepState' | 'probeCache'>, at: number): void {
  const { reboots, nodePorts } = context.probeCache;
  const isServing = (name: string) => nodePorts.get(name)?.ports.some(({ port }) => port === 22623) === true;
  for (const { name } of context.design.nodes)
    if (readPowerOnTimes(context)[name] !== undefined && !wasEverReady(context, name) && !isServing(name))
      reboots.set(name, at);
}

/**
 * Records which nodes were observed as Ready: they no longer need an ignition file.
 * @returns whether any of them is new
 */
export function recordReadyNodes(context: StepContext, names: readonly string[]): boolean {
  const recordedNames = context.stepState.get(READY_KEY) ?? [];
  const newNames = names.filter((name) => !recordedNames.includes(name));
  if (newNames.length > 0) context.stepState.set(READY_KEY, [...recordedNames, ...newNames]);
  return newNames.length > 0;
}

/**
 * Records since when the nodes are Ready, for those that were not observed as Ready before.
 * @param nodes of the cluster, by their full names; the current time counts if the API does not report since when
 */
export function recordReadyTimes(
  context: StepContext,
  nodes: readonly Pick<NodeView, 'name' | 'isReady' | 'readySince'>[],
): void {
  const recordedTimes = context.stepState.get(READY_TIMES_KEY) ?? {};
  const newTimes = context.design.nodes.flatMap((node) => {
    const clusterNode = nodes.find(({ name }) => name === getNodeFqdn(context.design, node));
    if (!clusterNode?.isReady || recordedTimes[node.name] !== undefined) return [];
    return [[node.name, clusterNode.readySince ?? context.clock.now()] as const];
  });
  if (newTimes.length > 0)
    context.stepState.set(READY_TIMES_KEY, { ...recordedTimes, ...Object.fromEntries(newTimes) });
}

/**
 * Finds when the operators could begin to become available, ms of the clock: at the end of the bootstrap, or when the
 * first compute node was Ready, if that is later and the design has any. Null: not yet, or unknown.
 */
export function findOperatorsStart({ design, stepState }: Pick<StepContext, 'design' | 'stepState'>): number | null {
  const completeAt = stepState.get('bootstrap-progress')?.stages.complete?.doneAt ?? null;
  const workers = listWorkerMachines(design);
  if (completeAt === null || workers.length === 0) return completeAt;
  const readyTimes = workers.flatMap(({ name }) => stepState.get(READY_TIMES_KEY)?.[name] ?? []);
  return readyTimes.length === 0 ? null : Math.max(completeAt, Math.min(...readyTimes));
}

/** Whether a node (its full name) was observed as Ready for the first time before a time, in ms of the clock. */
export function wasReadyBefore({ design, stepState }: StepContext, fqdn: string, time: number): boolean {
  const node = design.nodes.find((designNode) => getNodeFqdn(design, designNode) === fqdn);
  return node !== undefined && (stepState.get(READY_TIMES_KEY)?.[node.name] ?? Number.POSITIVE_INFINITY) <= time;
}

/** Whether a node (its short name) was ever observed as Ready: it may be down now, but needs no ignition file. */
export function wasEverReady(context: Pick<StepContext, 'stepState'>, name: string): boolean {
  return context.stepState.get(READY_KEY)?.includes(name) ?? false;
}

/**
 * Lists the nodes that may fetch their ignition file: those that were never Ready, the bootstrap until it is complete
 * and, once the cluster runs, only those that join it later. Nodes to which the user denied the file are excluded.
 */
export function listIgnitionClients(context: StepContext): DesignNode[] {
  const isOver = isInstallationOver(context);
  const candidates = isOver ? listJoinCandidates(context) : context.design.nodes;
  const hasBootstrapped = isStageDone(context, 'complete');
  return candidates.filter(
    ({ name, role }) =>
      !wasEverReady(context, name) && !isIgnitionDenied(context, name) && !(role === 'bootstrap' && hasBootstrapped),
  );
}

/** Whether the user denied a node its ignition file. */
export function isIgnitionDenied({ stepState }: Pick<StepContext, 'stepState'>, name: string): boolean {
  return stepState.get(DENIED_KEY)?.includes(name) ?? false;
}

/** Denies nodes their ignition files, until access is granted again or they are reinstalled. */
export function denyIgnition({ stepState }: StepContext, names: readonly string[]): void {
  stepState.set(DENIED_KEY, [...new Set([...(stepState.get(DENIED_KEY) ?? []), ...names])]);
}

/** Grants nodes access to their ignition files again. */
export function allowIgnition({ stepState }: StepContext, names: readonly string[]): void {
  stepState.set(
    DENIED_KEY,
    (stepState.get(DENIED_KEY) ?? []).filter((name) => !names.includes(name)),
  );
}

/**
 * Deletes the facts of a node, because its machine is reinstalled (or is another one): it is powered on again, may
 * fetch its ignition file again, and joins again.
 */
export function markReinstalled(context: StepContext, name: string): void {
  deleteFacts(context, [name]);
  context.stepState.set(REINSTALLED_KEY, { ...context.stepState.get(REINSTALLED_KEY), [name]: context.clock.now() });
}

/** With fewer members, the loss of one costs the quorum, and etcd cannot be repaired this way. */
const MIN_MEMBERS = 3;

/**
 * Whether the wizard can replace a node of this design if it is lost: it is a member of etcd, and the design has at
 * least MIN_MEMBERS.
 */
export function isReplaceableMember(design: Design, name: string): boolean {
  const members = listNodesWithRole(design, ...ETCD_ROLES);
  return members.length >= MIN_MEMBERS && members.some((node) => node.name === name);
}

/** Whether a member of etcd and its Node object were deleted, so that its replacement can join. */
export function isMemberDeleted({ stepState }: Pick<StepContext, 'stepState'>, name: string): boolean {
  return stepState.get(DELETED_KEY)?.includes(name) ?? false;
}

/** Records that a member of etcd and its Node object were deleted: its replacement may fetch its ignition file. */
export function markMemberDeleted({ stepState }: StepContext, name: string): void {
  stepState.set(DELETED_KEY, [...new Set([...(stepState.get(DELETED_KEY) ?? []), name])]);
}

/** Reverts the mark that a machine is reinstalled: the node is the old one. */
export function unmarkReinstalled(context: StepContext, name: string): void {
  deleteFacts(context, [name]);
  recordReadyNodes(context, [name]);
}

const PLANNED_NODES_KEY = 'planned-nodes';

const formatPlannedNode = ({ mac, ip }: DesignNode) => `${mac} ${ip.join(' ')}`;

/** Whether the design has another MAC or IP address for this node than the files that were generated last. */
export function wasCorrected({ stepState }: Pick<StepContext, 'stepState'>, node: DesignNode): boolean {
  const generatedNode = stepState.get(PLANNED_NODES_KEY)?.[node.name];
  return generatedNode !== undefined && generatedNode !== formatPlannedNode(node);
}

/**
 * Compares the nodes of the design with those for which files were generated last. Deletes the facts of a name that is
 * gone, or that now has another MAC or IP address: facts of the old machine do not apply to the new one.
 */
export function recordPlannedNodes(context: StepContext): void {
  const previousNodes = context.stepState.get(PLANNED_NODES_KEY);
  const currentNodes = Object.fromEntries(context.design.nodes.map((node) => [node.name, formatPlannedNode(node)]));
  if (JSON.stringify(previousNodes) === JSON.stringify(currentNodes)) return;
  context.stepState.set(PLANNED_NODES_KEY, currentNodes);
  if (previousNodes === undefined) return;
  deleteFacts(
    context,
    Object.keys(previousNodes).filter((name) => previousNodes[name] !== currentNodes[name]),
  );
  if (!isInstallationOver(context)) return;
  for (const [name, machine] of Object.entries(currentNodes))
    if (previousNodes[name] !== machine) markReinstalled(context, name);
}

function deleteFacts(context: StepContext, names: readonly string[]): void {
  const { stepState, design } = context;
  const omitNodes = <T>(facts: Readonly<Record<string, T>> | undefined) =>
    Object.fromEntries(Object.entries(facts ?? {}).filter(([name]) => !names.includes(name)));
  const fqdns = names.map((name) => getNodeFqdn(design, { name }));
  stepState.set(POWERED_ON_KEY, omitNodes(readPowerOnTimes(context)));
  stepState.set(READY_TIMES_KEY, omitNodes(stepState.get(READY_TIMES_KEY)));
  stepState.set(REINSTALLED_KEY, omitNodes(stepState.get(REINSTALLED_KEY)));
  allowIgnition(context, names);
  for (const key of [READY_KEY, DELETED_KEY] as const)
    stepState.set(
      key,
      (stepState.get(key) ?? []).filter((name) => !names.includes(name)),
    );
  for (const fact of CERTIFICATE_FACTS)
    stepState.set(
      fact,
      (stepState.get(fact) ?? []).filter((name) => !fqdns.includes(name)),
    );
}
