import { expect, test } from 'vitest';
import { explainStuckBootstrap, listRecentFailures } from '../../src/checks/bootstrap/checks.ts';
import type { BootstrapEvidence, PortEvidence } from '../../src/checks/bootstrap/evidence.ts';
import {
  buildProgressSignature,
  deriveDoneStages,
  formatStageEvidence,
  getStuckTimeout,
  listStages,
} from '../../src/checks/bootstrap/stages.ts';
import { explainWaitExit } from '../../src/checks/installer.ts';
import { diagnosePartialEvidence } from '../../src/checks/rules/diagnose.ts';
import type { LogSource } from '../../src/installer/log.ts';
import { createLogBuffer } from '../../src/installer/log.ts';
import type { ClusterSnapshot } from '../../src/kube/snapshot.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { exampleSite } from '../support/example-design.ts';

const design = exampleSite();
const BOOTSTRAP_STAGES = listStages(design, false);
type State = PortEvidence['state'];

/** Evidence of the ports (bootstrap, load balancer, control plane) and of the API. */
function evidence(observed: {
  readonly bootstrap?: State;
  readonly machineConfig?: State;
  readonly balancer?: State;
  readonly masters?: State;
  readonly api?: boolean;
  readonly joined?: number;
  readonly ready?: number;
  readonly status?: 'absent' | 'progress' | 'complete';
  readonly removed?: boolean | null;
}): BootstrapEvidence {
  const { bootstrap = 'refused', balancer = 'closed-at-once', masters = 'refused', api = false } = observed;
  const { machineConfig = bootstrap } = observed;
  const { joined = 0, ready = 0, status = null, removed = null } = observed;
  const createPorts = (host: string, kind: PortEvidence['kind'], state: State, ports: (6443 | 22623)[]) =>
    ports.map((port): PortEvidence => ({ host, kind, address: `${host}-address`, port, state }));
  const snapshot = {
    api: { state: api ? 'up' : 'away', gitVersion: 'v1.31.6', line: api ? null : 'refused' },
    bootstrapStatus: api ? status : null,
    etcdBootstrapMemberRemoved: removed,
    userErrors: {},
  } as ClusterSnapshot;
  return {
    ports: [
      ...createPorts('bs', 'bootstrap', bootstrap, [6443]),
      ...createPorts('bs', 'bootstrap', machineConfig, [22623]),
      ...['m1', 'm2', 'm3'].flatMap((host) => createPorts(host, 'control-plane', masters, [6443, 22623])),
      ...createPorts('api', 'api', balancer, [6443]),
      ...createPorts('api-int', 'api-int', balancer, [6443, 22623]),
    ],
    snapshot,
    nodeServices: null,
    readyz: api ? { isReady: true, failing: '' } : null,
    members: ['m1', 'm2', 'm3'].map((name, index) => ({
      name,
      fqdn: `${name}.ocp45.example.localdomain`,
      hasJoined: index < joined,
      isReady: index < ready,
    })),
  };
}

const ALL_UP = { bootstrap: 'open', balancer: 'open', masters: 'open', api: true, joined: 3, ready: 3 } as const;

test.each([
  ['nothing', {}, 0],
  ['the bootstrap serves, the balancer does not pass it on', { bootstrap: 'open' }, 1],
  ['the API through the balancer', { bootstrap: 'open', balancer: 'open', api: true }, 3],
  ['two of three nodes', { bootstrap: 'open', balancer: 'open', api: true, joined: 2, ready: 1 }, 3],
  ['a balancer that accepts while nothing serves the configuration', { balancer: 'open' }, 0],
  ['all joined', { bootstrap: 'open', balancer: 'open', api: true, joined: 3, ready: 2 }, 4],
  ['all Ready', { bootstrap: 'open', balancer: 'open', api: true, joined: 3, ready: 3 }, 5],
  ['all serve', ALL_UP, 6],
  ['complete, and etcd still has the bootstrap', { ...ALL_UP, status: 'complete', removed: false }, 7],
  ['complete, and the etcd condition is unknown', { ...ALL_UP, status: 'complete', removed: null }, 7],
  ['finished', { ...ALL_UP, status: 'complete', removed: true }, 8],
  [
    'finished, and the bootstrap is off already',
    { ...ALL_UP, bootstrap: 'timeout', status: 'complete', removed: true },
    8,
  ],
] as const)('stages by evidence: %s', (_name, observed, count) => {
  expect([...deriveDoneStages(design, evidence(observed))]).toEqual(BOOTSTRAP_STAGES.slice(0, count));
});

test('before 4.13 etcd has no condition to wait for; an unreadable value never counts as true', () => {
  const old = { ...design, openshift: { ...design.openshift, version: '4.11' } };
  const observed = evidence({ ...ALL_UP, status: 'complete', removed: null });
  expect(deriveDoneStages(old, observed).has('etcd')).toBe(true);
  const next = { ...design, openshift: { ...design.openshift, version: '4.13' } };
  expect(deriveDoneStages(next, observed).has('etcd')).toBe(false);
  const unreadable = {
    ...observed,
    snapshot: { ...observed.snapshot, userErrors: { etcdBootstrapMemberRemoved: {} } },
  };
  expect(deriveDoneStages(old, unreadable as BootstrapEvidence).has('etcd')).toBe(false);
});

test('any change of the evidence is progress', () => {
  const states = [
    {},
    { bootstrap: 'open' },
    { bootstrap: 'open', masters: 'open' },
    { ...ALL_UP, joined: 2 },
    ALL_UP,
  ] as const;
  const signatures = states.map((each) => buildProgressSignature(evidence(each)));
  expect(new Set(signatures).size).toBe(states.length);
});

test.each([
  ['bootstrap-up', { bootstrap: 'unsent' }, 'no-way-from-here', /`ip route get bs-address`/],
  [
    'bootstrap-up',
    { machineConfig: 'open' },
    'bootstrap-half',
    /Either the API or the Machine Config Server does not run/,
  ],
  ['bootstrap-up', {}, 'bootstrap-silent', /`ssh core@172\.16\.0\.11 journalctl [^`]+`/],
  ['api', { bootstrap: 'open' }, 'lb-without-bootstrap', /stage "install"/],
  ['api', { bootstrap: 'open', balancer: 'refused' }, 'lb-refuses', /haproxy/],
  ['machine-config', { bootstrap: 'open', balancer: 'timeout' }, 'lb-silent', /open 22623/],
  ['joined', { bootstrap: 'open', balancer: 'open', api: true, joined: 1 }, 'nodes-absent', /consoles/],
  ['control-plane', { ...ALL_UP, ready: 2 }, 'nodes-not-ready', /`oc describe node m3\.ocp45\.example\.localdomain`/],
  ['serving', { ...ALL_UP, masters: 'refused' }, 'nodes-not-serving', /slow disk/],
  ['complete', ALL_UP, 'bootstrap-late', /Tearing down/],
  ['etcd', { ...ALL_UP, status: 'complete', removed: false }, 'etcd-bootstrap-member', /oc get co etcd/],
] as const)('a stuck stage is reported with its likely cause: %s, %j', (stage, observed, code, remedy) => {
  const found = explainStuckBootstrap({
    ...evidence(observed),
    stage,
    stageTitle: 'the stage',
    timeWithoutProgress: 163 * MINUTE,
    topology: 'standard',
    machine: { name: 'bs', address: '172.16.0.11' },
    wrongNames: [],
  });
  const finding = found.find((each) => each.code === code);
  expect(finding?.remedy).toMatch(remedy);
  if (code !== 'lb-without-bootstrap')
    expect(finding?.title).toBe('No change for 2 h 43 min, longer than usual: the stage');
});

test('log lines: a pull secret at once, etcd only when it repeats, old lines never', () => {
  const now = 60 * MINUTE;
  const explainLine = (text: string, count = 1, at = now - MINUTE, source: LogSource = 'bootkube') => {
    const buffer = createLogBuffer();
    buffer.add(
      source,
      Array.from({ length: count }, () => ({ at, level: 'info' as const, text })),
      now,
    );
    const lines = listRecentFailures(buffer.getSnapshot().lines, 'bs', now);
    return diagnosePartialEvidence({ now, design, lines }).map(({ code }) => code);
  };
  const refused =
    'Error: reading manifest 4.18 in quay.io/openshift-release-dev/ocp-release: unauthorized: access denied';
  expect(explainLine(refused)).toEqual(['pull-secret-rejected']);
  expect(explainLine('Failed to create "x": etcdserver: leader changed', 4)).toEqual([]);
  expect(explainLine('Failed to create "x": etcdserver: leader changed', 5)).toEqual(['etcd-disk-slow']);
  expect(explainLine('lookup api-int.x.y on 172.16.0.1:53: no such host', 1, now - 11 * MINUTE)).toEqual([]);
  for (const [text, code] of [
    ['Error: reading manifest 4.18 in quay.io/openshift-release-dev/ocp-release: manifest unknown', 'release-missing'],
    ['x509: certificate has expired or is not yet valid: current time 2 is after 1', 'ignition-stale'],
    ['dial tcp: lookup api-int.x.y on 172.16.0.102:53: no such host', 'api-int-missing'],
    ['dial tcp: lookup api-int.x.y on 172.16.0.1:53: no such host', 'resolver-elsewhere'],
    ['Error: write: no space left on device', 'disk-too-small'],
    ['Error: Tearing down temporary bootstrap control plane...', 'bootkube-torn-down'],
  ] as const)
    expect(explainLine(text)).toEqual([code]);
  expect(explainLine('x509: certificate signed by unknown authority', 3, now - MINUTE, 'installer')).toEqual([
    'kubeconfig-of-another-cluster',
  ]);
  const [found] = diagnosePartialEvidence({ now, lines: [{ source: 'bootkube', host: 'bs', text: refused, at: now }] });
  expect(found).toMatchObject({ severity: 'warning', cause: `bootkube: ${refused}` });
});

test('the evidence of a stage names the missing nodes', () => {
  const observed = evidence({ ...ALL_UP, ready: 1 });
  expect(formatStageEvidence('control-plane', observed)).toBe('1 of 3 Ready; not yet: m2, m3');
  expect(formatStageEvidence('api', observed)).toBe('v1.31.6, /readyz ok');
  expect(formatStageEvidence('machine-config', evidence({}))).toBe(
    'api-int:22623 accepts and closes (no member is up)',
  );
  expect(getStuckTimeout('api', design)).toBeLessThan(getStuckTimeout('api', { topology: 'single-node' }));
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
  // Old versions such as 4.5 have no exit codes of their own for this.
  [1, null, [API, line('fatal', 'waiting for Kubernetes API: context deadline exceeded')], /20 minutes for the API/],
  [
    1,
    null,
    [API, WAIT, line('fatal', 'failed to wait for bootstrapping to complete: timed out waiting for the condition')],
    /45 minutes for the control plane/,
  ],
  [1, null, [line('fatal', 'failed to initialize the cluster: x')], /did not initialize in time \(exit code 1\)/],
  [3, null, [line('error', 'invalid "install-config.yaml" file')], /rejected install-config.yaml \(exit code 3\)/],
  [6, null, [line('error', 'failed to initialize the cluster: x')], /did not initialize in time \(exit code 6\)/],
  [7, null, [line('error', 'These cluster operators were not stable: [dns]')], /do not become stable \(exit code 7\)/],
  [8, null, [line('info', 'Received interrupt signal')], /interrupted \(exit code 8\)/],
  [137, 'SIGKILL', [], /was killed \(terminated by SIGKILL\)/],
] as const)('exit code %i (%s) is explained', (code, signal, log, title) => {
  const [finding] = explainWaitExit({ code, signal }, log);
  expect(finding?.code).toBe('wait-gave-up');
  expect(finding?.title).toMatch(title);
  expect(finding?.remedy).toContain('The Bootstrap step can wait again.');
  expect(finding?.cause).not.toBe('');
});

test('the log of an earlier run does not explain the last one', () => {
  const earlier = [line('info', 'OpenShift Installer 4.18.0'), WAIT, TIMED_OUT];
  const last = [
    line('info', 'OpenShift Installer 4.18.0'),
    API,
    line('error', 'Bootstrap failed to complete: refused'),
  ];
  const [finding] = explainWaitExit({ code: 5, signal: null }, [...earlier, ...last]);
  expect(finding).toMatchObject({ cause: 'Bootstrap failed to complete: refused' });
  expect(finding?.title).toContain('for the API');
});

test('operators that did not come to rest are named, and not the clock that ran out', () => {
  const log = [
    line('info', 'OpenShift Installer 4.18.0'),
    line('error', 'Error checking cluster operator Progressing status: "context deadline exceeded"'),
    line('error', 'These cluster operators were not stable: [authentication]'),
  ];
  const [finding] = explainWaitExit({ code: 7, signal: null }, log);
  expect(finding?.cause).toBe('These cluster operators were not stable: [authentication]');
});

test('where nodes do not join, a name that resolves wrongly comes before the load balancer and the nodes', () => {
  const found = explainStuckBootstrap({
    ...evidence({ bootstrap: 'open', api: true }),
    stage: 'joined',
    stageTitle: 'the stage',
    timeWithoutProgress: 20 * MINUTE,
    topology: 'standard',
    machine: { name: 'bs', address: '172.16.0.11' },
    wrongNames: [{ queryText: 'api-int.x.y', detail: 'no answer (expected 172.16.0.110)' }],
  });
  expect(found.map(({ code }) => code)).toEqual(['names-wrong', 'lb-pool', 'nodes-absent']);
});
