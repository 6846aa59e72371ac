import { request } from 'node:https';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { headOf } from '../head-of.ts';
import { runPatience } from '../patience.ts';

/**
 * Whether an API server says that it is ready, asked at the machine itself as a load balancer asks it: without a login, and
 * without a look at its certificate, which is not made for that address. Nothing is sent but the question.
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 * @returns the HTTP status; null: no answer over TLS
 */
export async function readyzProbe(
  reach: Reach,
  clock: Clock,
  { address, timeoutMs }: { readonly address: string; readonly timeoutMs: number },
): Promise<number | null> {
  const patience = runPatience(clock, timeoutMs);
  const target = reach(address, 6443);
  try {
    const { status } = await headOf(
      request({ ...target, path: '/readyz', rejectUnauthorized: false, agent: false, signal: patience.signal }),
    );
    return status;
  } catch {
    return null;
  } finally {
    patience.end();
  }
}
