import { request } from 'node:http';
import type { PortState } from '../diagnosis/bootstrap/evidence.ts';
import type { Clock } from '../ports/clock.ts';
import type { Reach } from '../ports/reach.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { errorCode, runPatience } from './patience.ts';
import { tcpFailure } from './tcp-failure.ts';

const words = () => catalogue().bastion;

export interface HttpResult {
  readonly state: 'answered' | 'not-http' | Exclude<PortState, 'open'>;
  readonly status: number | null;
  /** Bytes the server says the file has; null where it does not say. */
  readonly length: number | null;
  /** In words. */
  readonly detail: string;
}

/**
 * Asks for the head of a file, without its body.
 * @param url http only, with a host of the design
 * @param timeoutMs milliseconds of the clock (at least 300 real ones)
 */
export async function httpProbe(reach: Reach, clock: Clock, url: string, timeoutMs: number): Promise<HttpResult> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const where = words().probe.place(name, port || 80);
  const patience = runPatience(clock, timeoutMs);
  try {
    const endpoint = reach(name, Number(port || 80));
    const { status, length } = await head({ ...endpoint, path: pathname + search, hostHeader: host }, patience.signal);
    return { state: 'answered', status, length, detail: words().probe.httpAnswered(url, status) };
  } catch (error) {
    const none = { status: null, length: null };
    if (patience.signal.aborted) return { ...none, state: 'timeout', detail: words().probe.timeout(where) };
    const code = errorCode(error);
    if (code.startsWith('HPE_'))
      return { ...none, state: 'not-http', detail: words().probe.httpBroken(url, sanitizeLine(code)) };
    const { state, detail } = tcpFailure(where, error);
    return { ...none, state: state === 'open' ? 'unreachable' : state, detail };
  } finally {
    patience.end();
  }
}

interface Head {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The host as the URL names it. */
  readonly hostHeader: string;
}

function head(target: Head, signal: AbortSignal): Promise<{ status: number; length: number | null }> {
  const { host, port, path, hostHeader } = target;
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, method: 'HEAD', headers: { Host: hostHeader }, agent: false, signal });
    asked.on('error', reject);
    asked.on('response', (response) => {
      response.resume();
      const length = Number(response.headers['content-length'] ?? Number.NaN);
      resolve({ status: response.statusCode ?? 0, length: Number.isFinite(length) ? length : null });
    });
    asked.end();
  });
}
