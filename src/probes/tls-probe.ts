import type { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import { fetchResponseHead, fetchServerCertificate } from '../platform/http.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import type { PortState } from './probe-types.ts';
import { toTcpFailure } from './tcp-probe.ts';

const words = () => catalogue().bastion;

interface TlsResult {
  /**
   * `untrusted`: the TLS handshake failed. None of the CAs signed the certificate, it is for another name or time, or
   * the server does not speak TLS.
   */
  readonly state: 'answered' | 'untrusted' | Exclude<PortState, 'open'>;
  readonly status: number | null;
  /** Localized text. */
  readonly detail: string;
}

/**
 * Error codes of OpenSSL and Node.js for a failed TLS handshake (doc/api/tls.md, "X509 certificate error codes"). The
 * certificate is rejected, or the server speaks another version of TLS or none.
 */
export const TLS_ERROR = /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL_|EPROTO)/;

/** OpenSSL's reasons for an answer that is no TLS at all (openssl/sslerr.h). */
export const NOT_TLS = /WRONG_VERSION_NUMBER|HTTP_REQUEST|UNKNOWN_PROTOCOL|PACKET_LENGTH_TOO_LONG|BAD_RECORD_TYPE/;

/** Describes a handshake that failed before the server presented a certificate; null: it presented one, or no TLS error. */
export function describeHandshakeFailure(endpointText: string, error: unknown): string | null {
  const code = getErrorCode(error);
  if (NOT_TLS.test(code)) return words().probe.notTls(endpointText, '');
  return /^ERR_SSL_|^EPROTO/.test(code) ? words().probe.tlsFailed(endpointText, describeSystemError(error)) : null;
}

/**
 * Requests a page from a TLS server and trusts only the given CAs.
 * @param url https; its host name is not resolved: the connection goes to `server`
 * @param options.server the address to connect to
 * @param options.authorities PEM certificates
 * @param options.timeoutMs limit in ms of the clock; at least `minRealMs` of real time (default: min(timeoutMs, 3,000))
 */
export async function probeTls(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  url: string,
  options: {
    readonly server: string;
    readonly authorities: readonly string[];
    readonly timeoutMs: number;
    readonly minRealMs?: number;
  },
): Promise<TlsResult> {
  const { hostname, port, pathname } = new URL(url);
  const endpointText = words().probe.hostAndPort(hostname, port || 443);
  const deadline = startDeadline(clock, options.timeoutMs, options.minRealMs);
  const target = resolveEndpoint(options.server, Number(port || 443));
  try {
    const { status } = await fetchResponseHead(
      request({
        ...target,
        path: pathname,
        headers: { Host: hostname },
        servername: isIP(hostname) === 0 ? hostname : '',
        ca: [...options.authorities],
        agent: false,
        signal: deadline.signal,
      }),
    );
    return { state: 'answered', status, detail: words().probe.httpStatus(url, status) };
  } catch (error) {
    if (deadline.signal.aborted) return { state: 'timeout', status: null, detail: words().probe.timeout(endpointText) };
    const code = getErrorCode(error);
    if (TLS_ERROR.test(code))
      return {
        state: 'untrusted',
        status: null,
        detail:
          describeHandshakeFailure(endpointText, error) ??
          words().probe.untrusted(endpointText, describeSystemError(error)),
      };
    const { state, detail } = toTcpFailure(endpointText, error);
    return { state: state === 'open' ? 'unreachable' : state, status: null, detail };
  } finally {
    deadline.end();
  }
}

/**
 * Fetches the certificate that a TLS server presents, verified or not; null: no answer, or no certificate.
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 */
export async function tryFetchServerCertificate(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  { host, port, timeoutMs }: { readonly host: string; readonly port: number; readonly timeoutMs: number },
): Promise<X509Certificate | null> {
  const deadline = startDeadline(clock, timeoutMs);
  try {
    return await fetchServerCertificate(resolveEndpoint(host, port), deadline.signal);
  } catch {
    return null;
  } finally {
    deadline.end();
  }
}
