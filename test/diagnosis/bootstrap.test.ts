import { expect, test } from 'vitest';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import type { BootstrapEvidence, PortEvidence } from '../../src/diagnosis/bootstrap/evidence.ts';
import { judgeStuck } from '../../src/diagnosis/bootstrap/index.ts';
import { judgeLines } from '../../src/diagnosis/bootstrap/lines.ts';
import { doneStages, evidenceLine, signatureOf, stagesOf, stuckAfter } from '../../src/diagnosis/bootstrap/stages.ts';
import { judgeGaveUp } from '../../src/diagnosis/installer/gave-up.ts';
import { createLogBook } from '../../src/installer/log-book.ts';
import { MINUTE } from '../../src/ports/clock.ts';
import { exampleSite } from '../support/example-design.ts';

const design = exampleSite();
const BOOTSTRAP_STAGES = stagesOf(design, false);
type State = PortEvidence['state'];

/** What is seen: the ports of the bootstrap, of the balancer and of the control plane, and what the API says. */
function evidence(seen: {
  readonly bootstrap?: State;
  readonly balancer?: State;
  readonly masters?: State;
  readonly api?: boolean;
  readonly joined?: number;
  readonly ready?: number;
  readonly status?: 'absent' | 'progress' | 'complete';
  readonly removed?: boolean | null;
}): BootstrapEvidence {
  const { bootstrap = 'refused', balancer = 'closed-at-once', masters = 'refused', api = false } = seen;
  const { joined = 0, ready = 0, status = null, removed = null } = seen;
  const of = (host: string, kind: PortEvidence['kind'], state: State, ports: (6443 | 22623)[]) =>
    ports.map((port): PortEvidence => ({ host, kind, address: `${host}-address`, port, state }));
  const snapshot = {
    api: { state: api ? 'up' : 'away', gitVersion: 'v1.31.6', line: api ? null : 'refused' },
    bootstrapStatus: api ? status : null,
    etcdBootstrapMemberRemoved: removed,
    troubles: {},
  } as Snapshot;
  return {
    ports: [
      ...of('bs', 'bootstrap', bootstrap, [6443, 22623]),
      ...['m1', 'm2', 'm3'].flatMap((host) => of(host, 'control-plane', masters, [6443, 22623])),
      ...of('api', 'api', balancer, [6443]),
      ...of('api-int', 'api-int', balancer, [6443, 22623]),
    ],
    snapshot,
    inside: null,
    readyz: api ? { isReady: true, failing: '' } : null,
    members: ['m1', 'm2', 'm3'].map((name, index) => ({ name, hasJoined: index < joined, isReady: index < ready })),
  };
}

const ALL = { bootstrap: 'open', balancer: 'open', masters: 'open', api: true, joined: 3, ready: 3 } as const;

test.each([
  ['nothing', {}, 0],
  ['the bootstrap serves, the balancer does not pass it on', { bootstrap: 'open' }, 1],
  ['the API through the balancer', { bootstrap: 'open', balancer: 'open', api: true }, 3],
  ['two of three nodes', { bootstrap: 'open', balancer: 'open', api: true, joined: 2, ready: 1 }, 3],
  ['all joined', { bootstrap: 'open', balancer: 'open', api: true, joined: 3, ready: 2 }, 4],
  ['all Ready', { bootstrap: 'open', balancer: 'open', api: true, joined: 3, ready: 3 }, 5],
  ['all serve', ALL, 6],
  ['complete, and etcd still has the bootstrap', { ...ALL, status: 'complete', removed: false }, 7],
  ['complete, and etcd does not say', { ...ALL, status: 'complete', removed: null }, 7],
  ['over', { ...ALL, status: 'complete', removed: true }, 8],
  ['over, and the bootstrap is off already', { ...ALL, bootstrap: 'timeout', status: 'complete', removed: true }, 8],
] as const)('stages by what is seen: %s', (_name, seen, count) => {
  expect([...doneStages(design, evidence(seen))]).toEqual(BOOTSTRAP_STAGES.slice(0, count));
});

test('before 4.13 etcd has no condition to wait for; what cannot be read is never a yes', () => {
  const old = { ...design, openshift: { ...design.openshift, version: '4.11' } };
  const seen = evidence({ ...ALL, status: 'complete', removed: null });
  expect(doneStages(old, seen).has('etcd')).toBe(true);
  const next = { ...design, openshift: { ...design.openshift, version: '4.13' } };
  expect(doneStages(next, seen).has('etcd')).toBe(false);
  const unread = { ...seen, snapshot: { ...seen.snapshot, troubles: { etcdBootstrapMemberRemoved: {} } } };
  expect(doneStages(old, unread as BootstrapEvidence).has('etcd')).toBe(false);
});

test('any change of what is seen is progress', () => {
  const seen = [{}, { bootstrap: 'open' }, { bootstrap: 'open', masters: 'open' }, { ...ALL, joined: 2 }, ALL] as const;
  const signatures = seen.map((each) => signatureOf(evidence(each)));
  expect(new Set(signatures).size).toBe(seen.length);
});

test.each([
  ['bootstrap-up', { bootstrap: 'unsent' }, 'no-way-from-here', /`ip route get bs-address`/],
  ['bootstrap-up', {}, 'bootstrap-silent', /`ssh core@172\.16\.0\.11 journalctl [^`]+`/],
  ['api', { bootstrap: 'open' }, 'lb-without-bootstrap', /stage "install"/],
  ['api', { bootstrap: 'open', balancer: 'refused' }, 'lb-refuses', /haproxy/],
  ['machine-config', { bootstrap: 'open', balancer: 'timeout' }, 'lb-silent', /open 22623/],
  ['joined', { bootstrap: 'open', balancer: 'open', api: true, joined: 1 }, 'nodes-absent', /consoles/],
  ['control-plane', { ...ALL, ready: 2 }, 'nodes-not-ready', /oc describe node/],
  ['serving', { ...ALL, masters: 'refused' }, 'nodes-not-serving', /slow disk/],
  ['complete', ALL, 'bootstrap-late', /Tearing down/],
  ['etcd', { ...ALL, status: 'complete', removed: false }, 'etcd-bootstrap-member', /oc get co etcd/],
] as const)('what is stuck is told with its likely cause: %s, %j', (stage, seen, code, remedy) => {
  const found = judgeStuck({
    ...evidence(seen),
    stage,
    stageTitle: 'the stage',
    quietFor: 20 * MINUTE,
    topology: 'standard',
    machine: { name: 'bs', address: '172.16.0.11' },
    wrongNames: [],
  });
  const finding = found.find((each) => each.code === code);
  expect(finding?.whatToDo).toMatch(remedy);
  if (code !== 'lb-without-bootstrap')
    expect(finding?.title).toBe('No change for 20 min, longer than usual: the stage');
});

test('lines of trouble: a pull secret at once, etcd only when it repeats, nothing that is long ago', () => {
  const now = 60 * MINUTE;
  const said = (text: string, count = 1, at = now - MINUTE) => {
    const book = createLogBook();
    book.add(
      'bootkube',
      Array.from({ length: count }, () => ({ at, level: 'info' as const, text })),
      now,
    );
    return judgeLines(book.pages().lines, now).map(({ code }) => code);
  };
  expect(said('Error: unauthorized: access to the requested resource is not authorized')).toEqual(['log-pullSecret']);
  expect(said('Failed to create "x": etcdserver: leader changed', 2)).toEqual([]);
  expect(said('Failed to create "x": etcdserver: leader changed', 3)).toEqual(['log-disk']);
  expect(said('lookup quay.io: no such host', 1, now - 11 * MINUTE)).toEqual([]);
});

test('the evidence of a stage names who is missing', () => {
  const seen = evidence({ ...ALL, ready: 1 });
  expect(evidenceLine('control-plane', seen)).toBe('1 of 3 Ready; not yet: m2, m3');
  expect(evidenceLine('api', seen)).toBe('v1.31.6, /readyz ok');
  expect(evidenceLine('machine-config', evidence({}))).toBe('api-int:22623 accepts and closes (no member is up)');
  expect(stuckAfter('api', design)).toBeLessThan(stuckAfter('api', { topology: 'single-node' }));
});

const line = (level: 'error' | 'fatal' | 'info', text: string) => ({ at: 0, level, text });
const API = line('info', 'Waiting up to 20m0s (until 4:31AM UTC) for the Kubernetes API at https://api:6443...');
const WAIT = line('info', 'Waiting up to 45m0s (until 4:56AM UTC) for bootstrapping to complete...');
const TIMED_OUT = line('error', 'Bootstrap failed to complete: timed out waiting for the condition');

test.each([
  [
    5,
    null,
    [API, line('error', 'Bootstrap failed to complete: dial tcp: connection refused')],
    /20 minutes for the API/,
  ],
  [5, null, [API, WAIT, TIMED_OUT], /45 minutes for the control plane/],
  [1, null, [line('fatal', 'loading kubeconfig: no configuration')], /stopped with an error \(exit code 1\)/],
  // 4.5 and its like have no codes of their own.
  [1, null, [API, line('fatal', 'waiting for Kubernetes API: context deadline exceeded')], /20 minutes for the API/],
  [
    1,
    null,
    [API, WAIT, line('fatal', 'failed to wait for bootstrapping to complete: timed out waiting for the condition')],
    /45 minutes for the control plane/,
  ],
  [1, null, [line('fatal', 'failed to initialize the cluster: x')], /did not initialise in time \(exit code 1\)/],
  [3, null, [line('error', 'invalid "install-config.yaml" file')], /rejected install-config.yaml \(exit code 3\)/],
  [6, null, [line('error', 'failed to initialize the cluster: x')], /did not initialise in time \(exit code 6\)/],
  [7, null, [line('error', 'These cluster operators were not stable: [dns]')], /come to rest \(exit code 7\)/],
  [8, null, [line('info', 'Received interrupt signal')], /interrupted \(exit code 8\)/],
  [137, 'SIGKILL', [], /was killed \(ended by SIGKILL\)/],
] as const)('exit code %i (%s) is explained', (code, signal, log, title) => {
  const [finding] = judgeGaveUp({ code, signal }, log);
  expect(finding?.title).toMatch(title);
  expect(finding?.whatToDo).toContain('The step Bootstrap can wait again.');
  expect(finding?.cause).not.toBe('');
});

test('what an earlier run said does not explain the last one', () => {
  const earlier = [line('info', 'OpenShift Installer 4.18.0'), WAIT, TIMED_OUT];
  const last = [
    line('info', 'OpenShift Installer 4.18.0'),
    API,
    line('error', 'Bootstrap failed to complete: refused'),
  ];
  const [finding] = judgeGaveUp({ code: 5, signal: null }, [...earlier, ...last]);
  expect(finding).toMatchObject({ cause: 'Bootstrap failed to complete: refused' });
  expect(finding?.title).toContain('for the API');
});

test('operators that did not come to rest are named, and not the clock that ran out', () => {
  const log = [
    line('info', 'OpenShift Installer 4.18.0'),
    line('error', 'Error checking cluster operator Progressing status: "context deadline exceeded"'),
    line('error', 'These cluster operators were not stable: [authentication]'),
  ];
  const [finding] = judgeGaveUp({ code: 7, signal: null }, log);
  expect(finding?.cause).toBe('These cluster operators were not stable: [authentication]');
});

test('where nodes do not join, a name that resolves wrongly comes before the load balancer and the nodes', () => {
  const found = judgeStuck({
    ...evidence({ bootstrap: 'open', api: true }),
    stage: 'joined',
    stageTitle: 'the stage',
    quietFor: 20 * MINUTE,
    topology: 'standard',
    machine: { name: 'bs', address: '172.16.0.11' },
    wrongNames: [{ what: 'api-int.x.y', detail: 'no answer (expected 172.16.0.110)' }],
  });
  expect(found.map(({ code }) => code)).toEqual(['names-wrong', 'lb-pool', 'nodes-absent']);
});
