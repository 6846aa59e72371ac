import { expect, test } from 'vitest';
import {
  checkReplacement,
  deriveReplacementStep,
  type ReplacementEvidence,
} from '../../src/checks/member-replacement.ts';

const LOST: ReplacementEvidence = {
  name: 'm2',
  nodeState: 'not-ready',
  isMember: true,
  membersProblem: '',
  otherMemberCount: 2,
  readyOtherMemberCount: 2,
  isQuorumGuardOff: false,
  openPort: null,
};

const listFailures = (evidence: ReplacementEvidence) =>
  checkReplacement(evidence)
    .filter(({ state }) => state === 'failed')
    .map(({ code, severity }) => `${severity} ${code}`);

test.each<[string, Partial<ReplacementEvidence>, string[]]>([
  ['a lost member beside two healthy ones', {}, []],
  ['a node whose object is gone', { nodeState: 'absent' }, []],
  ['a member that runs', { nodeState: 'ready' }, ['fatal replace-node']],
  ['a machine that still answers', { openPort: '172.16.0.22 port 22' }, ['fatal replace-machine']],
  ['a second lost member of three', { readyOtherMemberCount: 1 }, ['fatal replace-quorum']],
  ['a second lost member of five', { otherMemberCount: 4, readyOtherMemberCount: 3 }, []],
  ['a third lost member of five', { otherMemberCount: 4, readyOtherMemberCount: 2 }, ['fatal replace-quorum']],
  ['members that cannot be read', { isMember: null, membersProblem: 'timeout' }, ['fatal replace-members']],
])('%s', (_name, change, expected) => {
  const evidence = { ...LOST, ...change };
  expect(listFailures(evidence)).toEqual(expected);
  for (const { title, remedy } of checkReplacement(evidence)) {
    expect(title).not.toBe('');
    expect(remedy).not.toBe('');
  }
});

test('while the API does not answer, nothing is known about the node', () => {
  const [node] = checkReplacement({ ...LOST, nodeState: null });
  expect(node).toMatchObject({ code: 'replace-node', state: 'unknown' });
});

test('the member is removed first, then the guard is turned off, then the objects are deleted', () => {
  expect(deriveReplacementStep({ isMember: null, isQuorumGuardOff: false })).toBeNull();
  expect(deriveReplacementStep({ isMember: true, isQuorumGuardOff: false })).toBe('remove-member');
  // An administrator may have turned the guard off before.
  expect(deriveReplacementStep({ isMember: true, isQuorumGuardOff: true })).toBe('remove-member');
  expect(deriveReplacementStep({ isMember: false, isQuorumGuardOff: false })).toBe('guard-off');
  expect(deriveReplacementStep({ isMember: false, isQuorumGuardOff: true })).toBe('delete-objects');
});
