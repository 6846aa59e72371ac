import type { BootstrapStatus } from '../diagnosis/bootstrap/evidence.ts';
import { toUserError, type UserError } from '../i18n/user-error.ts';
import type { Kind } from '../openshift/kinds.ts';
import { type NodeView, nodeView } from '../openshift/node.ts';
import { getString, type KubeObject } from '../openshift/object.ts';
import { type OperatorView, operatorView } from '../openshift/operator.ts';
import type { Cluster } from './api.ts';
import { type CertificateRequest, readRequest } from './csr/request.ts';
import { type ClusterError, isClusterError } from './errors.ts';
import { type ApiHealth, assessUrgency, formatApiOutage, recordProbe, UNKNOWN_HEALTH, type Urgency } from './outage.ts';
import { readBootstrapStatus, readMemberRemoved } from './views/bootstrap.ts';
import { type ClusterVersionView, readClusterVersion } from './views/cluster-version.ts';

/**
 * The state of the cluster at one probe. A part is null if it was not requested or could not be read; `userErrors` has
 * the reason.
 */
export interface Snapshot {
  readonly at: number;
  readonly api: {
    readonly state: 'up' | 'away';
    readonly gitVersion: string | null;
    readonly userError: UserError | null;
    /** The error, since when it lasts and whether that is normal, in one line; also if only a part cannot be read. */
    readonly line: string | null;
    readonly urgency: Urgency;
    /** See Cluster.clockSkew. */
    readonly clockSkew: number | null;
    /** For the next probe. */
    readonly health: ApiHealth;
  };
  readonly nodes: readonly NodeView[] | null;
  readonly requests: readonly CertificateRequest[] | null;
  readonly clusterVersion: ClusterVersionView | null;
  readonly operators: readonly OperatorView[] | null;
  readonly bootstrapStatus: BootstrapStatus | null;
  /** Null until the etcd operator reports it: before that the bootstrap node must not be removed. */
  readonly etcdBootstrapMemberRemoved: boolean | null;
  readonly consoleHost: string | null;
  /** By part. A part whose kind is not served yet is null without an error. */
  readonly userErrors: Readonly<Partial<Record<SnapshotPart, UserError>>>;
}

/** The parts of a cluster. Each is read by separate requests, and callers name the parts that they need. */
const SNAPSHOT_PARTS = [
  'nodes',
  'requests',
  'clusterVersion',
  'operators',
  'bootstrapStatus',
  'etcdBootstrapMemberRemoved',
  'consoleHost',
] as const;
/** The parts that show the progress of an installation; the console's host is read where it is shown. */
export const STATUS_PARTS = SNAPSHOT_PARTS.filter((part) => part !== 'consoleHost');
export type SnapshotPart = (typeof SNAPSHOT_PARTS)[number];

/**
 * Probes the cluster. Never throws for its state: an API that does not answer is `away`, and a list that fails makes
 * only its own part null.
 * @param parts the parts to read; one request each
 * @param now milliseconds since the epoch of the clock
 * @param health the result of the previous probe; without it every outage begins now
 */
export async function takeSnapshot(
  cluster: Cluster,
  parts: readonly SnapshotPart[],
  now: number,
  health: ApiHealth = UNKNOWN_HEALTH,
): Promise<Snapshot> {
  const userErrors: Partial<Record<SnapshotPart, UserError>> = {};
  const empty = { nodes: null, requests: null, clusterVersion: null, operators: null, bootstrapStatus: null } as const;
  const rest = { etcdBootstrapMemberRemoved: null, consoleHost: null } as const;
  const createAwaySnapshot = (userError: UserError, next: ApiHealth): Snapshot => {
    const api = { state: 'away', gitVersion: null, userError, ...describeApi(cluster, next, now) } as const;
    return { at: now, api, ...empty, ...rest, userErrors };
  };
  const { outage } = health;
  if (outage?.quietUntil != null && now < outage.quietUntil) return createAwaySnapshot(outage.error.userError, health);
  let gitVersion: string;
  try {
    gitVersion = (await cluster.version()).gitVersion;
  } catch (error) {
    const probe = { hasAnswered: hasAnswered(error), error: isClusterError(error) ? error : null };
    return createAwaySnapshot(toUserError(error), recordProbe(health, probe, now));
  }
  let first: ClusterError | null = null;
  const read = async <T>(part: SnapshotPart, take: () => Promise<T | null>): Promise<T | null> => {
    if (!parts.includes(part)) return null;
    try {
      return await take();
    } catch (error) {
      if (isClusterError(error, 'absent')) return null;
      userErrors[part] = toUserError(error);
      if (isClusterError(error)) first ??= error;
      return null;
    }
  };
  const readList = <T>(part: SnapshotPart, kind: Kind, view: (object: KubeObject) => T): Promise<T[] | null> =>
    read(part, async () => (await cluster.list(kind)).map(view));
  const [nodes, requests, clusterVersion, operators, bootstrapStatus, etcd, consoleHost] = await Promise.all([
    readList('nodes', 'Node', nodeView),
    readList('requests', 'CertificateSigningRequest', readRequest),
    read('clusterVersion', () => readClusterVersion(cluster)),
    readList('operators', 'ClusterOperator', operatorView),
    read('bootstrapStatus', () => readBootstrapStatus(cluster)),
    read('etcdBootstrapMemberRemoved', () => readMemberRemoved(cluster)),
    read('consoleHost', async () => getRouteHost(await cluster.get('Route', 'console', 'openshift-console'))),
  ]);
  return {
    at: now,
    api: {
      state: 'up',
      gitVersion,
      userError: null,
      ...describeApi(cluster, recordProbe(health, { hasAnswered: true, error: first }, now), now),
    },
    nodes,
    requests,
    clusterVersion,
    operators,
    bootstrapStatus,
    etcdBootstrapMemberRemoved: etcd,
    consoleHost,
    userErrors,
  };
}

function describeApi(cluster: Cluster, health: ApiHealth, now: number) {
  return {
    line: formatApiOutage(health, now),
    urgency: assessUrgency(health, now),
    clockSkew: cluster.clockSkew(),
    health,
  };
}

/** Whether this failure is still a response of Kubernetes. */
function hasAnswered(error: unknown): boolean {
  return isClusterError(error, 'credentials', 'forbidden', 'absent') && error.status !== null;
}

/** A host name (RFC 1123). The user is sent there, so nothing else is accepted. */
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

function getRouteHost(route: KubeObject | null): string | null {
  const host = getString(route?.spec, 'host');
  return host !== null && HOST.test(host) ? host : null;
}
