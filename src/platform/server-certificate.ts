import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type ConnectionOptions, connect, createSecureContext, type SecureContext } from 'node:tls';
import { sanitizeLine } from './sanitize.ts';

// Shared: otherwise Node.js creates a context for each connection (20 KiB) and frees it only at the next major garbage
// collection.
let sharedContext: SecureContext | null = null;

/**
 * Fetches the certificate of a TLS server without verifying it; null if it presents none. The connection is closed
 * after the handshake: it carries no credentials and no request, so verification has nothing to protect, and we trust
 * nothing that the server sends.
 * @param target the endpoint, or an open connection to use
 * @param signal ends the wait
 * @throws the error of the connection, or an AbortError
 */
export async function fetchServerCertificate(
  target: Pick<ConnectionOptions, 'host' | 'port' | 'socket' | 'servername'>,
  signal: AbortSignal,
): Promise<X509Certificate | null> {
  sharedContext ??= createSecureContext();
  const socket = connect({ ...target, secureContext: sharedContext, rejectUnauthorized: false });
  // Without this listener, an error after the wait would be unhandled and end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'secureConnect', { signal });
    // Not getPeerX509Certificate(): it never frees the certificates above the returned one (Node.js 24.21, 5 KiB at
    // each call).
    const { raw } = socket.getPeerCertificate();
    return raw === undefined ? null : new X509Certificate(raw);
  } finally {
    socket.destroy();
  }
}

/** Returns the common name of a distinguished name, else the whole name; in one line, safe to show. */
export function getCommonName(distinguishedName: string): string {
  const commonName = /^CN=(.*)$/m.exec(distinguishedName)?.[1];
  return sanitizeLine(commonName ?? distinguishedName.replaceAll('\n', ', '), 100);
}
