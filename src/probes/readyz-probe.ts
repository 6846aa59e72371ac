import { request } from 'node:https';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import { fetchResponseHead } from '../platform/http.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';

/**
 * Queries /readyz of an API server directly, as a load balancer does: without a login, and without verifying its
 * certificate. The certificate is not valid for that address. Nothing but the request is sent.
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 * @returns the HTTP status; null: no answer over TLS
 */
export async function probeReadyz(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  { address, timeoutMs }: { readonly address: string; readonly timeoutMs: number },
): Promise<number | null> {
  const deadline = startDeadline(clock, timeoutMs);
  const target = resolveEndpoint(address, 6443);
  try {
    const { status } = await fetchResponseHead(
      request({ ...target, path: '/readyz', rejectUnauthorized: false, agent: false, signal: deadline.signal }),
    );
    return status;
  } catch {
    return null;
  } finally {
    deadline.end();
  }
}
