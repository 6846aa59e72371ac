import { existsSync } from 'node:fs';
import { type Cluster, connect } from '../cluster/client.ts';
import { type Snapshot, type SnapshotPart, takeSnapshot } from '../cluster/snapshot.ts';
import type { StepContext } from './contract.ts';
import { workspace } from './workspace.ts';

/**
 * The cluster of this install directory, or null as long as there is no kubeconfig. Opened anew for every look: the
 * installer rewrites the file when it completes.
 */
export async function openCluster(context: StepContext): Promise<Cluster | null> {
  const { kubeconfig } = workspace(context.dir);
  if (!existsSync(kubeconfig)) return null;
  return await connect({ kubeconfig, reach: context.reach, clock: context.clock });
}

/** What the API says of the parts asked for; null where there is no kubeconfig yet. An API that is away is part of the answer. */
export async function look(context: StepContext, parts: readonly SnapshotPart[]): Promise<Snapshot | null> {
  const cluster = await openCluster(context);
  return cluster === null ? null : await takeSnapshot(cluster, parts, context.clock.now());
}

/** The names of the nodes that are Ready; none while the API is away. */
export async function readyNodes(context: StepContext): Promise<Set<string>> {
  const snapshot = await look(context, ['nodes']);
  return new Set(snapshot?.nodes?.filter(({ isReady }) => isReady).map(({ name }) => name) ?? []);
}
