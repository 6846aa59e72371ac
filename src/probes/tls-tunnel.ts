import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls';
import { request, requestTunnel, TunnelRefusedError } from '../platform/http.ts';
import type { Endpoint, ResolveEndpoint } from '../platform/manual-actions.ts';
import { formatUrlHost } from '../platform/text.ts';
import type { HttpsProxy } from './https-proxy.ts';

/** A failure before the target has responded. `status`: the response of a proxy that refuses the tunnel. */
export class TunnelError extends Error {
  readonly hop: 'proxy' | 'target';
  readonly status: number | null;

  constructor(hop: 'proxy' | 'target', status: number | null, cause: unknown) {
    super(`${hop} ${status ?? ''}`, { cause });
    this.hop = hop;
    this.status = status;
  }
}

/**
 * Opens a verified TLS connection to a host, directly or through a proxy (CONNECT). Trusts the public CAs and
 * the given ones.
 * @param options.authorities PEM certificates
 * @throws TunnelError
 */
export async function openTlsConnection(
  resolveEndpoint: ResolveEndpoint,
  host: string,
  port: number,
  options: { readonly proxy: HttpsProxy | null; readonly authorities: readonly string[]; readonly signal: AbortSignal },
): Promise<TLSSocket> {
  const { proxy, authorities, signal } = options;
  const socket =
    proxy === null
      ? await connectTcp(resolveEndpoint(host, port), signal, 'target')
      : await connectThroughProxy(proxy, host, port);
  return await startTls(socket, host, 'target');

  async function connectThroughProxy(httpsProxy: HttpsProxy, toHost: string, toPort: number): Promise<Socket> {
    const tcpSocket = await connectTcp(resolveEndpoint(httpsProxy.host, httpsProxy.port), signal, 'proxy');
    const proxySocket = httpsProxy.isTls ? await startTls(tcpSocket, httpsProxy.host, 'proxy') : tcpSocket;
    const authority = `${formatUrlHost(toHost)}:${toPort}`;
    try {
      return await requestTunnel(request, { createConnection: () => proxySocket }, authority, httpsProxy.authorization);
    } catch (error) {
      proxySocket.destroy();
      throw new TunnelError('proxy', error instanceof TunnelRefusedError ? error.status : null, error);
    }
  }

  function startTls(socket: Socket, name: string, hop: TunnelError['hop']): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const servername = isIP(name) === 0 ? name : '';
      const ca = [...rootCertificates, ...authorities];
      const tlsSocket = connectTls({ socket, host: name, servername, ca }, () => resolve(tlsSocket));
      tlsSocket.on('error', (error) => reject(new TunnelError(hop, null, error)));
      socket.once('close', () => reject(new TunnelError(hop, null, new Error('closed'))));
    });
  }
}

function connectTcp(endpoint: Endpoint, signal: AbortSignal, hop: TunnelError['hop']): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...endpoint, signal }, () => resolve(socket));
    socket.on('error', (error) => reject(new TunnelError(hop, null, error)));
  });
}
