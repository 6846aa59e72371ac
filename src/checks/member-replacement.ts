import { catalogue } from '../i18n/catalogue.ts';
import { computeEtcdQuorum } from '../openshift/etcd.ts';
import { createCheckFactory, type Finding, runChecks } from './check.ts';

/**
 * The steps that replace a lost member of etcd, in the order of the documentation. In `join` the machine boots and
 * joins as every later node does.
 * Source: openshift-docs, modules/restore-replace-stopped-etcd-member.adoc
 */
export const REPLACEMENT_STEPS = ['remove-member', 'guard-off', 'delete-objects', 'join', 'guard-on'] as const;
export type ReplacementStep = (typeof REPLACEMENT_STEPS)[number];

/** Evidence about a member that is being replaced. */
export interface ReplacementEvidence {
  /** The node's short name. */
  readonly name: string;
  /** Its Node object; null if the API does not answer. */
  readonly nodeState: 'absent' | 'ready' | 'not-ready' | null;
  /** Whether the node is an etcd member; null if the members could not be read (reason in `membersProblem`). */
  readonly isMember: boolean | null;
  readonly membersProblem: string;
  /** Number of the other members, and of those whose nodes are Ready. */
  readonly otherMemberCount: number;
  readonly readyOtherMemberCount: number;
  readonly isQuorumGuardOff: boolean;
  /** A port of the machine that still answers, such as `172.16.0.44 port 22`; null: none. */
  readonly openPort: string | null;
}

/** Derives the next change in the cluster; null while the members are not known. */
export function deriveReplacementStep(
  evidence: Pick<ReplacementEvidence, 'isMember' | 'isQuorumGuardOff'>,
): Exclude<ReplacementStep, 'join' | 'guard-on'> | null {
  if (evidence.isMember === null) return null;
  if (evidence.isMember) return 'remove-member';
  return evidence.isQuorumGuardOff ? 'delete-objects' : 'guard-off';
}

const check = createCheckFactory<ReplacementEvidence>('join');

/** The members of etcd can be read in a pod of another member. */
const membersReadable = check('replace-members', 'fatal', ({ isMember, membersProblem }) => ({
  state: isMember === null ? 'failed' : 'ok',
  evidence: [membersProblem],
}));

/** The node is lost: a member that runs is not replaced. */
const nodeLost = check('replace-node', 'fatal', ({ name: subject, nodeState }) => {
  if (nodeState === null) return { state: 'unknown', subject };
  return { state: nodeState === 'ready' ? 'failed' : 'ok', subject };
});

/**
 * The machine is off. An etcd that still runs after its removal, and a kubelet that registers again, would disturb the
 * replacement.
 */
const machineOff = check('replace-machine', 'fatal', ({ name: subject, openPort }) => ({
  state: openPort === null ? 'ok' : 'failed',
  subject,
  evidence: [openPort ?? ''],
}));

/** The other members keep the quorum while one is replaced. */
const quorumSafe = check('replace-quorum', 'fatal', ({ otherMemberCount, readyOtherMemberCount }) => ({
  state: readyOtherMemberCount >= computeEtcdQuorum(otherMemberCount + 1) ? 'ok' : 'failed',
  evidence: [catalogue().diagnosis.replacement['replace-quorum'].evidence(readyOtherMemberCount, otherMemberCount)],
}));

/** While the node of an etcd member is not Ready, etcd tolerates one fewer failure. */
const memberLost = createCheckFactory<{ readonly lostMembers: readonly string[] }>('join')(
  'member-lost',
  'warning',
  ({ lostMembers }) => lostMembers.map((subject) => ({ state: 'failed' as const, subject })),
);

/** Reports the members of etcd whose nodes are not Ready, by their short names. */
export function reportLostMembers(lostMembers: readonly string[]): Finding[] {
  return runChecks([memberLost], { lostMembers }, catalogue().diagnosis.replacement);
}

/** Checks whether the lost member can be replaced without losing quorum. */
export function checkReplacement(evidence: ReplacementEvidence): Finding[] {
  const checks = [nodeLost, machineOff, quorumSafe, membersReadable];
  return runChecks(checks, evidence, catalogue().diagnosis.replacement);
}
