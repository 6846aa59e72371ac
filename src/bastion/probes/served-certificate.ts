import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { ResolveEndpoint } from '../../platform/resolve-endpoint.ts';
import { fetchServerCertificate } from '../../platform/server-certificate.ts';
import { startDeadline } from '../deadline.ts';

/**
 * Fetches the certificate that a TLS server presents, verified or not; null: no answer, or no certificate.
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function fetchServedCertificate(
  reach: ResolveEndpoint,
  clock: Clock,
  { host, port, timeoutMs }: { readonly host: string; readonly port: number; readonly timeoutMs: number },
): Promise<X509Certificate | null> {
  const deadline = startDeadline(clock, timeoutMs);
  try {
    return await fetchServerCertificate(reach(host, port), deadline.signal);
  } catch {
    return null;
  } finally {
    deadline.end();
  }
}
