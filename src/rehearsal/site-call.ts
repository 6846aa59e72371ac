import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { request } from '../platform/http.ts';

/**
 * Sends a request to the process of a site.
 * @throws UserErrorException `site-gone` when it does not answer, `site-refused` when it refuses
 */
export function callSite(socketPath: string, method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const rejectGone = (error: Error) =>
      reject(new UserErrorException({ code: 'site-gone', ...catalogue().rehearsal.siteGone, cause: error.message }));
    const outgoing = request({ socketPath, method, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', rejectGone);
      response.on('end', () => {
        const result = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { error?: string };
        if (response.statusCode === 200) return resolve(result);
        reject(
          new UserErrorException({
            code: 'site-refused',
            ...catalogue().rehearsal.siteRefused,
            cause: result.error ?? '',
          }),
        );
      });
    });
    outgoing.on('error', rejectGone);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
