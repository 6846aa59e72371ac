import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Clock } from '../ports/clock.ts';
import type { Reach } from '../ports/reach.ts';
import { runPatience } from './patience.ts';

/**
 * The certificate that a TLS server shows, whoever signed it; null when nothing answers or it shows none. Only the public
 * certificate is read: nothing is sent, and nothing is believed of what the other side says.
 * @param timeoutMs milliseconds of the clock (at least 300 real ones)
 */
export async function servedCertificate(
  reach: Reach,
  clock: Clock,
  { host, port, timeoutMs }: { readonly host: string; readonly port: number; readonly timeoutMs: number },
): Promise<X509Certificate | null> {
  const patience = runPatience(clock, timeoutMs);
  const socket = connect({ ...reach(host, port), rejectUnauthorized: false });
  // An error after the end of the wait is nobody's.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'secureConnect', { signal: patience.signal });
    return socket.getPeerX509Certificate() ?? null;
  } catch {
    return null;
  } finally {
    socket.destroy();
    patience.end();
  }
}
