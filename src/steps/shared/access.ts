import { existsSync } from 'node:fs';
import type { Cluster } from '../../cluster/api.ts';
import { connect } from '../../cluster/client.ts';
import { skewTrouble } from '../../cluster/outage.ts';
import { type Snapshot, type SnapshotPart, takeSnapshot } from '../../cluster/snapshot.ts';
import { type Finding, findingOf } from '../../diagnosis/finding.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import type { LiveCluster } from './live-cluster.ts';
import { workspace } from './workspace.ts';

/**
 * The cluster of this install directory, or null while there is no kubeconfig. Opened anew for every look: the
 * installer rewrites the file when it completes.
 */
export async function openCluster(context: StepContext): Promise<Cluster | null> {
  const { kubeconfig } = workspace(context.dir);
  if (!existsSync(kubeconfig)) return null;
  return await connect({ kubeconfig, reach: context.reach, clock: context.clock });
}

/** The cluster of this install directory. @throws TroubleError `kubeconfig-missing` */
async function clusterOrTrouble(context: StepContext): Promise<Cluster> {
  const cluster = await openCluster(context);
  if (cluster) return cluster;
  throw new TroubleError({
    code: 'kubeconfig-missing',
    ...catalogue().diagnosis.prepare['install-dir-used'],
    cause: context.dir,
  });
}

/** The cluster of this install directory, for code that works on any. */
export function liveClusterOf(context: StepContext): LiveCluster {
  const { design, clock, reach, memory, recollection } = context;
  const connect = () => clusterOrTrouble(context);
  return { design, clock, reach, memory, recollection, connect, session: { context } };
}

/** What the API says of these parts; null without a kubeconfig. An API that is away is part of the answer. */
export async function look(context: StepContext, parts: readonly SnapshotPart[]): Promise<Snapshot | null> {
  const cluster = await openCluster(context);
  if (cluster === null) return null;
  const { apiPasts } = context.recollection;
  const key = parts.join(' ');
  const snapshot = await takeSnapshot(cluster, parts, context.clock.now(), apiPasts.get(key));
  apiPasts.set(key, snapshot.api.past);
  return snapshot;
}

/** Findings about the connection itself. Warnings only: we ask again in any case, and it may be well then. */
export function apiFindings(snapshot: Snapshot | null): Finding[] {
  if (snapshot === null) return [];
  const { urgency, past, clockSkew } = snapshot.api;
  const lasting = urgency === 'normal' ? null : (past.outage?.error.trouble ?? null);
  return [lasting, skewTrouble(clockSkew)].flatMap((trouble) =>
    trouble === null ? [] : findingOf(trouble, 'warning'),
  );
}
