import {
  checkReplacement,
  deriveReplacementStep,
  REPLACEMENT_STEPS,
  type ReplacementEvidence,
} from '../../../checks/member-replacement.ts';
import { ETCD_ROLES } from '../../../design/choices.ts';
import { getNodeFqdn, listNodesWithRole } from '../../../design/derived-facts.ts';
import type { DesignNode } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import type { Cluster } from '../../../kube/api.ts';
import type { ClusterSnapshot } from '../../../kube/snapshot.ts';
import {
  computeEtcdQuorum,
  ETCD_CONTAINER,
  ETCD_NAMESPACE,
  type EtcdMember,
  findEtcdMember,
  isQuorumGuardOff,
  listEtcdMemberSecretNames,
  parseEtcdMemberList,
  QUORUM_GUARD_OVERRIDE,
} from '../../../openshift/etcd.ts';
import { sanitizeLine } from '../../../platform/sanitize.ts';
import { runWithAuditLog } from '../../../session/audit-log.ts';
import type { Plan, PlannedChange, StepContext } from '../../contract.ts';
import { openCluster, readSnapshot } from '../cluster-access.ts';
import type { BootView } from './boot-progress.ts';
import { startBootServerJob } from './boot-server-job.ts';
import { getReinstalledAt, isMemberDeleted, isReplaceableMember, markMemberDeleted } from './node-facts.ts';
import { findOpenNodePort } from './node-ports.ts';

const words = () => catalogue().steps.boot.replacement;

/** Lists the members of etcd that the user marked as lost, or whose machine was replaced in the design. */
function listMarkedMembers(context: StepContext): DesignNode[] {
  return listNodesWithRole(context.design, ...ETCD_ROLES).filter(
    ({ name }) => isReplaceableMember(context.design, name) && getReinstalledAt(context, name) !== null,
  );
}

/** A lost member of etcd that is being replaced. */
export interface MemberReplacement {
  readonly node: DesignNode;
  /** Null: the members could not be read. */
  readonly step: ReturnType<typeof deriveReplacementStep>;
  readonly evidence: ReplacementEvidence;
  readonly members: readonly EtcdMember[];
  /** The nodes of the cluster as they were read for it; null: there is no kubeconfig. */
  readonly snapshot: ClusterSnapshot | null;
}

/**
 * Finds the member whose replacement has steps in the cluster before its machine boots; null if there is none. A
 * marked node that is Ready needs none: its member was replaced.
 */
export async function findReplacement(context: StepContext): Promise<MemberReplacement | null> {
  // Most clusters have no marked member: nothing is read for them.
  const markedMembers = listMarkedMembers(context).filter(({ name }) => !isMemberDeleted(context, name));
  if (markedMembers.length === 0) return null;
  const snapshot = await readSnapshot(context, ['nodes']);
  const node = markedMembers.find((member) => getNodeState(context, member, snapshot) !== 'ready');
  if (node === undefined) return null;
  const otherMembers = listNodesWithRole(context.design, ...ETCD_ROLES).filter(({ name }) => name !== node.name);
  const readyMembers = otherMembers.filter((member) => getNodeState(context, member, snapshot) === 'ready');
  const cluster = await openCluster(context);
  const [{ members, problem }, etcd, openPort] = await Promise.all([
    readMembers(context, cluster, readyMembers),
    cluster?.get('Etcd', 'cluster').catch(() => null),
    findOpenNodePort(context, node),
  ]);
  const fqdn = getNodeFqdn(context.design, node);
  const evidence: ReplacementEvidence = {
    name: node.name,
    nodeState: getNodeState(context, node, snapshot),
    isMember: members && findEtcdMember(members, { fqdn, addresses: node.ip }) !== undefined,
    membersProblem: problem,
    otherMemberCount: otherMembers.length,
    readyOtherMemberCount: readyMembers.length,
    isQuorumGuardOff: isQuorumGuardOff(etcd),
    openPort,
  };
  return { node, evidence, step: deriveReplacementStep(evidence), members: members ?? [], snapshot };
}

function getNodeState(
  context: StepContext,
  node: DesignNode,
  snapshot: ClusterSnapshot | null,
): ReplacementEvidence['nodeState'] {
  if (snapshot?.nodes == null) return null;
  const object = snapshot.nodes.find(({ name }) => name === getNodeFqdn(context.design, node));
  if (object === undefined) return 'absent';
  return object.isReady ? 'ready' : 'not-ready';
}

/** Reads the etcd members in the etcd pod of one of these nodes; the first answer counts. */
async function readMembers(
  context: StepContext,
  cluster: Cluster | null,
  nodes: readonly DesignNode[],
): Promise<{ readonly members: readonly EtcdMember[] | null; readonly problem: string }> {
  let problem: string = words().noMember;
  if (cluster === null) return { members: null, problem };
  for (const node of nodes) {
    try {
      const { stdout, stderr, exitCode } = await runEtcdctl(
        cluster,
        getNodeFqdn(context.design, node),
        'member',
        'list',
      );
      const members = exitCode === 0 ? parseEtcdMemberList(stdout) : null;
      if (members !== null) return { members, problem: '' };
      problem = sanitizeLine((stderr || stdout).trim());
    } catch (error) {
      if (!(error instanceof UserErrorException)) throw error;
      problem = `${error.userError.title}: ${error.userError.cause}`;
    }
  }
  return { members: null, problem };
}

function runEtcdctl(cluster: Cluster, fqdn: string, ...argv: readonly string[]) {
  const container = { namespace: ETCD_NAMESPACE, pod: `etcd-${fqdn}`, container: ETCD_CONTAINER };
  return cluster.exec({ ...container, argv: ['etcdctl', ...argv] });
}

/** Describes the replacement for the screen: its steps, and the checks before the first change. */
export function buildReplacementView(replacement: MemberReplacement): NonNullable<BootView['replacement']> {
  const { node, step, evidence } = replacement;
  const nextIndex = step === null ? 0 : REPLACEMENT_STEPS.indexOf(step);
  return {
    node: node.name,
    steps: REPLACEMENT_STEPS.map((id, index) => ({
      id,
      state: index < nextIndex ? 'done' : index === nextIndex ? 'next' : 'later',
    })),
    checks: checkReplacement(evidence),
  };
}

/** Plans the next change in the cluster. */
export function planReplacement(context: StepContext, replacement: MemberReplacement): Plan {
  const { node, step, members } = replacement;
  const fqdn = getNodeFqdn(context.design, node);
  const createChange = (object: string, what: string, before: string | null = null, after: string | null = null) =>
    ({ object, what, before, after }) satisfies PlannedChange;
  const commonFields = { isDangerous: true, instructions: [], enter: words().enter };
  if (step === 'remove-member') {
    const member = findEtcdMember(members, { fqdn, addresses: node.ip });
    const remainingMembers = members.filter((candidate) => candidate !== member);
    const formatMembers = (list: readonly EtcdMember[]) => list.map(({ id, name }) => `${id} ${name}\n`).join('');
    const what = words().removeMember(remainingMembers.length, computeEtcdQuorum(remainingMembers.length));
    return {
      ...commonFields,
      question: words().questions['remove-member'](node.name),
      changes: [
        createChange(`etcd ${member?.id ?? ''}`, what, formatMembers(members), formatMembers(remainingMembers)),
      ],
    };
  }
  if (step === 'guard-off') {
    const overrideText = `unsupportedConfigOverrides:\n  ${QUORUM_GUARD_OVERRIDE}: true\n`;
    const question = words().questions['guard-off'];
    return { ...commonFields, question, changes: [createChange('Etcd/cluster', words().guardOff, '', overrideText)] };
  }
  return {
    ...commonFields,
    question: words().questions['delete-objects'](node.name),
    changes: [
      ...listEtcdMemberSecretNames(fqdn).map((name) =>
        createChange(`Secret/${name} -n ${ETCD_NAMESPACE}`, words().deleted),
      ),
      createChange(`Node/${fqdn}`, words().deleted),
    ],
  };
}

/**
 * Makes the next change in the cluster, after the checks have passed once more.
 * @throws UserErrorException of the first check that fails; `replace-failed` if etcd refuses; ClusterError
 */
export async function applyReplacement(
  context: StepContext,
  { node, step, evidence, members }: MemberReplacement,
  report: (line: string) => void,
): Promise<void> {
  const failedCheck = checkReplacement(evidence).find(({ state }) => state === 'failed');
  if (failedCheck) throw new UserErrorException(failedCheck);
  const cluster = await openCluster(context);
  if (cluster === null || step === null) return;
  // The journal and the report name each change: an etcd member that is removed cannot be brought back.
  await runWithAuditLog(context, { step: 'boot', action: step, subject: node.name }, async () => {
    if (step === 'remove-member') {
      await removeMember(context, cluster, node, members);
      report(words().memberRemoved(node.name));
    } else if (step === 'guard-off') {
      // Recorded first: whatever happens next, the wizard turns the guard on again.
      context.stepState.set('is-quorum-guard-off', true);
      await setQuorumGuardOverride(cluster, true);
      report(words().guardIsOff);
    } else await deleteObjects(context, cluster, node, report);
  });
}

async function deleteObjects(
  context: StepContext,
  cluster: Cluster,
  node: DesignNode,
  report: (line: string) => void,
): Promise<void> {
  const fqdn = getNodeFqdn(context.design, node);
  for (const name of listEtcdMemberSecretNames(fqdn)) await deleteIfPresent(cluster, 'Secret', name, ETCD_NAMESPACE);
  await deleteIfPresent(cluster, 'Node', fqdn);
  markMemberDeleted(context, node.name);
  await startBootServerJob(context, report);
  report(words().objectsDeleted(node.name));
}

async function removeMember(
  context: StepContext,
  cluster: Cluster,
  node: DesignNode,
  members: readonly EtcdMember[],
): Promise<void> {
  const fqdn = getNodeFqdn(context.design, node);
  const member = findEtcdMember(members, { fqdn, addresses: node.ip });
  const otherFqdn = listNodesWithRole(context.design, ...ETCD_ROLES)
    .map((designNode) => getNodeFqdn(context.design, designNode))
    .find((name) => name !== fqdn && members.some((candidate) => candidate.name === name && candidate.isStarted));
  if (member === undefined || otherFqdn === undefined) return;
  const { stdout, stderr, exitCode } = await runEtcdctl(cluster, otherFqdn, 'member', 'remove', member.id);
  if (exitCode === 0) return;
  const { title, remedy } = words().refused;
  throw new UserErrorException({
    code: 'replace-failed',
    title,
    cause: sanitizeLine((stderr || stdout).trim()),
    remedy,
  });
}

async function deleteIfPresent(cluster: Cluster, kind: 'Secret' | 'Node', name: string, namespace?: string) {
  if ((await cluster.get(kind, name, namespace)) !== null) await cluster.remove(kind, name, namespace);
}

async function setQuorumGuardOverride(cluster: Cluster, isOff: boolean): Promise<void> {
  const unsupportedConfigOverrides = isOff ? { [QUORUM_GUARD_OVERRIDE]: true } : null;
  await cluster.patch('Etcd', 'cluster', null, { spec: { unsupportedConfigOverrides } });
}

/** The state of the quorum guard; null: the wizard did not turn it off. */
export type GuardState = 'members-missing' | 'turn-on' | null;

/**
 * Determines whether the quorum guard, which the wizard turned off, can be turned on again: every control plane node is
 * Ready and a started member of etcd.
 */
export async function probeQuorumGuard(context: StepContext): Promise<GuardState> {
  if (context.stepState.get('is-quorum-guard-off') !== true) return null;
  const snapshot = await readSnapshot(context, ['nodes']);
  const nodes = listNodesWithRole(context.design, ...ETCD_ROLES);
  const readyNodes = nodes.filter((node) => getNodeState(context, node, snapshot) === 'ready');
  if (readyNodes.length < nodes.length) return 'members-missing';
  const { members } = await readMembers(context, await openCluster(context), readyNodes);
  const areAllStarted = nodes.every(
    (node) =>
      members !== null &&
      findEtcdMember(members, { fqdn: getNodeFqdn(context.design, node), addresses: node.ip })?.isStarted === true,
  );
  return areAllStarted ? 'turn-on' : 'members-missing';
}

/** Plans to turn the quorum guard on again. */
export function planQuorumGuard(): Plan {
  const before = `unsupportedConfigOverrides:\n  ${QUORUM_GUARD_OVERRIDE}: true\n`;
  const change = { object: 'Etcd/cluster', what: words().guardOn, before, after: '' };
  const { questions, enterGuardOn: enter } = words();
  return { question: questions['guard-on'], changes: [change], isDangerous: true, instructions: [], enter };
}

/**
 * Turns the quorum guard on again.
 * @throws ClusterError
 */
export async function turnQuorumGuardOn(context: StepContext, report: (line: string) => void): Promise<void> {
  const cluster = await openCluster(context);
  if (cluster === null) return;
  await runWithAuditLog(context, { step: 'operators', action: 'guard-on', subject: null }, () =>
    setQuorumGuardOverride(cluster, false),
  );
  context.stepState.set('is-quorum-guard-off', false);
  report(words().guardIsOn);
}
