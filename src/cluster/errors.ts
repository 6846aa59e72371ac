import { cluster as words } from '../text/en/cluster.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';

/**
 * What a failed call to the API means for the one who waits.
 * `not-yet`: normal while the cluster starts. `unreachable`: normal for five minutes, then worth a warning.
 * `configuration`: a person has to change something. `identity`: another cluster answers; never go on. `time`: clocks, or
 * certificates older than a day. `credentials`: fatal when it stays for a minute. `forbidden`: normal for two minutes.
 * `absent`: the object or its kind is not there. `conflict`: read again and repeat. `bug`: ours.
 */
export type TroubleClass =
  | 'not-yet'
  | 'unreachable'
  | 'configuration'
  | 'identity'
  | 'time'
  | 'credentials'
  | 'forbidden'
  | 'absent'
  | 'conflict'
  | 'bug';

type Shape = keyof typeof words.trouble;

const CLASS: Record<Shape, TroubleClass> = {
  refused: 'not-yet',
  closed: 'not-yet',
  truncated: 'not-yet',
  busy: 'not-yet',
  expired: 'not-yet',
  unknown: 'not-yet',
  timeout: 'unreachable',
  unreachable: 'unreachable',
  name: 'configuration',
  'not-tls': 'configuration',
  'not-kubernetes': 'configuration',
  'wrong-ca': 'identity',
  'wrong-name': 'identity',
  'certificate-time': 'time',
  unauthorized: 'credentials',
  forbidden: 'forbidden',
  absent: 'absent',
  conflict: 'conflict',
  invalid: 'bug',
};

/** A Trouble of the API with its class; `code` is `cluster-` and the shape. */
export class ClusterError extends TroubleError {
  readonly class: TroubleClass;
  /** The HTTP status, null where there was no answer. */
  readonly status: number | null;
  /** What the API names as the reason (`NotFound`, `AlreadyExists`, `Invalid`); null where it says none. */
  readonly reason: string | null;

  constructor(shape: Shape, cause: string, status: number | null = null, reason: string | null = null) {
    const trouble: Trouble = { code: `cluster-${shape}`, cause: sanitizeLine(cause), ...words.trouble[shape] };
    super(trouble);
    this.name = 'ClusterError';
    this.class = CLASS[shape];
    this.status = status;
    this.reason = reason;
  }
}

export function isClusterError(thrown: unknown, ...classes: readonly TroubleClass[]): thrown is ClusterError {
  return thrown instanceof ClusterError && (classes.length === 0 || classes.includes(thrown.class));
}

/** Error codes of Node, OpenSSL and undici, as measured against each fault. */
const BY_CODE: Readonly<Record<string, Shape>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  UND_ERR_SOCKET: 'closed',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ENOTFOUND: 'name',
  EAI_AGAIN: 'name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not-tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'not-tls',
  ERR_SSL_HTTP_REQUEST: 'not-tls',
  EPROTO: 'not-tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'wrong-ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'wrong-ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'wrong-ca',
  UNABLE_TO_GET_ISSUER_CERT: 'wrong-ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'wrong-ca',
  CERT_SIGNATURE_FAILURE: 'wrong-ca',
  CERT_UNTRUSTED: 'wrong-ca',
  INVALID_CA: 'wrong-ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong-name',
  CERT_HAS_EXPIRED: 'certificate-time',
  CERT_NOT_YET_VALID: 'certificate-time',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'not-kubernetes',
  HPE_INVALID_CONSTANT: 'not-kubernetes',
  HPE_INVALID_HEADER_TOKEN: 'not-kubernetes',
};

/** A failure below HTTP, as an error with its meaning. `isBody`: the headers were there already. */
export function fromNetwork(thrown: unknown, isBody = false): ClusterError {
  if (thrown instanceof ClusterError) return thrown;
  const chain = causes(thrown);
  const own = chain.find((error) => error instanceof ClusterError);
  if (own instanceof ClusterError) return own;
  const cause = chain.map((error) => `${codeOf(error) ?? error.name}: ${error.message}`).at(-1) ?? String(thrown);
  if (chain.some(({ name }) => name === 'TimeoutError')) return new ClusterError('timeout', cause);
  const shape = chain.map((error) => BY_CODE[codeOf(error) ?? '']).find((found) => found !== undefined);
  if (isBody && (shape === undefined || shape === 'closed')) return new ClusterError('truncated', cause);
  return new ClusterError(shape ?? 'unknown', cause);
}

/** An answer with an error status. `body` is its text. */
export function fromStatus(status: number, contentType: string, body: string): ClusterError {
  const answer = statusObject(body);
  // A proxy or a web server also says 403, 404 and 502; only an API server says it as a Status (or, for a path it does
  // not serve, in this one line).
  const isKubernetes = answer !== null || (status === 404 && body.trim() === '404 page not found');
  const cause = `${status} ${answer?.message ?? firstLine(body)}`;
  const reason = answer?.reason ?? null;
  if (status === 429 || status >= 500) return new ClusterError('busy', cause, status, reason);
  if (!isKubernetes && /html/i.test(contentType)) return new ClusterError('not-kubernetes', cause, status);
  switch (status) {
    case 401:
      return new ClusterError('unauthorized', cause, status, reason);
    case 403:
      return new ClusterError('forbidden', cause, status, reason);
    case 404:
      return new ClusterError(isKubernetes ? 'absent' : 'not-kubernetes', cause, status, reason);
    case 409:
      return new ClusterError('conflict', cause, status, reason);
    case 410:
      return new ClusterError('expired', cause, status, reason);
    default:
      return new ClusterError(isKubernetes ? 'invalid' : 'not-kubernetes', cause, status, reason);
  }
}

/** An answer that is not what was asked for. */
export function notKubernetes(why: string, status: number | null = 200): ClusterError {
  return new ClusterError('not-kubernetes', why, status);
}

function statusObject(body: string): { message: string; reason: string | null } | null {
  try {
    const parsed: unknown = JSON.parse(body);
    if (parsed === null || typeof parsed !== 'object' || !('kind' in parsed) || parsed.kind !== 'Status') return null;
    const message = 'message' in parsed && typeof parsed.message === 'string' ? parsed.message : '';
    const reason = 'reason' in parsed && typeof parsed.reason === 'string' ? sanitizeLine(parsed.reason, 100) : null;
    return { message, reason };
  } catch {
    return null;
  }
}

function firstLine(body: string): string {
  return body.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
}

function causes(thrown: unknown): Error[] {
  const found: Error[] = [];
  let here: unknown = thrown;
  while (here instanceof Error && found.length < 10) {
    found.push(here);
    here = here instanceof AggregateError ? here.errors[0] : here.cause;
  }
  return found;
}

function codeOf(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}
