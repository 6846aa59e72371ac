import { MINUTE } from '../../ports/clock.ts';

/**
 * A node of the cluster asks to join again. `again`: it is not Ready, and its machine was reinstalled since. `running`: it is
 * Ready, so it has its certificate and needs none. `unseen`: it is not Ready, and we saw no installation since.
 */
export interface Rejoining {
  readonly kind: 'again' | 'running' | 'unseen';
  /** When its machine last fetched what an installation fetches (ms), for `again`; null otherwise. */
  readonly installedAt: number | null;
}

/** A cluster notices after 40 to 50 s that a node is down (node-monitor-grace-period), and clocks differ a little. */
const NOTICED_WITHIN = 5 * MINUTE;
const CLOCKS_APART = MINUTE;

/**
 * Which kind it is. This proves nothing; a person decides. Times in ms.
 * @param installs when its machine fetched what an installation fetches, the oldest first
 */
export function rejoiningOf(
  { requestedAt }: { readonly requestedAt: number | null },
  node: { readonly isReady: boolean; readonly createdAt: number | null; readonly goneSince: number | null },
  installs: readonly number[],
): Rejoining {
  if (node.isReady) return { kind: 'running', installedAt: null };
  const createdAt = node.createdAt ?? 0;
  const since = Math.max(createdAt, (node.goneSince ?? createdAt) - NOTICED_WITHIN);
  const until = (requestedAt ?? 0) + CLOCKS_APART;
  const installedAt = installs.findLast((at) => at >= since && at <= until) ?? null;
  return { kind: installedAt === null ? 'unseen' : 'again', installedAt };
}
