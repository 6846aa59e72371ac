import type { PortState } from '../../diagnosis/bootstrap/evidence.ts';
import type { Clock } from '../../ports/clock.ts';
import { request } from '../../ports/http.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { headOf } from '../head-of.ts';
import { errorCode, runPatience } from '../patience.ts';
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
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 */
export async function httpProbe(reach: Reach, clock: Clock, url: string, timeoutMs: number): Promise<HttpResult> {
  const answer = await exchange(reach, clock, url, timeoutMs, head);
  if ('state' in answer) return { ...answer, status: null, length: null };
  return { ...answer, state: 'answered', detail: words().probe.httpAnswered(url, answer.status) };
}

/** A text over HTTP; null unless the status is 200 and it is short. */
interface HttpText {
  readonly status: number | null;
  readonly text: string | null;
  /** In words. */
  readonly detail: string;
}

/** Scripts are short; what is longer is something else. */
const MOST_TEXT = 256 * 1024;

/**
 * Fetches a short text, such as a boot script.
 * @param url http only, with a host of the design
 * @param timeoutMs milliseconds of the clock (and no fewer real ones, up to 3,000)
 * @param most bytes; what is longer is not read to its end
 */
export async function textProbe(
  reach: Reach,
  clock: Clock,
  url: string,
  timeoutMs: number,
  most = MOST_TEXT,
): Promise<HttpText> {
  const answer = await exchange(reach, clock, url, timeoutMs, (target, signal) => body(target, signal, most));
  if ('state' in answer) return { status: null, text: null, detail: answer.detail };
  const { httpAnswered, tooLong } = words().probe;
  const isLong = answer.status === 200 && answer.text === null;
  return { ...answer, detail: isLong ? tooLong(url) : httpAnswered(url, answer.status) };
}

/** No answer: why, and in words. */
type Unanswered = { readonly state: Exclude<HttpResult['state'], 'answered'>; readonly detail: string };

async function exchange<T extends object>(
  reach: Reach,
  clock: Clock,
  url: string,
  timeoutMs: number,
  ask: (target: Target, signal: AbortSignal) => Promise<T>,
): Promise<T | Unanswered> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const where = words().probe.place(name, port || 80);
  const patience = runPatience(clock, timeoutMs);
  try {
    const endpoint = reach(name, Number(port || 80));
    return await ask({ ...endpoint, path: pathname + search, hostHeader: host }, patience.signal);
  } catch (error) {
    if (patience.signal.aborted) return { state: 'timeout', detail: words().probe.timeout(where) };
    const code = errorCode(error);
    if (code.startsWith('HPE_'))
      return { state: 'not-http', detail: words().probe.httpBroken(url, sanitizeLine(code)) };
    const { state, detail } = tcpFailure(where, error);
    return { state: state === 'open' ? 'unreachable' : state, detail };
  } finally {
    patience.end();
  }
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The host as the URL names it. */
  readonly hostHeader: string;
}

function body(
  { host, port, path, hostHeader }: Target,
  signal: AbortSignal,
  most: number,
): Promise<{ status: number; text: string | null }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, headers: { Host: hostHeader }, agent: false, signal });
    asked.on('error', reject);
    asked.on('response', (response) => {
      const status = response.statusCode ?? 0;
      let text: string | null = status === 200 ? '' : null;
      response.setEncoding('utf8');
      response.on('error', reject);
      response.on('data', (chunk: string) => {
        if (text === null) return;
        text += chunk;
        if (text.length <= most) return;
        text = null;
        response.destroy();
      });
      response.on('close', () => {
        if (text === null || response.complete) resolve({ status, text });
        else reject(new Error('broken off'));
      });
    });
    asked.end();
  });
}

async function head(target: Target, signal: AbortSignal): Promise<{ status: number; length: number | null }> {
  const { host, port, path, hostHeader } = target;
  const { status, headers } = await headOf(
    request({ host, port, path, method: 'HEAD', headers: { Host: hostHeader }, agent: false, signal }),
  );
  const length = Number(headers['content-length'] ?? Number.NaN);
  return { status, length: Number.isFinite(length) ? length : null };
}
