import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { getProxyAuthorization, request as httpRequest, requestTunnel, TunnelRefusedError } from '../platform/http.ts';
import type { Endpoint, ResolveEndpoint } from '../platform/manual-actions.ts';
import { formatUrlHost, getUrlHost } from '../platform/text.ts';
import { ClusterError, isClusterError } from './errors.ts';

const words = () => catalogue().cluster;

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const SOCKS_PORT = 1080;

/**
 * Connects to `target` through the proxy of a kubeconfig; the caller speaks TLS to the API through it.
 * @param timeoutMs maximum time for the proxy, in milliseconds of real time
 * @throws ClusterError `proxy` if the proxy is at fault; otherwise the error that it reports for the target
 */
export async function openTunnel(
  proxy: URL,
  target: Endpoint,
  resolveEndpoint: ResolveEndpoint,
  timeoutMs: number,
): Promise<Socket> {
  const isSocks = proxy.protocol.startsWith('socks');
  const port = Number(proxy.port) || (DEFAULT_PORTS[proxy.protocol] ?? SOCKS_PORT);
  const proxyEndpoint = resolveEndpoint(getUrlHost(proxy), port);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await (isSocks
      ? connectThroughSocks(proxy, proxyEndpoint, target, signal)
      : connectThroughHttp(proxy, proxyEndpoint, target, signal));
  } catch (error) {
    if (isClusterError(error)) throw error;
    const reason = signal.aborted ? words().timeout(timeoutMs) : describeSystemError(error);
    throw new ClusterError('proxy', words().proxy.failed(proxy.host, reason));
  }
}

async function connectThroughHttp(
  proxy: URL,
  proxyEndpoint: Endpoint,
  target: Endpoint,
  signal: AbortSignal,
): Promise<Socket> {
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  // The certificate of the proxy must be for its name, whatever address `resolveEndpoint` returns.
  const options = { ...proxyEndpoint, servername: getUrlHost(proxy), agent: false, signal };
  const authority = `${formatUrlHost(target.host)}:${target.port}`;
  try {
    return await requestTunnel(send, options, authority, getProxyAuthorization(proxy));
  } catch (error) {
    if (!(error instanceof TunnelRefusedError)) throw error;
    // 502 to 504 are about the API behind the proxy; everything else is between us and the proxy.
    const kind = error.status >= 502 && error.status <= 504 ? 'closed' : 'proxy';
    throw new ClusterError(kind, words().proxy.failed(proxy.host, error.message));
  }
}

/** SOCKS replies about the target (RFC 1928, section 6); other replies are the proxy's own fault. */
const SOCKS_REPLY_KINDS: Readonly<Record<number, 'refused' | 'unreachable' | 'name' | 'timeout'>> = {
  3: 'unreachable',
  4: 'name',
  5: 'refused',
  6: 'timeout',
};

/** Connects through SOCKS 5 (RFC 1928), with the user name and password of the proxy URL, if any (RFC 1929). */
async function connectThroughSocks(
  proxy: URL,
  proxyEndpoint: Endpoint,
  target: Endpoint,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({ host: proxyEndpoint.host, port: proxyEndpoint.port });
  const abort = () => socket.destroy(new Error(words().proxy.timeout));
  signal.addEventListener('abort', abort, { once: true });
  try {
    await once(socket, 'connect');
    const login = [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)].map((part) =>
      addLengthPrefix(part),
    );
    const hasLogin = proxy.username !== '';
    socket.write(Buffer.from(hasLogin ? [5, 2, 0, 2] : [5, 1, 0]));
    const method = (await readBytes(socket, 2))[1];
    if (method === 2 && hasLogin) {
      socket.write(Buffer.concat([Buffer.from([1]), ...login]));
      if ((await readBytes(socket, 2))[1] !== 0) throw new ClusterError('proxy', words().proxy.login(proxy.host));
    } else if (method !== 0) throw new ClusterError('proxy', words().proxy.login(proxy.host));
    const port = Buffer.alloc(2);
    port.writeUInt16BE(target.port);
    socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3]), addLengthPrefix(target.host), port]));
    const [, reply = 1, , type] = await readBytes(socket, 4);
    if (reply !== 0) {
      throw new ClusterError(
        SOCKS_REPLY_KINDS[reply] ?? 'proxy',
        words().proxy.failed(proxy.host, words().proxy.reply(reply)),
      );
    }
    // The address and port that the proxy connects from: read and dropped.
    const length = type === 1 ? 4 : type === 4 ? 16 : ((await readBytes(socket, 1))[0] ?? 0);
    await readBytes(socket, length + 2);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function addLengthPrefix(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Reads exactly the next `count` bytes; those after them belong to TLS. */
async function readBytes(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes: unknown = socket.read(count);
    if (Buffer.isBuffer(bytes) && bytes.length === count) return bytes;
    if (socket.readableEnded || socket.destroyed) throw new Error(words().proxy.closed);
    await Promise.race([once(socket, 'readable'), once(socket, 'end'), once(socket, 'close')]);
  }
}
