import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Cluster } from '../../src/kube/api.ts';
import type { ApiRequest, Transport } from '../../src/kube/transport.ts';
import type { createApiHandler } from '../../src/rehearsal/api/server.ts';

/** A socket that only records the bytes that are sent over it. */
class RecordingSocket extends Socket {
  readonly chunks: Buffer[] = [];
  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(Buffer.from(chunk));
    done();
  }
  override _writev(chunks: readonly { chunk: Buffer | string }[], done: () => void): void {
    for (const { chunk } of chunks) this.chunks.push(Buffer.from(chunk));
    done();
  }
}

/** Replaces an answer of the API in a test; null lets the API answer. */
export type RequestInterceptor = (apiRequest: ApiRequest) => { readonly status: number; readonly body: object } | null;

/** Creates a transport to an API handler without a network, for tests that send thousands of requests. */
export function createInProcessTransport(
  handler: ReturnType<typeof createApiHandler>,
  intercept: RequestInterceptor = () => null,
): Transport {
  return async (apiRequest) => {
    const replacement = intercept(apiRequest);
    if (replacement !== null)
      return createAnswer(replacement.status, 'application/json', JSON.stringify(replacement.body));
    const { method, path, query, body, accept = 'application/json' } = apiRequest;
    const request = new IncomingMessage(new Socket());
    request.method = method;
    request.url = query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
    request.headers = { accept, ...(body === undefined ? {} : { 'content-type': body.type }) };
    if (body !== undefined) request.push(body.text);
    request.push(null);
    const response = new ServerResponse(request);
    const socket = new RecordingSocket();
    response.assignSocket(socket);
    const finished = new Promise((resolve) => response.once('finish', resolve));
    handler(request, response);
    await finished;
    const sent = Buffer.concat(socket.chunks).toString();
    const text = sent.slice(sent.indexOf('\r\n\r\n') + 4);
    return createAnswer(response.statusCode, String(response.getHeader('content-type') ?? ''), text);
  };
}

const createAnswer = (status: number, contentType: string, text: string) => ({
  status,
  contentType,
  text,
  retryAfter: null,
  date: null,
});

/** No command runs in a container of this API. */
export const refuseExec: Cluster['exec'] = () => Promise.reject(new Error('this API runs no commands in containers'));
