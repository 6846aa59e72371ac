import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A complete HTTP response. */
export interface FetchResult {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * Sends a request with its body, and reads the whole response.
 * @throws the error of the connection, also one that ends the response early
 */
export async function sendRequest(request: ClientRequest, body?: string): Promise<FetchResult> {
  // After the response has begun, the response reports connection errors; those of the request are ignored.
  request.on('error', () => undefined);
  const [response] = (await once(request.end(body), 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await buffer(response) };
}
