import { toUserError, type UserError } from '../i18n/user-error.ts';
import { type CertificateRequest, parseCertificateRequest } from '../openshift/certificate-request.ts';
import type { Kind } from '../openshift/kinds.ts';
import { type NodeView, parseNode } from '../openshift/node.ts';
import { getString, type KubeObject, listConditions } from '../openshift/object.ts';
import { type OperatorView, parseClusterOperator } from '../openshift/operator.ts';
import type { Cluster } from './api.ts';
import {
  type ApiHealth,
  assessUrgency,
  formatApiOutage,
  recordProbe,
  UNKNOWN_HEALTH,
  type Urgency,
} from './api-health.ts';
import { type ClusterVersionView, readClusterVersion } from './cluster-version.ts';
import { type ClusterError, isClusterError } from './errors.ts';

/** Reads the installer's own signal of a complete bootstrap: ConfigMap kube-system/bootstrap, `status: complete`. */
async function readBootstrapStatus(cluster: Cluster): Promise<BootstrapStatus> {
  const configMap = await cluster.get('ConfigMap', 'bootstrap', 'kube-system');
  if (!configMap) return 'absent';
  return configMap.data?.status === 'complete' ? 'complete' : 'progress';
}

/**
 * The etcd operator's condition that the bootstrap member is removed. Versions 4.13 to 4.15 misspell it
 * (cluster-etcd-operator#992, corrected in #1201).
 */
const MEMBER_REMOVED_CONDITIONS: readonly string[] = ['EtcdBootstrapMemberRemoved', 'EtcdBoostrapMemberRemoved'];

/** Reads whether etcd has removed the bootstrap member; null while its operator does not report it. */
export async function readEtcdBootstrapMemberRemoved(cluster: Pick<Cluster, 'get'>): Promise<boolean | null> {
  const etcd = await cluster.get('Etcd', 'cluster');
  return etcd ? isEtcdBootstrapMemberRemoved(etcd) : null;
}

/** Whether the bootstrap member is removed, by the status of Etcd/cluster; null before the status reports it. */
export function isEtcdBootstrapMemberRemoved(etcd: KubeObject): boolean | null {
  const conditions = listConditions(etcd).filter(({ type }) => MEMBER_REMOVED_CONDITIONS.includes(type));
  return conditions.length === 0 ? null : conditions.some(({ status }) => status === 'True');
}

/**
 * The state of the cluster at one probe. A part is null if it was not requested or could not be read; `userErrors` has
 * the reason.
 */
export interface ClusterSnapshot {
  readonly at: number;
  readonly api: {
    readonly state: 'up' | 'away';
    readonly gitVersion: string | null;
    readonly userError: UserError | null;
    /** The error, its duration, and whether the duration is normal, in one line; also if only a part is unreadable. */
    readonly line: string | null;
    readonly urgency: Urgency;
    /** See Cluster.getClockSkew. */
    readonly clockSkew: number | null;
    /** The health to pass to the next probe. */
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
  /** The error of each part that could not be read. A part whose kind is not served yet is null without an error. */
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
 * @param now ms of the clock
 * @param health the result of the previous probe; without it every outage begins now
 */
export async function takeSnapshot(
  cluster: Cluster,
  parts: readonly SnapshotPart[],
  now: number,
  health: ApiHealth = UNKNOWN_HEALTH,
): Promise<ClusterSnapshot> {
  const userErrors: Partial<Record<SnapshotPart, UserError>> = {};
  const missingParts = {
    nodes: null,
    requests: null,
    clusterVersion: null,
    operators: null,
    bootstrapStatus: null,
  } as const;
  const missingDetails = { etcdBootstrapMemberRemoved: null, consoleHost: null } as const;
  const createAwaySnapshot = (userError: UserError, nextHealth: ApiHealth): ClusterSnapshot => {
    const api = { state: 'away', gitVersion: null, userError, ...describeApi(cluster, nextHealth, now) } as const;
    return { at: now, api, ...missingParts, ...missingDetails, userErrors };
  };
  const { outage } = health;
  if (outage?.pauseUntil != null && now < outage.pauseUntil) return createAwaySnapshot(outage.error.userError, health);
  let gitVersion: string;
  try {
    gitVersion = (await cluster.getVersion()).gitVersion;
  } catch (error) {
    const probe = { hasAnswered: isServerResponse(error), error: isClusterError(error) ? error : null };
    return createAwaySnapshot(toUserError(error), recordProbe(health, probe, now));
  }
  let firstError: ClusterError | null = null;
  const readPart = async <T>(part: SnapshotPart, request: () => Promise<T | null>): Promise<T | null> => {
    if (!parts.includes(part)) return null;
    try {
      return await request();
    } catch (error) {
      if (isClusterError(error, 'absent')) return null;
      userErrors[part] = toUserError(error);
      if (isClusterError(error)) firstError ??= error;
      return null;
    }
  };
  const readList = <T>(part: SnapshotPart, kind: Kind, parseObject: (object: KubeObject) => T): Promise<T[] | null> =>
    readPart(part, async () => (await cluster.list(kind)).map(parseObject));
  const [nodes, requests, clusterVersion, operators, bootstrapStatus, isEtcdMemberRemoved, consoleHost] =
    await Promise.all([
      readList('nodes', 'Node', parseNode),
      readList('requests', 'CertificateSigningRequest', parseCertificateRequest),
      readPart('clusterVersion', () => readClusterVersion(cluster)),
      readList('operators', 'ClusterOperator', parseClusterOperator),
      readPart('bootstrapStatus', () => readBootstrapStatus(cluster)),
      readPart('etcdBootstrapMemberRemoved', () => readEtcdBootstrapMemberRemoved(cluster)),
      readPart('consoleHost', async () => getRouteHost(await cluster.get('Route', 'console', 'openshift-console'))),
    ]);
  return {
    at: now,
    api: {
      state: 'up',
      gitVersion,
      userError: null,
      ...describeApi(cluster, recordProbe(health, { hasAnswered: true, error: firstError }, now), now),
    },
    nodes,
    requests,
    clusterVersion,
    operators,
    bootstrapStatus,
    etcdBootstrapMemberRemoved: isEtcdMemberRemoved,
    consoleHost,
    userErrors,
  };
}

function describeApi(cluster: Cluster, health: ApiHealth, now: number) {
  return {
    line: formatApiOutage(health, now),
    urgency: assessUrgency(health, now),
    clockSkew: cluster.getClockSkew(),
    health,
  };
}

/** Whether this error is a response of the API server itself. */
function isServerResponse(error: unknown): boolean {
  return isClusterError(error, 'credentials', 'forbidden', 'absent') && error.status !== null;
}

/** A host name (RFC 1123). The user is sent there, so nothing else is accepted. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

function getRouteHost(route: KubeObject | null): string | null {
  const host = getString(route?.spec, 'host');
  return host !== null && HOST_NAME.test(host) ? host : null;
}

/** The state of the bootstrap in the API, from the installer's ConfigMap. */
type BootstrapStatus = 'absent' | 'progress' | 'complete';
