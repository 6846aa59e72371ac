import { asTrouble, type Trouble } from '../text/trouble.ts';
import type { Cluster } from './client.ts';
import { type CertificateRequest, readRequest } from './csr/request.ts';
import { type ClusterError, isClusterError } from './errors.ts';
import type { Kind } from './kinds.ts';
import { at, conditionsOf, isTrue, type KubeObject, listAt, numberAt, textAt, timeAt } from './object.ts';
import { type ApiPast, afterLook, NO_PAST, outageLine, type Urgency, urgencyOf } from './outage.ts';

export interface NodeView {
  readonly name: string;
  /** `master`, `worker`, `infra`, …: the labels `node-role.kubernetes.io/…`. */
  readonly roles: readonly string[];
  readonly isReady: boolean;
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly isUnschedulable: boolean;
  /** Milliseconds since the epoch; null when the API does not say. */
  readonly createdAt: number | null;
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface ClusterVersionView {
  readonly version: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly failing: boolean;
  /** "640 of 869 done" of the message; null when it does not count. */
  readonly done: number | null;
  readonly total: number | null;
  readonly message: string;
}

export interface OperatorView {
  readonly name: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly degraded: boolean;
  /** Since when it is as it is (the latest of its transitions), in milliseconds since the epoch. */
  readonly since: number | null;
  /** Of the condition that matters most: Degraded, then not Available, then Progressing. */
  readonly message: string;
  readonly reason: string;
}

export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node: string | null;
  /** Why it waits: of the container, or why it is not scheduled. */
  readonly reason: string;
  readonly message: string;
}

/** What the cluster looks like now. A part is null when it was not asked for or could not be read; `troubles` says why. */
export interface Snapshot {
  readonly at: number;
  readonly api: {
    readonly state: 'up' | 'away';
    readonly gitVersion: string | null;
    readonly trouble: Trouble | null;
    /** What is wrong, since when and whether that is normal, in one line; also while only a part cannot be read. */
    readonly line: string | null;
    readonly urgency: Urgency;
    /** See Cluster.clockSkew. */
    readonly clockSkew: number | null;
    /** For the next look. */
    readonly past: ApiPast;
  };
  readonly nodes: readonly NodeView[] | null;
  readonly requests: readonly CertificateRequest[] | null;
  readonly clusterVersion: ClusterVersionView | null;
  readonly operators: readonly OperatorView[] | null;
  readonly bootstrapStatus: 'absent' | 'progress' | 'complete' | null;
  /** Null until the etcd operator says: before that the bootstrap node must not be removed. */
  readonly etcdBootstrapMemberRemoved: boolean | null;
  /** Pods that neither run nor are completed. */
  readonly podsNotRunning: readonly PodView[] | null;
  readonly consoleHost: string | null;
  /** By part; a part that is only not there yet (no such kind) is null without a trouble. */
  readonly troubles: Readonly<Partial<Record<SnapshotPart, Trouble>>>;
}

export const SNAPSHOT_PARTS = [
  'nodes',
  'requests',
  'clusterVersion',
  'operators',
  'bootstrapStatus',
  'etcdBootstrapMemberRemoved',
  'podsNotRunning',
  'consoleHost',
] as const;
export type SnapshotPart = (typeof SNAPSHOT_PARTS)[number];

/**
 * Looks at the cluster. Never throws for what the cluster does: an API that does not answer is `away`, and a list that
 * fails leaves its own part null only.
 * @param parts which parts to read; one request each
 * @param now milliseconds since the epoch of the clock
 * @param past what the look before said; without it every outage begins now
 */
export async function takeSnapshot(
  cluster: Cluster,
  parts: readonly SnapshotPart[],
  now: number,
  past: ApiPast = NO_PAST,
): Promise<Snapshot> {
  const troubles: Partial<Record<SnapshotPart, Trouble>> = {};
  const empty = { nodes: null, requests: null, clusterVersion: null, operators: null, bootstrapStatus: null } as const;
  const rest = { etcdBootstrapMemberRemoved: null, podsNotRunning: null, consoleHost: null } as const;
  const away = (trouble: Trouble, next: ApiPast): Snapshot => {
    const api = { state: 'away', gitVersion: null, trouble, ...apiView(cluster, next, now) } as const;
    return { at: now, api, ...empty, ...rest, troubles };
  };
  const { outage } = past;
  if (outage?.quietUntil != null && now < outage.quietUntil) return away(outage.error.trouble, past);
  let gitVersion: string;
  try {
    gitVersion = (await cluster.version()).gitVersion;
  } catch (error) {
    const failed = { hasAnswered: hasAnswered(error), error: isClusterError(error) ? error : null };
    return away(asTrouble(error), afterLook(past, failed, now));
  }
  let first: ClusterError | null = null;
  const read = async <T>(part: SnapshotPart, take: () => Promise<T | null>): Promise<T | null> => {
    if (!parts.includes(part)) return null;
    try {
      return await take();
    } catch (error) {
      if (isClusterError(error, 'absent')) return null;
      troubles[part] = asTrouble(error);
      if (isClusterError(error)) first ??= error;
      return null;
    }
  };
  const listed = <T>(part: SnapshotPart, kind: Kind, view: (object: KubeObject) => T): Promise<T[] | null> =>
    read(part, async () => (await cluster.list(kind)).map(view));
  const [nodes, requests, clusterVersion, operators, bootstrapStatus, etcd, pods, consoleHost] = await Promise.all([
    listed('nodes', 'Node', nodeView),
    listed('requests', 'CertificateSigningRequest', readRequest),
    read('clusterVersion', () => readClusterVersion(cluster)),
    listed('operators', 'ClusterOperator', operatorView),
    read('bootstrapStatus', () => readBootstrapStatus(cluster)),
    read('etcdBootstrapMemberRemoved', () => readEtcd(cluster)),
    listed('podsNotRunning', 'Pod', podView),
    read('consoleHost', async () => textAt((await cluster.get('Route', 'console', 'openshift-console'))?.spec, 'host')),
  ]);
  return {
    at: now,
    api: {
      state: 'up',
      gitVersion,
      trouble: null,
      ...apiView(cluster, afterLook(past, { hasAnswered: true, error: first }, now), now),
    },
    nodes,
    requests,
    clusterVersion,
    operators,
    bootstrapStatus,
    etcdBootstrapMemberRemoved: etcd,
    podsNotRunning: pods?.filter(({ phase, reason }) => isUnwell(phase, reason)) ?? null,
    consoleHost,
    troubles,
  };
}

function apiView(cluster: Cluster, past: ApiPast, now: number) {
  return { line: outageLine(past, now), urgency: urgencyOf(past, now), clockSkew: cluster.clockSkew(), past };
}

/** Whether what failed is an answer of Kubernetes all the same. */
function hasAnswered(error: unknown): boolean {
  return isClusterError(error, 'credentials', 'forbidden', 'absent') && error.status !== null;
}

const ROLE_LABEL = 'node-role.kubernetes.io/';

export function nodeView(object: KubeObject): NodeView {
  const { name, labels = {} } = object.metadata;
  return {
    name,
    roles: Object.keys(labels)
      .filter((key) => key.startsWith(ROLE_LABEL))
      .map((key) => key.slice(ROLE_LABEL.length))
      .sort(),
    isReady: isTrue(conditionsOf(object), 'Ready'),
    addresses: listAt(object.status, 'addresses').flatMap((entry) => {
      const [type, address] = [textAt(entry, 'type'), textAt(entry, 'address')];
      return type === null || address === null ? [] : { type, address };
    }),
    taints: listAt(object.spec, 'taints').flatMap((entry) => {
      const [key, effect] = [textAt(entry, 'key'), textAt(entry, 'effect')];
      return key === null || effect === null ? [] : { key, value: textAt(entry, 'value') ?? '', effect };
    }),
    labels,
    isUnschedulable: at(object.spec, 'unschedulable') === true,
    createdAt: timeAt(object.metadata, 'creationTimestamp'),
  };
}

async function readClusterVersion(cluster: Cluster): Promise<ClusterVersionView | null> {
  const object = await cluster.get('ClusterVersion', 'version');
  return object && clusterVersionView(object);
}

/** The version of the cluster and how far it is. The counts come from "Working towards 4.18.9: 640 of 869 done (73% complete)". */
export function clusterVersionView(object: KubeObject): ClusterVersionView {
  const conditions = conditionsOf(object);
  const message = (type: string) => conditions.find((condition) => condition.type === type)?.message ?? '';
  const failing = isTrue(conditions, 'Failing');
  const counted = /(\d+) of (\d+) done/.exec(message('Progressing'));
  return {
    version: textAt(object.status, 'desired', 'version') ?? '',
    available: isTrue(conditions, 'Available'),
    progressing: isTrue(conditions, 'Progressing'),
    failing,
    done: counted ? Number(counted[1]) : null,
    total: counted ? Number(counted[2]) : null,
    message: (failing ? message('Failing') : '') || message('Progressing') || message('Available'),
  };
}

function operatorView(object: KubeObject): OperatorView {
  const conditions = conditionsOf(object);
  const [available, progressing, degraded] = [
    isTrue(conditions, 'Available'),
    isTrue(conditions, 'Progressing'),
    isTrue(conditions, 'Degraded'),
  ];
  const matters = degraded ? 'Degraded' : !available ? 'Available' : progressing ? 'Progressing' : 'Available';
  const told = conditions.find(({ type }) => type === matters);
  const since = conditions
    .filter(({ type }) => ['Available', 'Progressing', 'Degraded'].includes(type))
    .flatMap((condition) => condition.since ?? []);
  return {
    name: object.metadata.name,
    available,
    progressing,
    degraded,
    since: since.length > 0 ? Math.max(...since) : null,
    message: told?.message ?? '',
    reason: told?.reason ?? '',
  };
}

/** The installer's own signal: ConfigMap kube-system/bootstrap, `status: complete`. */
async function readBootstrapStatus(cluster: Cluster): Promise<'absent' | 'progress' | 'complete'> {
  const map = await cluster.get('ConfigMap', 'bootstrap', 'kube-system');
  if (!map) return 'absent';
  return map.data?.status === 'complete' ? 'complete' : 'progress';
}

async function readEtcd(cluster: Cluster): Promise<boolean | null> {
  const etcd = await cluster.get('Etcd', 'cluster');
  const condition = etcd && conditionsOf(etcd).find(({ type }) => type === 'EtcdBootstrapMemberRemoved');
  return condition ? condition.status === 'True' : null;
}

export function podView(object: KubeObject): PodView {
  const statuses = [...listAt(object.status, 'initContainerStatuses'), ...listAt(object.status, 'containerStatuses')];
  const waiting = statuses.map((status) => at(status, 'state', 'waiting')).find((state) => state !== undefined);
  const unscheduled = conditionsOf(object).find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    phase: textAt(object.status, 'phase') ?? 'Unknown',
    node: textAt(object.spec, 'nodeName'),
    reason: textAt(waiting, 'reason') ?? unscheduled?.reason ?? textAt(object.status, 'reason') ?? '',
    message: textAt(waiting, 'message') ?? unscheduled?.message ?? textAt(object.status, 'message') ?? '',
  };
}

/** A pod in phase Running may still wait for a container that keeps falling over. */
function isUnwell(phase: string, reason: string): boolean {
  return phase === 'Running' ? /BackOff|Error/.test(reason) : phase !== 'Succeeded';
}

/** Progress of one workload: generation seen, all replicas new and available. */
export function isRolledOut(object: KubeObject): boolean {
  const wanted = numberAt(object.spec, 'replicas') ?? 1;
  return (
    (numberAt(object.status, 'observedGeneration') ?? 0) >= (object.metadata.generation ?? 0) &&
    (numberAt(object.status, 'updatedReplicas') ?? 0) === wanted &&
    (numberAt(object.status, 'replicas') ?? 0) === wanted &&
    (numberAt(object.status, 'availableReplicas') ?? numberAt(object.status, 'readyReplicas') ?? 0) === wanted
  );
}
