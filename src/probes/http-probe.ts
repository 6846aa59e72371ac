import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import { fetchResponseHead, request } from '../platform/http.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { getUrlHost } from '../platform/text.ts';
import type { PortState } from './probe-types.ts';
import { toTcpFailure } from './tcp-probe.ts';

const words = () => catalogue().bastion;

interface HttpResult {
  readonly state: 'answered' | 'not-http' | Exclude<PortState, 'open'>;
  readonly status: number | null;
  /** Size of the file in bytes, as the server reports it; null if it does not. */
  readonly length: number | null;
  /** Content-Encoding, Content-Type and Location; left out if the server does not send them. */
  readonly encoding?: string;
  readonly type?: string;
  readonly location?: string;
  /** Localized text. */
  readonly detail: string;
}

/**
 * Requests the headers of a file, without its body.
 * @param url http only, with a host of the design
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 */
export async function probeHttp(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  url: string,
  timeoutMs: number,
): Promise<HttpResult> {
  const answer = await sendRequest(resolveEndpoint, clock, url, timeoutMs, fetchHead);
  if ('state' in answer) return { ...answer, status: null, length: null };
  return { ...answer, state: 'answered', detail: words().probe.httpStatus(url, answer.status) };
}

/** A text over HTTP. `text` is null unless the status is 200 and the text is short. */
interface HttpText {
  readonly status: number | null;
  readonly text: string | null;
  /** Localized text. */
  readonly detail: string;
}

/** Maximum size of a text in bytes: boot scripts are short, and a longer file is no boot script. */
const MAX_TEXT_BYTES = 256 * 1024;

/**
 * Fetches a short text, such as a boot script.
 * @param url http only, with a host of the design
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 * @param maxBytes a longer text is not read to its end
 */
export async function probeText(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  url: string,
  timeoutMs: number,
  maxBytes = MAX_TEXT_BYTES,
): Promise<HttpText> {
  const answer = await sendRequest(resolveEndpoint, clock, url, timeoutMs, (target, signal) =>
    fetchBody(target, signal, maxBytes),
  );
  if ('state' in answer) return { status: null, text: null, detail: answer.detail };
  const { httpStatus, tooLong } = words().probe;
  const isTooLong = answer.status === 200 && answer.text === null;
  return { ...answer, detail: isTooLong ? tooLong(url) : httpStatus(url, answer.status) };
}

/** No response: the reason, and a localized text. */
type HttpFailure = { readonly state: Exclude<HttpResult['state'], 'answered'>; readonly detail: string };

async function sendRequest<T extends object>(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  url: string,
  timeoutMs: number,
  send: (target: HttpTarget, signal: AbortSignal) => Promise<T>,
): Promise<T | HttpFailure> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const name = getUrlHost({ hostname });
  const endpointText = words().probe.hostAndPort(name, port || 80);
  const deadline = startDeadline(clock, timeoutMs);
  try {
    const endpoint = resolveEndpoint(name, Number(port || 80));
    return await send({ ...endpoint, path: pathname + search, hostHeader: host }, deadline.signal);
  } catch (error) {
    if (deadline.signal.aborted) return { state: 'timeout', detail: words().probe.timeout(endpointText) };
    const code = getErrorCode(error);
    if (code.startsWith('HPE_'))
      return { state: 'not-http', detail: words().probe.httpBroken(url, describeSystemError(error)) };
    const { state, detail } = toTcpFailure(endpointText, error);
    return { state: state === 'open' ? 'unreachable' : state, detail };
  } finally {
    deadline.end();
  }
}

interface HttpTarget {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The host as the URL names it. */
  readonly hostHeader: string;
}

function fetchBody(
  { host, port, path, hostHeader }: HttpTarget,
  signal: AbortSignal,
  maxBytes: number,
): Promise<{ status: number; text: string | null }> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({ host, port, path, headers: { Host: hostHeader }, agent: false, signal });
    clientRequest.on('error', reject);
    clientRequest.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > maxBytes) response.destroy();
      });
      response.on('close', () => {
        if (status !== 200 || bytes > maxBytes) resolve({ status, text: null });
        else if (response.complete) resolve({ status, text: Buffer.concat(chunks).toString('utf8') });
        else reject(new Error('broken off'));
      });
    });
    clientRequest.end();
  });
}

type ResponseHead = { readonly status: number } & Pick<HttpResult, 'length' | 'encoding' | 'type' | 'location'>;

async function fetchHead(target: HttpTarget, signal: AbortSignal): Promise<ResponseHead> {
  const { host, port, path, hostHeader } = target;
  const { status, headers } = await fetchResponseHead(
    request({ host, port, path, method: 'HEAD', headers: { Host: hostHeader }, agent: false, signal }),
  );
  const length = Number(headers['content-length'] ?? Number.NaN);
  const createField = (name: string, value: string | undefined) =>
    value === undefined || value === '' ? {} : { [name]: sanitizeLine(value, 200) };
  return {
    status,
    length: Number.isFinite(length) ? length : null,
    ...createField('encoding', headers['content-encoding']),
    ...createField('type', headers['content-type']),
    ...createField('location', headers.location),
  };
}

/** A part of a file over HTTP, from a byte on. `isStalled`: the headers arrived, but not all of the data in time. */
interface HttpRange {
  readonly data: Buffer;
  readonly isStalled: boolean;
}

/**
 * Fetches a part of a file.
 * @param url http only, with a host of the design
 * @param offset of the part in bytes
 * @param length of the part in bytes
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 * @returns null: no answer, or not this part
 */
export async function fetchRange(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  url: string,
  { offset, length }: { readonly offset: number; readonly length: number },
  timeoutMs: number,
): Promise<HttpRange | null> {
  const answer = await sendRequest(resolveEndpoint, clock, url, timeoutMs, (target, signal) =>
    requestRange(target, signal, offset, length),
  );
  return 'data' in answer ? answer : null;
}

function requestRange(
  { host, port, path, hostHeader }: HttpTarget,
  signal: AbortSignal,
  offset: number,
  length: number,
): Promise<HttpRange> {
  return new Promise((resolve, reject) => {
    const headers = { Host: hostHeader, Range: `bytes=${offset}-${offset + length - 1}` };
    const clientRequest = request({ host, port, path, headers, agent: false, signal });
    clientRequest.on('error', reject);
    clientRequest.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const finish = (isStalled: boolean) => resolve({ data: Buffer.concat(chunks).subarray(0, length), isStalled });
      // A server without ranges sends the whole file, whose beginning is enough.
      if (response.statusCode !== 206 && !(response.statusCode === 200 && offset === 0)) {
        response.destroy();
        return reject(new Error(`status ${response.statusCode}`));
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes < length) return;
        finish(false);
        response.destroy();
      });
      response.on('end', () => finish(false));
      response.on('error', () => finish(signal.aborted));
    });
    clientRequest.end();
  });
}
