import { request } from 'node:https';
import { isIP } from 'node:net';
import type { PortState } from '../../diagnosis/bootstrap/evidence.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { headOf } from '../head-of.ts';
import { errorCode, runPatience } from '../patience.ts';
import { tcpFailure } from './tcp-failure.ts';

const words = () => catalogue().bastion;

export interface TlsResult {
  /** `untrusted`: it speaks TLS, and none of the authorities signed its certificate (or it is for another name or time). */
  readonly state: 'answered' | 'untrusted' | Exclude<PortState, 'open'>;
  readonly status: number | null;
  /** In words. */
  readonly detail: string;
}

/** What OpenSSL and Node say of a certificate that they do not accept (doc/api/tls.md, "X509 certificate error codes"). */
export const NOT_ACCEPTED = /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL_|EPROTO)/;

/**
 * Asks a TLS server for a page and believes only the given authorities.
 * @param url https; the name in it is looked up by `server`, not by DNS
 * @param options.server the address to connect to
 * @param options.authorities PEM certificates
 * @param options.timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000; or `leastMs`)
 */
export async function tlsProbe(
  reach: Reach,
  clock: Clock,
  url: string,
  options: {
    readonly server: string;
    readonly authorities: readonly string[];
    readonly timeoutMs: number;
    readonly leastMs?: number;
  },
): Promise<TlsResult> {
  const { hostname, port, pathname } = new URL(url);
  const where = words().probe.place(hostname, port || 443);
  const patience = runPatience(clock, options.timeoutMs, options.leastMs);
  const target = reach(options.server, Number(port || 443));
  try {
    const { status } = await headOf(
      request({
        ...target,
        path: pathname,
        headers: { Host: hostname },
        servername: isIP(hostname) === 0 ? hostname : '',
        ca: [...options.authorities],
        agent: false,
        signal: patience.signal,
      }),
    );
    return { state: 'answered', status, detail: words().probe.httpAnswered(url, status) };
  } catch (error) {
    if (patience.signal.aborted) return { state: 'timeout', status: null, detail: words().probe.timeout(where) };
    const code = errorCode(error);
    if (NOT_ACCEPTED.test(code))
      return { state: 'untrusted', status: null, detail: words().probe.untrusted(where, sanitizeLine(code)) };
    const { state, detail } = tcpFailure(where, error);
    return { state: state === 'open' ? 'unreachable' : state, status: null, detail };
  } finally {
    patience.end();
  }
}
