import { expect, test } from 'vitest';
import type { Cluster } from '../../src/kube/api.ts';
import { parseClusterVersion } from '../../src/kube/cluster-version.ts';
import { readEtcdBootstrapMemberRemoved } from '../../src/kube/snapshot.ts';
import { type KubeObject, parseEvent } from '../../src/openshift/object.ts';
import { parseClusterOperator } from '../../src/openshift/operator.ts';
import { isUnhealthyPod, parsePod } from '../../src/openshift/pod.ts';

const object = (kind: string, rest: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x', namespace: 'ns' },
  ...rest,
});
const version = (...conditions: [string, string, string][]) =>
  parseClusterVersion(
    object('ClusterVersion', {
      status: {
        desired: { version: '4.18.9' },
        conditions: conditions.map(([type, status, message]) => ({ type, status, message })),
      },
    }),
  );

test.each([
  ['Working towards 4.18.9: 640 of 869 done (73% complete), waiting on console', 640, 869, 73],
  ['Working towards 4.18.9: 1 of 869 done (0% complete)', 1, 869, 0],
  ['Working towards 4.5.9: 73% complete', null, null, 73],
  ['Working towards 4.1.12: 99% complete, waiting on authentication, console', null, null, 99],
  ['Unable to apply 4.18.9: some cluster operators are not available', null, null, null],
  ['Unable to apply 4.18.9: wait has exceeded 40 minutes for these operators: ingress', null, null, null],
  ['Working towards 4.18.9: 9 of 0 done', null, null, null],
  ['Working towards 4.18.9: 900 of 869 done (103% complete)', 869, 869, 100],
])('ClusterVersion reports: %s', (message, done, total, percent) => {
  expect(version(['Progressing', 'True', message])).toMatchObject({ done, total, percent, message, progressing: true });
});

test('ClusterVersion that is done, that fails, that has no conditions, that is Unknown', () => {
  const done = version(
    ['Available', 'True', 'Done applying 4.18.9'],
    ['Progressing', 'False', 'Cluster version is 4.18.9'],
  );
  expect(done).toMatchObject({ percent: 100, available: true, message: 'Cluster version is 4.18.9' });
  const failing = version(
    ['Failing', 'True', 'Multiple errors are preventing progress'],
    ['Progressing', 'True', 'Unable'],
  );
  expect(failing).toMatchObject({ failing: true, message: 'Multiple errors are preventing progress' });
  expect(version()).toMatchObject({ available: false, progressing: false, percent: null, message: '' });
  expect(version(['Available', 'Unknown', ''])).toMatchObject({ available: false, percent: null });
});

test('the start of the state of an operator: other conditions that flip do not move it', () => {
  const isoTime = (hour: number) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z`;
  const since = (available: [string, number], progressing: [string, number], degraded: [string, number]) => {
    const conditions = Object.entries({ Available: available, Progressing: progressing, Degraded: degraded });
    const { since } = parseClusterOperator(
      object('ClusterOperator', {
        status: {
          conditions: conditions.map(([type, [status, hour]]) => ({ type, status, lastTransitionTime: isoTime(hour) })),
        },
      }),
    );
    return since === null ? null : new Date(since).getUTCHours();
  };
  expect(since(['False', 1], ['True', 2], ['False', 3])).toBe(1);
  expect(since(['False', 1], ['True', 2], ['True', 3])).toBe(1);
  expect(since(['True', 1], ['True', 2], ['True', 3])).toBe(3);
  expect(since(['True', 1], ['True', 2], ['False', 3])).toBe(2);
  expect(since(['True', 1], ['False', 2], ['False', 3])).toBe(1);
});

test('an operator: its namespaces, its conditions with the important first, and a message of limited length', () => {
  const view = parseClusterOperator(
    object('ClusterOperator', {
      status: {
        conditions: [
          { type: 'Upgradeable', status: 'True' },
          { type: 'Progressing', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
          { type: 'Available', status: 'Unknown', message: 'a'.repeat(1_000_000) },
          { type: 'Degraded', status: 'True', reason: 'Bad', message: 'bad' },
          { status: 'True' },
          null,
          'text',
        ],
        versions: [
          { name: 'operand', version: '4.18.10' },
          { name: 'operator', version: '4.18.11' },
        ],
        relatedObjects: [
          { group: '', resource: 'namespaces', name: 'openshift-ingress' },
          { group: '', resource: 'namespaces', name: 'openshift-ingress' },
          { group: '', resource: 'namespaces', name: '../../escape' },
          { group: '', resource: 'namespaces', name: 'openshift-config' },
          { group: 'x', resource: 'dnses', name: '' },
          7,
        ],
      },
    }),
  );
  expect(view).toMatchObject({ available: false, degraded: true, reason: 'Bad', namespaces: ['openshift-ingress'] });
  expect(view.conditions.map(({ type }) => type)).toEqual(['Degraded', 'Available', 'Progressing', 'Upgradeable']);
  expect(view.conditions[1]?.message).toHaveLength(20_001);
  expect(view.steadySince).toBe(Date.UTC(2026, 0, 1));
  expect(view.version).toBe('4.18.11');
  expect(parseClusterOperator(object('ClusterOperator', {}))).toMatchObject({
    version: '',
    since: null,
    steadySince: null,
    conditions: [],
  });
});

test('a pod view has the reason why the pod does not run: pull, scheduling, crashes and their count', () => {
  const pod = (phase: string, rest: object) => parsePod(object('Pod', { spec: {}, status: { phase, ...rest } }));
  const container = (state: object, more: object = {}) => ({
    containerStatuses: [{ state, restartCount: 0, ...more }],
  });
  const pull = pod('Pending', container({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling' } }));
  expect(pull).toMatchObject({ reason: 'ImagePullBackOff', message: 'Back-off pulling' });
  const crash = pod(
    'Running',
    container(
      { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
      { restartCount: 7, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
    ),
  );
  expect(crash).toMatchObject({
    reason: 'CrashLoopBackOff',
    restartCount: 7,
    message: 'back-off 5m0s; OOMKilled (137)',
  });
  const unscheduled = {
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3' }],
  };
  expect(pod('Pending', unscheduled)).toMatchObject({ reason: 'Unschedulable', message: '0/3' });
  expect([pull, crash, pod('Failed', {}), pod('Unknown', {})].every(isUnhealthyPod)).toBe(true);
  // As the kubelet reports the other containers of a pod that does not start, and the containers of a pod that it
  // evicted.
  const two = {
    containerStatuses: [
      { state: { waiting: { reason: 'ContainerCreating' } }, restartCount: 0 },
      { state: { waiting: { reason: 'CreateContainerConfigError', message: 'no secret' } }, restartCount: 0 },
    ],
  };
  expect(pod('Pending', two)).toMatchObject({ reason: 'CreateContainerConfigError', message: 'no secret' });
  const evicted = {
    ...container({ terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', message: 'could not be located' } }),
    reason: 'Evicted',
    message: 'The node was low on resource: ephemeral-storage.',
  };
  expect(pod('Failed', evicted)).toMatchObject({
    reason: 'Evicted',
    message: 'The node was low on resource: ephemeral-storage.',
  });
  const prepared = { initContainerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }] };
  const running = pod('Running', { ...prepared, ...container({ running: {} }, { restartCount: 3 }) });
  expect([running, pod('Succeeded', {})].some(isUnhealthyPod)).toBe(false);
});

test('an event of either API has a time and a count', () => {
  const event = (rest: object) =>
    parseEvent(
      object('Event', { involvedObject: { kind: 'Pod', name: 'p' }, reason: 'Failed', message: 'm', ...rest }),
    );
  const time = '2026-01-01T00:00:00Z';
  const later = '2026-01-01T00:05:00.123456Z';
  expect(event({ firstTimestamp: time, lastTimestamp: later, count: 4, eventTime: null, series: null })).toMatchObject({
    lastSeenAt: Date.parse(later),
    count: 4,
    object: 'Pod/p',
  });
  expect(event({ firstTimestamp: null, lastTimestamp: null, eventTime: time })).toMatchObject({
    count: 1,
    lastSeenAt: Date.parse(time),
  });
  const series = { count: 9, lastObservedTime: later };
  expect(event({ lastTimestamp: null, eventTime: time, series })).toMatchObject({
    count: 9,
    lastSeenAt: Date.parse(later),
  });
  expect(event({ involvedObject: null })).toMatchObject({ lastSeenAt: null, object: '', type: 'Normal' });
});

test.each([
  ['4.16 and later', { EtcdBootstrapMemberRemoved: 'True' }, true],
  ['4.13 to 4.15, which spell it otherwise', { EtcdBoostrapMemberRemoved: 'True' }, true],
  ['not yet', { EtcdBootstrapMemberRemoved: 'False' }, false],
  ['an upgrade leaves both', { EtcdBoostrapMemberRemoved: 'True', EtcdBootstrapMemberRemoved: 'True' }, true],
  ['no condition reports it', { EtcdRunningInCluster: 'True' }, null],
])('the bootstrap member of etcd: %s', async (_name, conditions, removed) => {
  const etcd = object('Etcd', {
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  });
  const cluster: Pick<Cluster, 'get'> = { get: () => Promise.resolve(etcd) };
  expect(await readEtcdBootstrapMemberRemoved(cluster)).toBe(removed);
});
