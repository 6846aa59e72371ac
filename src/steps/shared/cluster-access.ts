import { existsSync } from 'node:fs';
import { convertErrorToFinding, type Finding } from '../../checks/check.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import type { Cluster } from '../../kube/api.ts';
import { connectCluster } from '../../kube/connect-cluster.ts';
import { checkClockSkew } from '../../kube/errors.ts';
import { type ClusterSnapshot, type SnapshotPart, takeSnapshot } from '../../kube/snapshot.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from './workspace.ts';

/**
 * Connects to the cluster of this install directory; null while there is no kubeconfig. Every probe connects again: the
 * installer rewrites the file when it completes.
 */
export async function openCluster(context: StepContext): Promise<Cluster | null> {
  const { kubeconfig } = workspace(context.dir);
  if (!existsSync(kubeconfig)) return null;
  return await connectCluster({ kubeconfig, resolveEndpoint: context.resolveEndpoint, clock: context.clock });
}

/**
 * Connects to the cluster of this install directory.
 * @throws UserErrorException `kubeconfig-missing`
 */
async function requireCluster(context: StepContext): Promise<Cluster> {
  const cluster = await openCluster(context);
  if (cluster) return cluster;
  throw new UserErrorException({
    code: 'kubeconfig-missing',
    ...catalogue().diagnosis.prepare['install-dir-used'],
    cause: context.dir,
  });
}

/** Creates the cluster context of this install directory. */
export function createClusterContext(context: StepContext): ClusterContext {
  const { design, clock, resolveEndpoint, stepState, probeCache } = context;
  const connect = () => requireCluster(context);
  return { design, clock, resolveEndpoint, stepState, probeCache, connect, session: { context } };
}

/**
 * Reads these parts from the API; null without a kubeconfig. An unavailable API is no error: `api.state` reports it.
 */
export async function readSnapshot(
  context: StepContext,
  parts: readonly SnapshotPart[],
): Promise<ClusterSnapshot | null> {
  const cluster = await openCluster(context);
  if (cluster === null) return null;
  const { apiHealth } = context.probeCache;
  const key = parts.join(' ');
  const snapshot = await takeSnapshot(cluster, parts, context.clock.now(), apiHealth.get(key));
  apiHealth.set(key, snapshot.api.health);
  return snapshot;
}

/**
 * Checks the connection itself. Returns warnings only: the next probe follows in any case, and the problem may be gone
 * by then.
 */
export function checkApiConnection(snapshot: ClusterSnapshot | null): Finding[] {
  if (snapshot === null) return [];
  const { urgency, health, clockSkew } = snapshot.api;
  const outageError = urgency === 'normal' ? null : (health.outage?.error.userError ?? null);
  return [outageError, checkClockSkew(clockSkew)].flatMap((userError) =>
    userError === null ? [] : convertErrorToFinding(userError, 'warning'),
  );
}

/** Context for code that works on any running cluster: its connection, and the design to compare it with. */
export interface ClusterContext
  extends Pick<StepContext, 'design' | 'clock' | 'resolveEndpoint' | 'stepState' | 'probeCache'> {
  /**
   * Connects to the API again: the installer rewrites the kubeconfig when it completes.
   * @throws UserErrorException `kubeconfig-…`
   */
  readonly connect: () => Promise<Cluster>;
  /** The context of the session in an install directory. Null if the command got only a design and a kubeconfig. */
  readonly session: { readonly context: StepContext } | null;
}
