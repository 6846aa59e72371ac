import { MINUTE } from '../../platform/clock.ts';

/**
 * Assessment of a request from a node that is already in the cluster. `again`: the node is not Ready, and its machine
 * was reinstalled since. `running`: it is Ready, so it has its certificate and needs none. `unseen`: it is not Ready,
 * and no installation was observed since.
 */
export interface RejoinAssessment {
  readonly kind: 'again' | 'running' | 'unseen';
  /** For `again`: time of the last download of an installation file (ms); null otherwise. */
  readonly installedAt: number | null;
}

/** A cluster detects a failed node after 40 to 50 s (node-monitor-grace-period), and clocks differ a little. */
const DETECTION_DELAY = 5 * MINUTE;
const MAX_CLOCK_SKEW = MINUTE;

/**
 * Assesses the request of a node that is already in the cluster. The result is no proof: you decide. Times in ms.
 * @param installs times at which its machine downloaded installation files, the oldest first
 */
export function assessRejoin(
  { requestedAt }: { readonly requestedAt: number | null },
  node: { readonly isReady: boolean; readonly createdAt: number | null; readonly goneSince: number | null },
  installs: readonly number[],
): RejoinAssessment {
  if (node.isReady) return { kind: 'running', installedAt: null };
  const createdAt = node.createdAt ?? 0;
  const since = Math.max(createdAt, (node.goneSince ?? createdAt) - DETECTION_DELAY);
  const until = (requestedAt ?? 0) + MAX_CLOCK_SKEW;
  const installedAt = installs.findLast((at) => at >= since && at <= until) ?? null;
  return { kind: installedAt === null ? 'unseen' : 'again', installedAt };
}
