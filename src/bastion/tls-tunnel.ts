import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls';
import { request } from '../ports/http.ts';
import type { Reach } from '../ports/reach.ts';
import { urlHost } from '../text/url-host.ts';

/** A proxy for HTTPS; its password stays in `authorization`. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The value of Proxy-Authorization; null: it wants none. */
  readonly authorization: string | null;
}

/** The proxy of a URL; null for an empty one, or one that is none. */
export function proxyOf(url: string): Proxy | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port, username, password } = new URL(url);
  const isTls = protocol === 'https:';
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isTls ? 443 : 80)),
    isTls,
    authorization: username === '' ? null : `Basic ${Buffer.from(login).toString('base64')}`,
  };
}

/** What failed on the way, before the other side was heard. `status`: the answer of a proxy that does not let us through. */
export class TunnelError extends Error {
  readonly at: 'proxy' | 'target';
  readonly status: number | null;

  constructor(at: 'proxy' | 'target', status: number | null, cause: unknown) {
    super(`${at} ${status ?? ''}`, { cause });
    this.at = at;
    this.status = status;
  }
}

/**
 * A verified TLS connection to a host, straight or through a proxy (CONNECT). Trusts the public authorities and those given.
 * @param options.authorities PEM certificates
 * @throws TunnelError
 */
export async function openTunnel(
  reach: Reach,
  host: string,
  port: number,
  options: { readonly proxy: Proxy | null; readonly authorities: readonly string[]; readonly signal: AbortSignal },
): Promise<TLSSocket> {
  const { proxy, authorities, signal } = options;
  const raw = proxy === null ? await tcp(reach(host, port), signal, 'target') : await through(proxy, host, port);
  return await secured(raw, host, 'target');

  async function through(by: Proxy, toHost: string, toPort: number): Promise<Socket> {
    const plain = await tcp(reach(by.host, by.port), signal, 'proxy');
    const link = by.isTls ? await secured(plain, by.host, 'proxy') : plain;
    return await ask(link, by, `${urlHost(toHost)}:${toPort}`);
  }

  function secured(socket: Socket, name: string, at: TunnelError['at']): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const servername = isIP(name) === 0 ? name : '';
      const ca = [...rootCertificates, ...authorities];
      const link = connectTls({ socket, host: name, servername, ca }, () => resolve(link));
      link.on('error', (error) => reject(new TunnelError(at, null, error)));
      socket.once('close', () => reject(new TunnelError(at, null, new Error('closed'))));
    });
  }
}

function tcp(
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
  at: TunnelError['at'],
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal }, () => resolve(socket));
    socket.on('error', (error) => reject(new TunnelError(at, null, error)));
  });
}

function ask(link: Socket, { authorization }: Proxy, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { Host: path, ...(authorization === null ? {} : { 'Proxy-Authorization': authorization }) };
    const asked = request({ createConnection: () => link, method: 'CONNECT', path, headers });
    asked.on('error', (error) => reject(new TunnelError('proxy', null, error)));
    const refused = (status: number) => {
      link.destroy();
      reject(new TunnelError('proxy', status, null));
    };
    asked.on('response', ({ statusCode = 0 }) => refused(statusCode));
    asked.on('connect', ({ statusCode = 0 }, socket: Socket) =>
      statusCode >= 200 && statusCode < 300 ? resolve(socket) : refused(statusCode),
    );
    asked.end();
  });
}
