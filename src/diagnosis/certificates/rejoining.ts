import { MINUTE } from '../../ports/clock.ts';

/**
 * A node of the cluster asks to join once more. `again`: it is away, and its machine was installed since. `running`: it is
 * Ready, so it has its certificate and asks for none. `unseen`: it is away, and nothing was seen of an installation since.
 */
export interface Rejoining {
  readonly kind: 'again' | 'running' | 'unseen';
  /** When its machine last fetched what an installation fetches (ms), of `again`; null else. */
  readonly installedAt: number | null;
}

/** A cluster takes 40 to 50 s to notice that a node is away (node-monitor-grace-period), and clocks differ a little. */
const NOTICED_WITHIN = 5 * MINUTE;
const CLOCKS_APART = MINUTE;

/**
 * Which of these it is. It proves nothing; a person decides. Times in ms.
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
