import { expect, test } from 'vitest';
import { type OperatorEvidence, type OperatorSurroundings, operatorWait } from '../../src/diagnosis/operators/waits.ts';
import { MINUTE } from '../../src/ports/clock.ts';
import fc from '../support/property.ts';

const NOW = Date.UTC(2026, 0, 2);
const around = (changes: Partial<OperatorSurroundings> = {}): OperatorSurroundings => ({
  now: NOW,
  unavailable: new Set(),
  workers: { ready: 3, planned: 3, since: null },
  ...changes,
});
const says = (type: string, status: string, message: string, reason = '') => ({
  type,
  status,
  reason,
  message,
  since: null,
});
const operator = (name: string, minutes: number, ...conditions: OperatorEvidence['conditions']): OperatorEvidence => ({
  name,
  available: conditions.some(({ type, status }) => type === 'Available' && status === 'True'),
  progressing: conditions.some(({ type, status }) => type === 'Progressing' && status === 'True'),
  degraded: conditions.some(({ type, status }) => type === 'Degraded' && status === 'True'),
  since: NOW - minutes * MINUTE,
  conditions,
});

const NO_WORKERS = around({ workers: { ready: 0, planned: 3, since: null } });
const NO_INGRESS = around({ unavailable: new Set(['ingress', 'authentication']) });

// What the operators of real clusters said, and what it means.
const SAID: readonly [string, string, string, OperatorSurroundings, string, [normalAfter: number, not?: number]][] = [
  [
    'authentication',
    'Available',
    'ReadyIngressNodesAvailable: Authentication requires functional ingress which requires at least one schedulable and ready node. Got 0 worker nodes, 3 master nodes, 0 custom target nodes (none are schedulable or ready for ingress pods).',
    NO_WORKERS,
    'compute',
    [30, 61],
  ],
  ['ingress', 'Available', 'The "default" ingress controller reports Available=False', NO_WORKERS, 'compute', [30, 61]],
  ['monitoring', 'Available', 'UpdatingPrometheusOperator: rollout stuck', NO_WORKERS, 'compute', [30, 61]],
  [
    'console',
    'Degraded',
    'RouteHealthDegraded: failed to GET route (https://console-openshift-console.apps.ocp45.example.localdomain): Get "https://console-openshift-console.apps.ocp45.example.localdomain": dial tcp: lookup console-openshift-console.apps.ocp45.example.localdomain on 172.30.0.10:53: no such host',
    around(),
    'name',
    [-1, 0],
  ],
  [
    'authentication',
    'Degraded',
    'OAuthServerRouteEndpointAccessibleControllerDegraded: Get "https://oauth-openshift.apps.ocp45.example.localdomain/healthz": EOF',
    NO_INGRESS,
    'routers',
    [20, 41],
  ],
  [
    'authentication',
    'Degraded',
    'OAuthServerRouteEndpointAccessibleControllerDegraded: Get "https://oauth-openshift.apps.ocp45.example.localdomain/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    around(),
    'routes-closed',
    [4, 6],
  ],
  [
    'ingress',
    'Degraded',
    'The "default" ingress controller reports Degraded=True: DegradedConditions: One or more other status conditions indicate a degraded state: CanaryChecksSucceeding=False (CanaryChecksRepetitiveFailures: Canary route checks for the default ingress controller are failing)',
    around(),
    'routes-closed',
    [4, 6],
  ],
  [
    'authentication',
    'Available',
    'WellKnownAvailable: The well-known endpoint is not yet available: kube-apiserver oauth endpoint https://172.16.0.21:6443/.well-known/oauth-authorization-server is not yet served and authentication operator keeps waiting',
    around(),
    'well-known',
    [20, 31],
  ],
  [
    'console',
    'Available',
    'DeploymentAvailable: 0 replicas available for console deployment',
    around({ unavailable: new Set(['authentication']) }),
    'authentication',
    [20, 41],
  ],
  [
    'kube-apiserver',
    'Progressing',
    'NodeInstallerProgressing: 2 node are at revision 5; 1 node is at revision 7',
    around(),
    'revision',
    [20, 31],
  ],
  [
    'kube-controller-manager',
    'Degraded',
    'NodeControllerDegraded: The master nodes not ready: node "m2.ocp45.example.localdomain" not ready since 2026-01-01 because KubeletNotReady',
    around(),
    'node-not-ready',
    [5, 11],
  ],
  [
    'machine-config',
    'Degraded',
    'Unable to apply 4.18.9: error during syncRequiredMachineConfigPools: error pool worker is not ready, retrying. Status: (pool degraded: true total: 3, ready 0, updated: 0, unavailable: 3)',
    around(),
    'pool',
    [10, 21],
  ],
  [
    'network',
    'Progressing',
    'DaemonSet "/openshift-ovn-kubernetes/ovnkube-node" is not available (awaiting 2 nodes)',
    around(),
    'daemons',
    [10, 21],
  ],
  [
    'network',
    'Degraded',
    'DaemonSet "/openshift-ovn-kubernetes/ovnkube-node" rollout is not making progress - pod ovnkube-node-x is in CrashLoopBackOff State',
    around(),
    'network-broken',
    [4, 6],
  ],
  [
    'insights',
    'Degraded',
    'PeriodicGatherFailedDegraded: Source clusterconfig could not be retrieved: unable to write the archive: no space left on device',
    around(),
    'disk-full',
    [-1, 0],
  ],
  ['image-registry', 'Available', 'Available: storage backend not configured', around(), 'registry-storage', [-1, 0]],
  ['monitoring', 'Degraded', 'InvalidConfiguration: error unmarshaling', around(), 'monitoring-config', [-1, 0]],
  [
    'insights',
    'Degraded',
    'Unable to report: Post "https://console.redhat.com/api": dial tcp',
    around(),
    'upload',
    [9999],
  ],
  ['etcd', 'Degraded', 'EtcdMembersDegraded: 4 members, bootstrap still member', around(), 'bootstrap-member', [5, 11]],
  ['dns', 'Available', '', around(), 'start', [10, 21]],
  ['dns', 'Degraded', 'Something new', around(), 'other', [10, 16]],
  ['marketplace', 'Available', 'Back-off pulling image: ImagePullBackOff', around(), 'image-pull', [2, 4]],
];

test.each(SAID)('%s, %s: %s', (name, type, message, surroundings, code, [normal, not]) => {
  const status = type === 'Available' ? 'False' : 'True';
  const after = (minutes: number) => operatorWait(operator(name, minutes, says(type, status, message)), surroundings);
  if (normal >= 0) expect(after(normal)).toMatchObject({ code, isNormal: true });
  if (not !== undefined) expect(after(not)).toMatchObject({ code, isNormal: false });
});

test('what it waits for names the host, the node, and how many nodes are Ready', () => {
  const wait = (name: string, message: string, surroundings = around()) =>
    operatorWait(operator(name, 1, says('Degraded', 'True', message)), surroundings);
  expect(wait('console', 'lookup console.apps.x.y on 1.2.3.4:53: no such host')?.waitsFor).toContain(
    'console.apps.x.y',
  );
  expect(wait('etcd', 'The master nodes not ready: node "m1.x.y" not ready')?.waitsFor).toContain('node m1.x.y');
  expect(wait('ingress', '', NO_WORKERS)?.waitsFor).toContain('0 of 3');
});

test('an operator that is fine waits for nothing; a removed registry is fine, and it is said why', () => {
  const fine = [
    says('Available', 'True', 'All is well'),
    says('Progressing', 'False', ''),
    says('Degraded', 'False', ''),
  ];
  expect(operatorWait(operator('dns', 5, ...fine), around())).toBeNull();
  const removed = says('Available', 'True', 'Available: The registry is removed', 'Removed');
  expect(operatorWait(operator('image-registry', 5, removed), around())).toMatchObject({
    code: 'registry-removed',
    isNormal: true,
  });
});

test('a status that is Unknown, conditions that are missing, and any text whatever have an answer', () => {
  expect(operatorWait(operator('authentication', 5), around())).toMatchObject({ code: 'start' });
  expect(operatorWait(operator('x', 5, says('Available', 'Unknown', '')), around())).toMatchObject({ code: 'start' });
  expect(operatorWait({ ...operator('x', 5), since: null }, around())).toMatchObject({ isNormal: true });
  fc.assert(
    fc.property(
      fc.string({ maxLength: 20_000 }),
      fc.constantFrom('True', 'False', 'Unknown', 'x'),
      (message, status) => {
        const found = operatorWait(operator('ingress', 1, says('Available', status, message)), around());
        if (status !== 'True') expect(found?.waitsFor).toMatch(/./);
      },
    ),
    { numRuns: 100 },
  );
});

test('what runs on compute nodes is waited for from when there is one', () => {
  const monitoring = operator('monitoring', 40, says('Available', 'False', 'UpdatingPrometheus: rollout in progress'));
  const since = (minutes: number) => around({ workers: { ready: 3, planned: 3, since: NOW - minutes * MINUTE } });
  expect(operatorWait(monitoring, since(5))).toMatchObject({ code: 'rollout', isNormal: true });
  expect(operatorWait(monitoring, since(30))).toMatchObject({ code: 'rollout', isNormal: false });
  // What runs on the control plane did not wait for them.
  const etcd = operator('etcd', 40, says('Available', 'False', 'rollout in progress'));
  expect(operatorWait(etcd, since(5))).toMatchObject({ isNormal: false });
});

test('an operator that gives a reason without a message, or no more than that it has no data, waits for something all the same', () => {
  const of = (...conditions: OperatorEvidence['conditions']) =>
    operatorWait(operator('machine-api', 1, ...conditions), around());
  expect(of(says('Available', 'Unknown', '', 'NoData'))?.code).toBe('start');
  expect(of(says('Available', 'False', ' ', 'SyncError'))).toMatchObject({
    code: 'reason-only',
    waitsFor: 'something, with the reason SyncError',
    isNormal: true,
  });
});
