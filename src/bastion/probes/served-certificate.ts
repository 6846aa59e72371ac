import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { shownCertificate } from '../../ports/shown-certificate.ts';
import { runPatience } from '../patience.ts';

/**
 * The certificate that a TLS server shows, verified or not; null: no answer, or no certificate.
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function servedCertificate(
  reach: Reach,
  clock: Clock,
  { host, port, timeoutMs }: { readonly host: string; readonly port: number; readonly timeoutMs: number },
): Promise<X509Certificate | null> {
  const patience = runPatience(clock, timeoutMs);
  try {
    return await shownCertificate(reach(host, port), patience.signal);
  } catch {
    return null;
  } finally {
    patience.end();
  }
}
