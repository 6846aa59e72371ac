import { hash } from 'node:crypto';
import { MINUTE } from '../../../platform/clock.ts';
import type { ContainerCommand, ContainerRunner } from '../../api/exec.ts';
import {
  assignFields,
  type ConditionReason,
  findCondition,
  formatTimestamp,
  getList,
  getString,
  isConditionTrue,
  type KubeObject,
} from '../../api/objects.ts';
import { StatusError } from '../../api/status.ts';
import type { ClusterState, EtcdMember, MachineState } from '../saved-world.ts';
import { setStatus, type World } from '../world.ts';
import { ensureNamespace, listNodesOfRoles, listStaticPodNodes } from './cluster-objects.ts';

const NAMESPACE = 'openshift-etcd';
/** Delay from a Ready node to its etcd member: certificates, and a revision with the static pod. */
const MEMBER_DELAY = 2 * MINUTE;
/** The certificates of a member, each in a secret (cluster-etcd-operator pkg/tlshelpers). */
const SECRET_PREFIXES = ['etcd-peer', 'etcd-serving', 'etcd-serving-metrics'];
const CONTAINER_NAMES = ['etcdctl', 'etcd', 'etcd-metrics', 'etcd-readyz', 'etcd-rev'];

/**
 * Simulates the etcd operator after the bootstrap. It creates certificates and a static pod for each control plane
 * node, and a member for each new node. It removes no member of a node that is gone, as on clusters without the machine
 * API.
 */
export function reconcileEtcd(world: World): void {
  const { store, saved } = world;
  const { cluster } = saved;
  if (cluster === null || cluster.bootstrapCompleteAt === null || world.cloud !== null) return;
  ensureNamespace(store, NAMESPACE);
  const nodes = listStaticPodNodes(store, 'etcd');
  for (const node of nodes) {
    for (const prefix of SECRET_PREFIXES)
      store.ensure('secrets', {
        metadata: { name: `${prefix}-${node.metadata.name}`, namespace: NAMESPACE },
        type: 'kubernetes.io/tls',
        data: {},
      });
    addMemberIfNew(world, node);
    reconcileEtcdPod(world, node);
  }
  const nodeNames = new Set(nodes.map(({ metadata }) => metadata.name));
  for (const pod of store.list('pods', NAMESPACE))
    if (!nodeNames.has(getString(pod, 'spec', 'nodeName'))) store.delete('pods', NAMESPACE, pod.metadata.name);
}

function addMemberIfNew(world: World, node: KubeObject): void {
  const { cluster } = world.saved;
  const { name } = node.metadata;
  const machine = findMachine(world, name);
  const members = cluster?.etcdMembers ?? [];
  if (!cluster || machine?.joinedAt == null || members.some((member) => member.name === name)) return;
  const readySince = Date.parse(getString(findCondition(node, 'Ready'), 'lastTransitionTime'));
  if (!isConditionTrue(node, 'Ready') || world.clock.now() < readySince + MEMBER_DELAY) return;
  const address = machine.lease?.address ?? '';
  const id = hash('sha256', `${world.seed} ${name} ${machine.joinedAt}`).slice(0, 16);
  cluster.etcdMembers = [...members, { id, name, address, joinedAt: machine.joinedAt }];
  world.log(`etcd: ${name} is a member`);
  world.requestSave();
}

function reconcileEtcdPod(world: World, node: KubeObject): void {
  const { store, clock } = world;
  const { name } = node.metadata;
  const pod = store.ensure('pods', {
    metadata: { name: `etcd-${name}`, namespace: NAMESPACE, labels: { app: 'etcd', etcd: 'true' } },
    spec: {
      nodeName: name,
      containers: CONTAINER_NAMES.map((containerName) => ({ name: containerName, image: 'etcd' })),
    },
    status: {},
  });
  const isReady = isMemberHealthy(world, name);
  const time = formatTimestamp(clock.now());
  const status = isReady ? 'True' : 'False';
  const previousCondition = findCondition(pod, 'Ready');
  const readyCondition =
    previousCondition?.status === status
      ? previousCondition
      : { type: 'Ready', status, lastProbeTime: null, lastTransitionTime: time };
  const startTime = getString(pod, 'status', 'startTime') || time;
  const containerStatuses = CONTAINER_NAMES.map((container) => ({
    ...{ name: container, ready: isReady, restartCount: 0, image: 'etcd', imageID: '' },
    state: { running: { startedAt: startTime } },
  }));
  setStatus(world, 'pods', pod, { phase: 'Running', startTime, conditions: [readyCondition], containerStatuses });
}

function findMachine({ saved }: World, hostname: string): MachineState | undefined {
  return Object.values(saved.machines).find((machine) => machine.hostname === hostname);
}

/** Whether etcd runs on a node, with the data from when the node became a member. */
function isMemberHealthy(world: World, name: string): boolean {
  const machine = findMachine(world, name);
  const member = world.saved.cluster?.etcdMembers?.find((etcdMember) => etcdMember.name === name);
  return machine?.stage === 'joined' && member !== undefined && machine.joinedAt === member.joinedAt;
}

/** Creates a function that runs the commands of etcd's containers. */
export function createEtcdCommandRunner(world: World): ContainerRunner {
  return (command) => {
    const node = getString(command.pod, 'spec', 'nodeName');
    const machine = findMachine(world, node);
    if (command.pod.metadata.namespace !== NAMESPACE)
      throw new StatusError(500, 'InternalError', 'the rehearsal runs commands in the containers of etcd only');
    if (machine?.stage !== 'joined') {
      const address = machine?.lease?.address ?? node;
      throw new StatusError(
        500,
        'InternalError',
        `error dialing backend: dial tcp ${address}:10250: connect: no route to host`,
      );
    }
    return runEtcdctl(world, command);
  };
}

function runEtcdctl(world: World, { argv }: ContainerCommand): ReturnType<ContainerRunner> {
  const [program, ...words] = argv;
  const [topic, action, ...rest] = words.filter((word) => !word.startsWith('-'));
  const fail = (message: string, exitCode = 1) => ({ stdout: '', stderr: `${message}\n`, exitCode });
  const printOutput = (stdout: string) => ({ stdout, stderr: '', exitCode: 0 });
  if (program !== 'etcdctl') return fail(`exec: "${program}": executable file not found in $PATH`, 127);
  const { cluster } = world.saved;
  const members = cluster?.etcdMembers ?? [];
  if (topic === 'member' && action === 'list') return printOutput(formatMembers(members, words));
  if (topic === 'endpoint' && action === 'health') {
    const lines = members.map(({ name, address }) =>
      isMemberHealthy(world, name)
        ? `https://${address}:2379 is healthy: successfully committed proposal: took = 9.1ms`
        : `https://${address}:2379 is unhealthy: failed to commit proposal: context deadline exceeded`,
    );
    return printOutput(`${lines.join('\n')}\n`);
  }
  if (topic !== 'member' || action !== 'remove' || cluster === null)
    return fail(`Error: unknown command "${words.join(' ')}" for "etcdctl"`);
  const [id = ''] = rest;
  if (!/^[0-9a-f]{1,16}$/.test(id))
    return fail(`Error: bad member ID arg (strconv.ParseUint: parsing "${id}": invalid syntax), expecting ID in Hex`);
  const remainingMembers = members.filter((member) => member.id !== id);
  if (remainingMembers.length === members.length) return fail('Error: etcdserver: member not found');
  const healthyCount = remainingMembers.filter(({ name }) => isMemberHealthy(world, name)).length;
  // Strict reconfiguration: a change that would cost the quorum is refused (etcd, server/etcdserver/server.go).
  if (healthyCount < Math.floor(remainingMembers.length / 2) + 1)
    return fail('Error: etcdserver: re-configuration failed due to not enough started members');
  cluster.etcdMembers = remainingMembers;
  world.requestSave();
  return printOutput(`Member ${id} removed from cluster ${hash('sha256', `${world.seed} etcd`).slice(0, 16)}\n`);
}

/** Formats the members as `etcdctl member list` does: one per line, or as a table. */
function formatMembers(members: readonly EtcdMember[], words: readonly string[]): string {
  const rows = members.map(({ id, name, address }) => [
    ...[id, 'started', name, `https://${address}:2380`, `https://${address}:2379`, 'false'],
  ]);
  const isTable = words.some((word, index) => /^(?:-w|--write-out)$/.test(word) && words[index + 1] === 'table');
  if (!isTable && !words.includes('--write-out=table')) return `${rows.map((row) => row.join(', ')).join('\n')}\n`;
  const header = ['ID', 'STATUS', 'NAME', 'PEER ADDRS', 'CLIENT ADDRS', 'IS LEARNER'];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const formatRow = (cells: readonly string[]) =>
    `|${cells.map((cell, column) => ` ${cell.padEnd(widths[column] ?? 0)} `).join('|')}|`;
  return `${[line, formatRow(header), line, ...rows.map(formatRow), line].join('\n')}\n`;
}

// Two nodes with fencing: jobs of the etcd operator hand etcd over to Pacemaker and give it the BMC credentials
// (openshift/cluster-etcd-operator pkg/tnf).

/** Duration of the job that hands etcd over to Pacemaker: the operator is not available during this job. */
const SETUP_TIME = 2 * MINUTE;
const FENCING_TIME = 1 * MINUTE;

/** Whether the control plane has two nodes and no arbiter: the topology DualReplica. */
function isDualReplica({
  controlPlaneReplicas,
  arbiterReplicas = 0,
}: Pick<ClusterState, 'controlPlaneReplicas' | 'arbiterReplicas'>): boolean {
  return controlPlaneReplicas === 2 && arbiterReplicas === 0;
}

/** Phase of the jobs, with the reason and message that the operator reports then. `done`: Pacemaker runs etcd. */
type FencingProgress =
  | (ConditionReason & { readonly phase: 'setup' | 'fencing' | 'failed' })
  | { readonly phase: 'done' };

/** Derives the progress of the jobs since the etcd member of the bootstrap node was removed; null: before that. */
export function deriveFencingProgress({ saved, clock, store }: World): FencingProgress | null {
  const removalCondition = findCondition(
    store.get('etcds.operator.openshift.io', null, 'cluster'),
    'EtcdBootstrapMemberRemoved',
  );
  if (saved.cluster === null || !isDualReplica(saved.cluster) || removalCondition === undefined) return null;
  const elapsedTime = clock.now() - Date.parse(getString(removalCondition, 'lastTransitionTime'));
  if (elapsedTime < SETUP_TIME) return { phase: 'setup', ...describeRunningJob('setup', 'Available', 'Progressing') };
  if (elapsedTime < SETUP_TIME + FENCING_TIME)
    return { phase: 'fencing', ...describeRunningJob('fencing', 'Progressing') };
  const hasAllSecrets = listNodesOfRoles(store, 'master').every(({ metadata }) => {
    const secret = store.get('secrets', 'openshift-etcd', `fencing-credentials-${metadata.name}`);
    return getString(secret, 'data', 'address') !== '';
  });
  return hasAllSecrets
    ? { phase: 'done' }
    : { phase: 'failed', reason: 'tnf-fencing-job_SyncError', message: 'tnf-fencing-jobDegraded: Job failed' };
}

function describeRunningJob(job: string, ...conditions: readonly string[]): ConditionReason {
  const lines = conditions.map((condition) => `tnf-${job}-job${condition}: Job is running`);
  return { reason: `tnf-${job}-job_JobRunning`, message: lines.join('\n') };
}

/** The conditions of the etcd operator after the handover (pkg/tnf/pkg/etcd/etcd.go). */
const HANDOVER_CONDITIONS = [
  {
    type: 'ExternalEtcdReadyForTransition',
    reason: 'PacemakerConfiguredForEtcdTransition',
    message: "pacemaker's resource agent is ready to takeover the etcd container",
  },
  {
    type: 'ExternalEtcdHasCompletedTransition',
    reason: 'PacemakerResourceAgentIsNowRunningEtcd',
    message: "pacemaker's resource agent is now running the etcd container",
  },
];

/** Records the handover in the etcd operator's object, once. */
export function recordHandover(world: World): void {
  const progress = deriveFencingProgress(world);
  if (progress === null || progress.phase === 'setup') return;
  world.store.mutate('etcds.operator.openshift.io', null, 'cluster', (etcd) => {
    const conditions = getList(etcd, 'status', 'conditions');
    if (conditions.length > 1) return;
    const lastTransitionTime = formatTimestamp(world.clock.now());
    const handoverConditions = HANDOVER_CONDITIONS.map((condition) => ({
      ...condition,
      status: 'True',
      lastTransitionTime,
    }));
    assignFields(etcd, 'status', { conditions: [...conditions, ...handoverConditions] });
  });
}
