import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { type ConnectionOptions, connect, createSecureContext, type SecureContext } from 'node:tls';
import { sanitizeLine } from './sanitize.ts';

/**
 * Node.js's HTTP module without the cost of an import: an import reads every export of the module, and one of them
 * loads a second HTTP client (measured with Node.js 24: 49 ms instead of 6).
 */
export const { createServer, get, request } = process.getBuiltinModule('node:http');

/** Thrown if a proxy refuses a tunnel; `status` is the status of its response. */
export class TunnelRefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(`${status} ${message}`);
    this.status = status;
  }
}

/** Returns the value of Proxy-Authorization for the login in a proxy's URL; null: it has none. */
export function getProxyAuthorization({ username, password }: URL): string | null {
  if (username === '') return null;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

/**
 * Requests a tunnel to `authority` (host and port) from a proxy: CONNECT (RFC 9110, 9.3.6).
 * @param send `request` of node:http or node:https, as the proxy expects it
 * @param options how to connect to the proxy
 * @throws TunnelRefusedError if the proxy refuses; else the error of the connection
 */
export function requestTunnel(
  send: typeof request,
  options: RequestOptions,
  authority: string,
  authorization: string | null,
): Promise<Socket> {
  const headers = { Host: authority, ...(authorization === null ? {} : { 'Proxy-Authorization': authorization }) };
  return new Promise((resolve, reject) => {
    const refuse = ({ statusCode = 0, statusMessage = '' }: IncomingMessage) =>
      reject(new TunnelRefusedError(statusCode, statusMessage));
    send({ ...options, method: 'CONNECT', path: authority, headers })
      .on('connect', (response, socket: Socket) => {
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) return resolve(socket);
        socket.destroy();
        refuse(response);
      })
      .on('response', (response) => {
        response.destroy();
        refuse(response);
      })
      .on('error', reject)
      .end();
  });
}

/**
 * Sends a request without a body and resolves with the head of the response; its body is discarded. Rejects with the
 * error of the connection.
 */
export function fetchResponseHead(
  clientRequest: ClientRequest,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    clientRequest.on('error', reject);
    clientRequest.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    clientRequest.end();
  });
}

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
