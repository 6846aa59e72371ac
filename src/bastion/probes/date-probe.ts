import { request } from 'node:https';
import type { Answer } from '../../diagnosis/site/exchange.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { headOf } from '../head-of.ts';
import { errorCode, runPatience } from '../patience.ts';
import { tcpFailure } from './tcp-failure.ts';

const words = () => catalogue().bastion.probe;

/**
 * How far the clock of a TLS server is from ours, by the date of an answer (whole seconds). Its certificate is not verified: a clock
 * that is off is a reason why it would not be, nothing is sent but the request, and nothing of the answer is believed but this.
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function dateProbe(
  reach: Reach,
  clock: Clock,
  { host, port }: { readonly host: string; readonly port: number },
  timeoutMs: number,
): Promise<Answer<'date'>> {
  const where = words().place(host, port);
  const patience = runPatience(clock, timeoutMs);
  const sent = clock.now();
  try {
    const { headers } = await headOf(
      request({
        ...reach(host, port),
        method: 'HEAD',
        path: '/version',
        headers: { Host: where },
        rejectUnauthorized: false,
        agent: false,
        signal: patience.signal,
      }),
    );
    const at = Date.parse(headers.date ?? '');
    if (Number.isNaN(at)) return { offsetMs: null, isThere: true, detail: words().noTime(where) };
    // Whole seconds: on average half of one is cut off.
    const received = clock.now();
    return { offsetMs: Math.round(at + 500 - received), withinMs: received - sent, isThere: true, detail: '' };
  } catch (error) {
    if (patience.signal.aborted) return { offsetMs: null, isThere: false, detail: words().timeout(where) };
    const code = errorCode(error);
    const { detail } = tcpFailure(where, error);
    return { offsetMs: null, isThere: false, detail: detail || sanitizeLine(code) };
  } finally {
    patience.end();
  }
}
