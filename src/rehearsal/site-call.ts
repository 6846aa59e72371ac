import { request } from '../ports/http.ts';
import { catalogue } from '../text/catalogue.ts';
import { TroubleError } from '../text/trouble.ts';

/**
 * Asks the process of a site.
 * @throws TroubleError `site-gone` when it does not answer, `site-refused` when it says no
 */
export function callSite(socketPath: string, method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (error: Error) =>
      reject(new TroubleError({ code: 'site-gone', ...catalogue().rehearsal.siteGone, cause: error.message }));
    const asking = request({ socketPath, method, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', gone);
      response.on('end', () => {
        const answer = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { error?: string };
        if (response.statusCode === 200) return resolve(answer);
        reject(
          new TroubleError({ code: 'site-refused', ...catalogue().rehearsal.siteRefused, cause: answer.error ?? '' }),
        );
      });
    });
    asking.on('error', gone);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
