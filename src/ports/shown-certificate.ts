import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type ConnectionOptions, connect, createSecureContext, type SecureContext } from 'node:tls';

// One for all: Node keeps the ones it makes for each connection until the next large garbage collection, 20 KiB apiece.
let context: SecureContext | null = null;

/**
 * The certificate that a TLS server shows, verified or not; null: it shows none. We read the certificate only and close the
 * connection: no credentials and no request go over it, so verification would have nothing
 * to protect, and we trust nothing that the other side says.
 * @param to where to connect, or the open connection to talk over
 * @param signal ends the wait
 * @throws what the connection fails with, or an AbortError
 */
export async function shownCertificate(
  to: Pick<ConnectionOptions, 'host' | 'port' | 'socket' | 'servername'>,
  signal: AbortSignal,
): Promise<X509Certificate | null> {
  context ??= createSecureContext();
  const socket = connect({ ...to, secureContext: context, rejectUnauthorized: false });
  // An error after the end of the wait has no listener left.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'secureConnect', { signal });
    // Not getPeerX509Certificate(): it never frees the certificates above the one it gives (Node 24.21, 5 KiB at each call).
    const { raw } = socket.getPeerCertificate();
    return raw === undefined ? null : new X509Certificate(raw);
  } finally {
    socket.destroy();
  }
}
