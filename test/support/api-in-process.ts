import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Exchange, Send } from '../../src/cluster/transport.ts';
import type { createApiHandler } from '../../src/rehearsal/api/server.ts';

/** The end of a connection that only remembers what is sent over it. */
class Wire extends Socket {
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

/** What a test does in place of the API: an answer, or null to let the API answer. */
export type Instead = (exchange: Exchange) => { readonly status: number; readonly body: object } | null;

/** The way to an API handler without a network: the same requests and answers, for tests that send thousands. */
export function inProcess(handler: ReturnType<typeof createApiHandler>, instead: Instead = () => null): Send {
  return async (exchange) => {
    const other = instead(exchange);
    if (other !== null) return answer(other.status, 'application/json', JSON.stringify(other.body));
    const { method, path, query, body } = exchange;
    const request = new IncomingMessage(new Socket());
    request.method = method;
    request.url = query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
    request.headers = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': body.type }) };
    if (body !== undefined) request.push(body.text);
    request.push(null);
    const response = new ServerResponse(request);
    const wire = new Wire();
    response.assignSocket(wire);
    const ended = new Promise((resolve) => response.once('finish', resolve));
    handler(request, response);
    await ended;
    const sent = Buffer.concat(wire.chunks).toString();
    const text = sent.slice(sent.indexOf('\r\n\r\n') + 4);
    return answer(response.statusCode, String(response.getHeader('content-type') ?? ''), text);
  };
}

const answer = (status: number, contentType: string, text: string) => ({
  status,
  contentType,
  text,
  retryAfter: null,
  date: null,
});
