import { existsSync } from 'node:fs';
import { type Cluster, connect } from '../../cluster/client.ts';
import { skewTrouble } from '../../cluster/outage.ts';
import { type Snapshot, type SnapshotPart, takeSnapshot } from '../../cluster/snapshot.ts';
import { type Finding, findingOf } from '../../diagnosis/finding.ts';
import type { StepContext } from '../contract.ts';
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
  if (cluster === null) return null;
  const { apiPasts } = context.recollection;
  const key = parts.join(' ');
  const snapshot = await takeSnapshot(cluster, parts, context.clock.now(), apiPasts.get(key));
  apiPasts.set(key, snapshot.api.past);
  return snapshot;
}

/** What to tell of the connection itself. Warnings only: whatever is wrong with it, we ask again and it may be well then. */
export function apiFindings(snapshot: Snapshot | null): Finding[] {
  if (snapshot === null) return [];
  const { urgency, past, clockSkew } = snapshot.api;
  const lasting = urgency === 'normal' ? null : (past.outage?.error.trouble ?? null);
  return [lasting, skewTrouble(clockSkew)].flatMap((trouble) =>
    trouble === null ? [] : findingOf(trouble, 'warning'),
  );
}
