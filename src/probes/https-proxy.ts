import { BlockList, connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls';
import { getProxyAuthorization, request, requestTunnel, TunnelRefusedError } from '../platform/http.ts';
import type { Endpoint, ResolveEndpoint } from '../platform/manual-actions.ts';
import { formatUrlHost, getUrlHost } from '../platform/text.ts';

/** A proxy for HTTPS; its password is only in `authorization`. */
interface HttpsProxy {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The value of Proxy-Authorization; null: none. */
  readonly authorization: string | null;
}

/** Parses the URL of a proxy; null for an empty or invalid one. */
export function parseProxy(url: string): HttpsProxy | null {
  if (!URL.canParse(url)) return null;
  const proxy = new URL(url);
  const { protocol, hostname, port } = proxy;
  const isTls = protocol === 'https:';
  return {
    host: getUrlHost({ hostname }),
    port: Number(port || (isTls ? 443 : 80)),
    isTls,
    authorization: getProxyAuthorization(proxy),
  };
}

/**
 * Whether a connection bypasses the proxy, by the rules of the cluster's programs for noProxy
 * (golang.org/x/net/http/httpproxy): `*`, an address or a network in CIDR notation, a name with all its subdomains, or
 * with a leading dot only the subdomains; each with an optional port.
 */
export function shouldBypassProxy(host: string, port: number, noProxy: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || /^127\.|^::1$/.test(name)) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => matchesEntry(entry, name, port));
}

function matchesEntry(entry: string, name: string, port: number): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isAddressInCidr(entry, name);
  if (isIP(entry) !== 0) return entry === name;
  const [, domain = entry, entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && Number(entryPort) !== port) return false;
  const suffix = domain.replace(/^\*?\./, '');
  return name.endsWith(`.${suffix}`) || (domain === suffix && name === suffix);
}

function isAddressInCidr(cidr: string, address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const [network = '', prefix = ''] = cidr.split('/');
  if (isIP(address) === 0 || isIP(network) !== isIP(address) || !/^\d{1,3}$/.test(prefix)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}

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
