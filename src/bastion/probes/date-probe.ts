import { request } from 'node:https';
import type { ProbeAnswer } from '../../diagnosis/site/probe-types.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ResolveEndpoint } from '../../platform/resolve-endpoint.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { errorCode, startDeadline } from '../deadline.ts';
import { readResponseHead } from '../response-head.ts';
import { toTcpFailure } from './tcp-failure.ts';

const words = () => catalogue().bastion.probe;

/**
 * Measures the offset between the clock of a TLS server and ours, by the date of a response (whole seconds). The
 * certificate is not verified, because a wrong clock may be the reason that it is invalid. Only the request is sent,
 * and only the date is used.
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function probeDate(
  reach: ResolveEndpoint,
  clock: Clock,
  { host, port }: { readonly host: string; readonly port: number },
  timeoutMs: number,
): Promise<ProbeAnswer<'date'>> {
  const where = words().hostAndPort(host, port);
  const deadline = startDeadline(clock, timeoutMs);
  const sent = clock.now();
  try {
    const { headers } = await readResponseHead(
      request({
        ...reach(host, port),
        method: 'HEAD',
        path: '/version',
        headers: { Host: where },
        rejectUnauthorized: false,
        agent: false,
        signal: deadline.signal,
      }),
    );
    const at = Date.parse(headers.date ?? '');
    if (Number.isNaN(at)) return { offsetMs: null, isThere: true, detail: words().noTime(where) };
    // Whole seconds: on average half a second is truncated.
    const received = clock.now();
    return { offsetMs: Math.round(at + 500 - received), withinMs: received - sent, isThere: true, detail: '' };
  } catch (error) {
    if (deadline.signal.aborted) return { offsetMs: null, isThere: false, detail: words().timeout(where) };
    const code = errorCode(error);
    const { detail } = toTcpFailure(where, error);
    return { offsetMs: null, isThere: false, detail: detail || sanitizeLine(code) };
  } finally {
    deadline.end();
  }
}
