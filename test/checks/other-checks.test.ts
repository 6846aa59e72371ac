import { expect, test } from 'vitest';
import { runChecks } from '../../src/checks/check.ts';
import { FILE_CHECKS } from '../../src/checks/files.ts';
import { OPEN_ISSUE_CHECKS } from '../../src/checks/open-issues.ts';
import { explainOperators } from '../../src/checks/operators.ts';
import { REMOVAL_CHECKS } from '../../src/checks/service-hosts.ts';
import { MOVE_STATUS_CHECKS } from '../../src/infra/status-checks.ts';
import { operator } from './rules/base-evidence.ts';

const listFindings = (findings: ReturnType<typeof runChecks>) =>
  findings.map(({ code, state, subject }) => [code, state, ...(subject === null ? [] : [subject])].join(' '));
const file = {
  ...{ file: 'ns1/etc/named.conf', localPath: '/d/files/ns1/etc/named.conf' },
  ...{ program: 'named-checkconf', output: 'line 7: syntax error' },
};
const balancer = { name: 'lb1', upMembers: [], downMembers: [] };
const pod = { namespace: 'openshift-ingress', name: 'router-default-1', cause: 'budget', taint: null } as const;

test('a generated file that its program refuses is reported, an accepted one is not', () => {
  expect(listFindings(runChecks(FILE_CHECKS, [{ ...file, state: 'accepted' }]))).toEqual([]);
  const [found] = runChecks(FILE_CHECKS, [{ ...file, state: 'refused' }]);
  expect(found).toMatchObject({ code: 'file-refused', subject: file.file, cause: file.output });
  expect(found?.remedy).toContain('`less -N /d/files/ns1/etc/named.conf`');
});

test('the bootstrap stays in the load balancer while it is needed, and is reported while it is in a pool', () => {
  const evidence = { bootstrap: 'bs', waitsFor: null, balancers: [{ ...balancer, state: 'no-bootstrap' as const }] };
  expect(listFindings(runChecks(REMOVAL_CHECKS, evidence))).toEqual([]);
  expect(listFindings(runChecks(REMOVAL_CHECKS, { ...evidence, waitsFor: 'etcd' }))).toEqual([
    'bootstrap-needed failed',
  ]);
  const [found] = runChecks(REMOVAL_CHECKS, { ...evidence, balancers: [{ ...balancer, state: 'has-bootstrap' }] });
  expect(found).toMatchObject({ code: 'bootstrap-in-pool', title: expect.stringContaining('lb1') });
  // This way is open on each site, whether or not the load balancers are set up over SSH from this page.
  expect(found).toMatchObject({
    remedy: expect.stringContaining('On the Hosts page, select lb1 and set it up with H'),
  });
});

test('nodes and operators that are not well are left open in the report', () => {
  const found = { nodes: ['w1'], operators: [{ name: 'dns', reason: 'NotReady', message: '' }] };
  expect(listFindings(runChecks(OPEN_ISSUE_CHECKS, { nodes: [], operators: [] }))).toEqual([]);
  expect(listFindings(runChecks(OPEN_ISSUE_CHECKS, found))).toEqual(['left-open failed', 'left-open failed']);
});

test('a pod of a move that waits is pending while the move is not done', () => {
  const evidence = { name: 'router', state: 'moving', why: '', pending: pod } as const;
  expect(listFindings(runChecks(MOVE_STATUS_CHECKS, { ...evidence, state: 'done' }))).toEqual([]);
  expect(listFindings(runChecks(MOVE_STATUS_CHECKS, evidence))).toEqual(['move-pod-waits pending router']);
});

test('an operator that takes longer than usual is slow, a degraded one is degraded', () => {
  const slow = operator('dns', 'other', '', { degraded: false });
  expect(listFindings(explainOperators([slow, operator('ingress', 'other')], false))).toEqual([
    'operator-slow failed dns',
    'operator-degraded failed ingress',
  ]);
});
