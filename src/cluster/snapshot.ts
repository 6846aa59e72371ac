import type { BootstrapStatus } from '../diagnosis/bootstrap/evidence.ts';
import type { Kind } from '../objects/kinds.ts';
import { type NodeView, nodeView } from '../objects/node.ts';
import { type KubeObject, textAt } from '../objects/object.ts';
import { type OperatorView, operatorView } from '../objects/operator.ts';
import { asTrouble, type Trouble } from '../text/trouble.ts';
import type { Cluster } from './api.ts';
import { type CertificateRequest, readRequest } from './csr/request.ts';
import { type ClusterError, isClusterError } from './errors.ts';
import { type ApiPast, afterLook, NO_PAST, outageLine, type Urgency, urgencyOf } from './outage.ts';
import { readBootstrapStatus, readEtcd } from './views/bootstrap.ts';
import { type ClusterVersionView, readClusterVersion } from './views/cluster-version.ts';

/** The cluster at one look. A part is null when it was not asked for or could not be read; `troubles` says why. */
export interface Snapshot {
  readonly at: number;
  readonly api: {
    readonly state: 'up' | 'away';
    readonly gitVersion: string | null;
    readonly trouble: Trouble | null;
    /** What is wrong, since when and whether that is normal, in one line; also when only a part cannot be read. */
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
  readonly bootstrapStatus: BootstrapStatus | null;
  /** Null until the etcd operator reports it: before that the bootstrap node must not be removed. */
  readonly etcdBootstrapMemberRemoved: boolean | null;
  readonly consoleHost: string | null;
  /** By part; a part whose kind is not served yet is null without a trouble. */
  readonly troubles: Readonly<Partial<Record<SnapshotPart, Trouble>>>;
}

/** The parts of a cluster, each read by requests of its own: callers name what they need. */
export const SNAPSHOT_PARTS = [
  'nodes',
  'requests',
  'clusterVersion',
  'operators',
  'bootstrapStatus',
  'etcdBootstrapMemberRemoved',
  'consoleHost',
] as const;
/** Those that tell how an installation stands; the console's host is asked for where it is shown. */
export const STATUS_PARTS = SNAPSHOT_PARTS.filter((part) => part !== 'consoleHost');
export type SnapshotPart = (typeof SNAPSHOT_PARTS)[number];

/**
 * Looks at the cluster. Never throws for its state: an API that does not answer is `away`, and a list that fails makes
 * only its own part null.
 * @param parts which parts to read; one request each
 * @param now milliseconds since the epoch of the clock
 * @param past the result of the look before; without it every outage begins now
 */
export async function takeSnapshot(
  cluster: Cluster,
  parts: readonly SnapshotPart[],
  now: number,
  past: ApiPast = NO_PAST,
): Promise<Snapshot> {
  const troubles: Partial<Record<SnapshotPart, Trouble>> = {};
  const empty = { nodes: null, requests: null, clusterVersion: null, operators: null, bootstrapStatus: null } as const;
  const rest = { etcdBootstrapMemberRemoved: null, consoleHost: null } as const;
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
  const [nodes, requests, clusterVersion, operators, bootstrapStatus, etcd, consoleHost] = await Promise.all([
    listed('nodes', 'Node', nodeView),
    listed('requests', 'CertificateSigningRequest', readRequest),
    read('clusterVersion', () => readClusterVersion(cluster)),
    listed('operators', 'ClusterOperator', operatorView),
    read('bootstrapStatus', () => readBootstrapStatus(cluster)),
    read('etcdBootstrapMemberRemoved', () => readEtcd(cluster)),
    read('consoleHost', async () => hostOf(await cluster.get('Route', 'console', 'openshift-console'))),
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
    consoleHost,
    troubles,
  };
}

function apiView(cluster: Cluster, past: ApiPast, now: number) {
  return { line: outageLine(past, now), urgency: urgencyOf(past, now), clockSkew: cluster.clockSkew(), past };
}

/** Whether this failure is an answer of Kubernetes all the same. */
function hasAnswered(error: unknown): boolean {
  return isClusterError(error, 'credentials', 'forbidden', 'absent') && error.status !== null;
}

/** The name of a host, RFC 1123: a person is sent there, so nothing else will do. */
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

function hostOf(route: KubeObject | null): string | null {
  const host = textAt(route?.spec, 'host');
  return host !== null && HOST.test(host) ? host : null;
}
