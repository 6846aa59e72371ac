import { expect, test } from 'vitest';
import {
  computeEtcdQuorum,
  findEtcdMember,
  isQuorumGuardOff,
  listEtcdMemberSecretNames,
  parseEtcdMemberList,
} from '../../src/openshift/etcd.ts';

// Lines as etcdctl 3.5 prints them; the ids and names are those of openshift-docs,
// restore-replace-stopped-etcd-member.adoc.
const LIST = `6fc1e7c9db35841d, started, ip-10-0-131-183.ec2.internal, https://10.0.131.183:2380, https://10.0.131.183:2379, false
757b6793e2408b6c, started, ip-10-0-164-97.ec2.internal, https://10.0.164.97:2380, https://10.0.164.97:2379, false
ca8c2990a0aa29d1, unstarted, , https://[fd00::5]:2380, , true
`;

test('the members are read from the lines of etcdctl', () => {
  expect(parseEtcdMemberList(LIST)?.map(({ id, isStarted, name }) => [id, isStarted, name])).toEqual([
    ['6fc1e7c9db35841d', true, 'ip-10-0-131-183.ec2.internal'],
    ['757b6793e2408b6c', true, 'ip-10-0-164-97.ec2.internal'],
    ['ca8c2990a0aa29d1', false, ''],
  ]);
});

test.each([
  '',
  '\n',
  'Error: context deadline exceeded\n',
  `${LIST}{"level":"warn"}\n`,
  'x; rm -rf /, started, a, b\n',
])('text that is no list of members is none: %j', (text) => {
  expect(parseEtcdMemberList(text)).toBeNull();
});

test('a member is found by the name of its node, or by its address', () => {
  const members = parseEtcdMemberList(LIST) ?? [];
  const find = (fqdn: string, ...addresses: string[]) => findEtcdMember(members, { fqdn, addresses })?.id;
  expect(find('ip-10-0-164-97.ec2.internal')).toBe('757b6793e2408b6c');
  expect(find('m1.example.com', '10.0.131.183')).toBe('6fc1e7c9db35841d');
  expect(find('m1.example.com', 'fd00::5')).toBe('ca8c2990a0aa29d1');
  expect(find('m1.example.com', '10.0.131.18')).toBeUndefined();
});

test('the quorum is more than half of the members', () => {
  expect([1, 2, 3, 4, 5].map(computeEtcdQuorum)).toEqual([1, 2, 2, 3, 3]);
});

test('the quorum guard is off only with the override of the documentation', () => {
  const withOverride = (value: unknown) => ({
    spec: { unsupportedConfigOverrides: { useUnsupportedUnsafeNonHANonProductionUnstableEtcd: value } },
  });
  expect(isQuorumGuardOff(withOverride(true))).toBe(true);
  for (const etcd of [withOverride(false), withOverride('true'), { spec: { unsupportedConfigOverrides: null } }, null])
    expect(isQuorumGuardOff(etcd)).toBe(false);
});

test('a member has three secrets', () => {
  expect(listEtcdMemberSecretNames('m2.example.com')).toEqual([
    'etcd-peer-m2.example.com',
    'etcd-serving-m2.example.com',
    'etcd-serving-metrics-m2.example.com',
  ]);
});
