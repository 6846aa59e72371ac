import type { ClientRequest, IncomingHttpHeaders } from 'node:http';

/**
 * Sends a request without a body and resolves with the head of the answer; what follows the head is not kept.
 * Rejects with the error of the connection.
 */
export function headOf(
  asked: ClientRequest,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    asked.end();
  });
}
