import type { ClientRequest, IncomingHttpHeaders } from 'node:http';

/**
 * Sends a request without a body and resolves with the head of the response; its body is discarded. Rejects with the
 * error of the connection.
 */
export function readResponseHead(
  req: ClientRequest,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    req.on('error', reject);
    req.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    req.end();
  });
}
