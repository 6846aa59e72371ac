import { expect, test } from 'vitest';
import { explainWait, type OperatorDependencies, type OperatorEvidence } from '../../src/checks/operator-waits.ts';
import { deriveOperatorStates } from '../../src/checks/operators.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import fc from '../support/property.ts';

const NOW = Date.UTC(2026, 0, 2);
const createDependencies = (changes: Partial<OperatorDependencies> = {}): OperatorDependencies => ({
  now: NOW,
  unavailableOperators: new Set(),
  workers: { ready: 3, planned: 3, since: null },
  isRouterRunning: null,
  lostNodes: new Set(),
  ...changes,
});
const createCondition = (type: string, status: string, message: string, reason = '') => ({
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

const NO_WORKERS = createDependencies({ workers: { ready: 0, planned: 3, since: null } });
const NO_INGRESS = createDependencies({ unavailableOperators: new Set(['ingress', 'authentication']) });

// Messages of operators in real clusters, with the wait that follows from them.
const OPERATOR_MESSAGES: readonly [
  string,
  string,
  string,
  OperatorDependencies,
  string,
  [normalAfter: number, not?: number],
][] = [
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
    createDependencies(),
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
    createDependencies(),
    'routes-closed',
    [4, 6],
  ],
  [
    'ingress',
    'Degraded',
    'The "default" ingress controller reports Degraded=True: DegradedConditions: One or more other status conditions indicate a degraded state: CanaryChecksSucceeding=False (CanaryChecksRepetitiveFailures: Canary route checks for the default ingress controller are failing)',
    createDependencies(),
    'routes-closed',
    [4, 6],
  ],
  [
    'authentication',
    'Available',
    'WellKnownAvailable: The well-known endpoint is not yet available: kube-apiserver oauth endpoint https://172.16.0.21:6443/.well-known/oauth-authorization-server is not yet served and authentication operator keeps waiting',
    createDependencies(),
    'well-known',
    [20, 31],
  ],
  [
    'console',
    'Available',
    'DeploymentAvailable: 0 replicas available for console deployment',
    createDependencies({ unavailableOperators: new Set(['authentication']) }),
    'authentication',
    [20, 41],
  ],
  [
    'kube-apiserver',
    'Progressing',
    'NodeInstallerProgressing: 2 node are at revision 5; 1 node is at revision 7',
    createDependencies(),
    'revision',
    [20, 31],
  ],
  [
    'kube-controller-manager',
    'Degraded',
    'NodeControllerDegraded: The master nodes not ready: node "m2.ocp45.example.localdomain" not ready since 2026-01-01 because KubeletNotReady',
    createDependencies(),
    'node-not-ready',
    [5, 11],
  ],
  [
    'etcd',
    'Degraded',
    'NodeControllerDegraded: The master nodes not ready: node "m2.ocp45.example.localdomain" not ready since 2026-01-01 because NodeStatusUnknown',
    createDependencies({ lostNodes: new Set(['m2.ocp45.example.localdomain']) }),
    'node-lost',
    [-1, 0],
  ],
  [
    'machine-config',
    'Degraded',
    'Unable to apply 4.18.9: error during syncRequiredMachineConfigPools: error pool worker is not ready, retrying. Status: (pool degraded: true total: 3, ready 0, updated: 0, unavailable: 3)',
    createDependencies(),
    'pool',
    [10, 21],
  ],
  [
    'network',
    'Progressing',
    'DaemonSet "/openshift-ovn-kubernetes/ovnkube-node" is not available (awaiting 2 nodes)',
    createDependencies(),
    'daemons',
    [10, 21],
  ],
  [
    'network',
    'Degraded',
    'DaemonSet "/openshift-ovn-kubernetes/ovnkube-node" rollout is not making progress - pod ovnkube-node-x is in CrashLoopBackOff State',
    createDependencies(),
    'network-broken',
    [4, 6],
  ],
  [
    'insights',
    'Degraded',
    'PeriodicGatherFailedDegraded: Source clusterconfig could not be retrieved: unable to write the archive: no space left on device',
    createDependencies(),
    'disk-full',
    [-1, 0],
  ],
  [
    'image-registry',
    'Available',
    'Available: storage backend not configured',
    createDependencies(),
    'registry-storage',
    [-1, 0],
  ],
  [
    'monitoring',
    'Degraded',
    'InvalidConfiguration: error unmarshaling',
    createDependencies(),
    'monitoring-config',
    [-1, 0],
  ],
  [
    'insights',
    'Degraded',
    'Unable to report: Post "https://console.redhat.com/api": dial tcp',
    createDependencies(),
    'upload',
    [9999],
  ],
  [
    'etcd',
    'Degraded',
    'EtcdMembersDegraded: 4 members, bootstrap still member',
    createDependencies(),
    'bootstrap-member',
    [5, 11],
  ],
  ['etcd', 'Available', 'tnf-setup-jobAvailable: Job is running', createDependencies(), 'pacemaker', [20, 26]],
  ['etcd', 'Degraded', 'tnf-fencing-jobDegraded: Job failed', createDependencies(), 'pacemaker', [20, 26]],
  ['dns', 'Available', '', createDependencies(), 'start', [10, 21]],
  ['dns', 'Degraded', 'Something new', createDependencies(), 'other', [10, 16]],
  ['marketplace', 'Available', 'Back-off pulling image: ImagePullBackOff', createDependencies(), 'image-pull', [2, 4]],
];

test.each(OPERATOR_MESSAGES)(
  '%s, %s: %s',
  (name, type, message, dependencies, code, [normalMinutes, abnormalMinutes]) => {
    const status = type === 'Available' ? 'False' : 'True';
    const waitAfter = (minutes: number) =>
      explainWait(operator(name, minutes, createCondition(type, status, message)), dependencies);
    if (normalMinutes >= 0) expect(waitAfter(normalMinutes)).toMatchObject({ code, isNormal: true });
    if (abnormalMinutes !== undefined) expect(waitAfter(abnormalMinutes)).toMatchObject({ code, isNormal: false });
  },
);

test('while no router runs, the load balancer is not blamed, and operators behind the routers wait for ingress', () => {
  const canary =
    'CanaryChecksRepetitiveFailures: Canary route checks for the default ingress controller are failing: Get "https://canary-openshift-ingress-canary.apps.ocp45.example.localdomain": EOF';
  const route =
    'OAuthServerRouteEndpointAccessibleControllerDegraded: Get "https://oauth-openshift.apps.ocp45.example.localdomain/healthz": EOF';
  const getWait = (name: string, message: string, isRouterRunning: boolean | null) =>
    explainWait(
      operator(name, 10, createCondition('Degraded', 'True', message)),
      createDependencies({ isRouterRunning }),
    );
  for (const isRouterRunning of [true, null]) {
    expect(getWait('ingress', canary, isRouterRunning)).toMatchObject({ code: 'routes-closed' });
    expect(getWait('authentication', route, isRouterRunning)).toMatchObject({ code: 'routes-closed' });
  }
  const ingress = getWait('ingress', canary, false);
  expect(ingress).toMatchObject({ code: 'routers-not-running', waitsFor: 'a router: none runs', isNormal: false });
  expect(ingress?.remedy).toContain('--replicas=2');
  expect(ingress?.remedy).not.toContain('load balancer');
  expect(getWait('authentication', route, false)).toMatchObject({ code: 'routers' });
});

test.each([1, 50])('an operator that only waits for another one comes after it, after %i min', (minutes) => {
  const createView = (name: string, message: string) => ({
    ...operator(name, minutes, createCondition('Degraded', 'True', message)),
    ...{ message, reason: '', namespaces: [], version: '', steadySince: null },
  });
  const route = 'RouteHealthDegraded: https://console.apps.x.y: EOF';
  const operators = [createView('authentication', route), createView('ingress', 'CanaryChecksRepetitiveFailures')];
  const states = deriveOperatorStates(null, operators, null, [], [], NOW);
  expect(states.map(({ name, wait }) => [name, wait?.code])).toEqual([
    ['ingress', 'routers-not-running'],
    ['authentication', 'routers'],
  ]);
});

test('the wait names the host, the node and the number of Ready nodes', () => {
  const wait = (name: string, message: string, dependencies = createDependencies()) =>
    explainWait(operator(name, 1, createCondition('Degraded', 'True', message)), dependencies);
  expect(wait('console', 'lookup console.apps.x.y on 1.2.3.4:53: no such host')?.waitsFor).toContain(
    'console.apps.x.y',
  );
  expect(wait('etcd', 'The master nodes not ready: node "m1.x.y" not ready')?.waitsFor).toContain('node m1.x.y');
  expect(wait('ingress', '', NO_WORKERS)?.waitsFor).toContain('0 of 3');
});

test('an operator that is fine waits for nothing; a removed registry is fine, with a reason', () => {
  const fine = [
    createCondition('Available', 'True', 'All is well'),
    createCondition('Progressing', 'False', ''),
    createCondition('Degraded', 'False', ''),
  ];
  expect(explainWait(operator('dns', 5, ...fine), createDependencies())).toBeNull();
  const removed = createCondition('Available', 'True', 'Available: The registry is removed', 'Removed');
  expect(explainWait(operator('image-registry', 5, removed), createDependencies())).toMatchObject({
    code: 'registry-removed',
    isNormal: true,
  });
});

test('an Unknown status, missing conditions and arbitrary text all give a wait', () => {
  expect(explainWait(operator('authentication', 5), createDependencies())).toMatchObject({ code: 'start' });
  expect(
    explainWait(operator('x', 5, createCondition('Available', 'Unknown', '')), createDependencies()),
  ).toMatchObject({ code: 'start' });
  expect(explainWait({ ...operator('x', 5), since: null }, createDependencies())).toMatchObject({ isNormal: true });
  fc.assert(
    fc.property(
      fc.string({ maxLength: 20_000 }),
      fc.constantFrom('True', 'False', 'Unknown', 'x'),
      (message, status) => {
        const found = explainWait(
          operator('ingress', 1, createCondition('Available', status, message)),
          createDependencies(),
        );
        if (status !== 'True') expect(found?.waitsFor).toMatch(/./);
      },
    ),
    { numRuns: 100 },
  );
});

test('the wait of an operator that runs on compute nodes counts from the first Ready compute node', () => {
  const monitoring = operator(
    'monitoring',
    40,
    createCondition('Available', 'False', 'UpdatingPrometheus: rollout in progress'),
  );
  const withWorkersSince = (minutes: number) =>
    createDependencies({ workers: { ready: 3, planned: 3, since: NOW - minutes * MINUTE } });
  expect(explainWait(monitoring, withWorkersSince(5))).toMatchObject({ code: 'rollout', isNormal: true });
  expect(explainWait(monitoring, withWorkersSince(30))).toMatchObject({ code: 'rollout', isNormal: false });
  // Operators on the control plane do not wait for compute nodes.
  const etcd = operator('etcd', 40, createCondition('Available', 'False', 'rollout in progress'));
  expect(explainWait(etcd, withWorkersSince(5))).toMatchObject({ isNormal: false });
});

test('an operator with a reason but no message, or with no data, still gets a wait', () => {
  const explain = (...conditions: OperatorEvidence['conditions']) =>
    explainWait(operator('machine-api', 1, ...conditions), createDependencies());
  expect(explain(createCondition('Available', 'Unknown', '', 'NoData'))?.code).toBe('start');
  expect(explain(createCondition('Available', 'False', ' ', 'SyncError'))).toMatchObject({
    code: 'reason-only',
    waitsFor: 'something that it reports only as SyncError',
    isNormal: true,
  });
});
