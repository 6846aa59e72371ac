import { catalogue } from '../text/catalogue.ts';
import { redact } from '../text/redact.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { systemReason } from '../text/system-reason.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';

const words = () => catalogue().cluster;

/**
 * What a failed call to the API means for whoever waits.
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

/** How a request to the API can fail, each with what it means for what we do. */
const CLASS = {
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
  'other-install': 'identity',
  'wrong-name': 'identity',
  proxy: 'configuration',
  'no-common-tls': 'configuration',
  'certificate-expired': 'time',
  'certificate-early': 'time',
  unauthorized: 'credentials',
  'kubeconfig-expired': 'time',
  forbidden: 'forbidden',
  absent: 'absent',
  conflict: 'conflict',
  invalid: 'bug',
} as const satisfies Readonly<Record<string, TroubleClass>>;

type Shape = keyof typeof CLASS;

/** A Trouble of the API with its class; `code` is `cluster-` and the shape. */
export class ClusterError extends TroubleError {
  readonly class: TroubleClass;
  /** The HTTP status, null where there was no answer. */
  readonly status: number | null;
  /** The reason that the API names (`NotFound`, `AlreadyExists`, `Invalid`); null where it names none. */
  readonly reason: string | null;
  /** How long the API wants not to be asked, in milliseconds (Retry-After); null where it does not say. */
  readonly retryAfter: number | null;

  constructor(
    shape: Shape,
    cause: string,
    status: number | null = null,
    reason: string | null = null,
    retryAfter: number | null = null,
  ) {
    const trouble: Trouble = {
      code: `cluster-${shape}`,
      cause: sanitizeLine(redact(cause)),
      ...words().trouble[shape],
    };
    super(trouble);
    this.name = 'ClusterError';
    this.class = CLASS[shape];
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

/** Whether this is an error of the API or of the way to it; of one of these classes, where any are named. */
export function isClusterError(thrown: unknown, ...classes: readonly TroubleClass[]): thrown is ClusterError {
  return thrown instanceof ClusterError && (classes.length === 0 || classes.includes(thrown.class));
}

/** Error codes of Node and OpenSSL, as measured against each fault. */
const CODES: Readonly<Partial<Record<Shape, string>>> = {
  refused: 'ECONNREFUSED',
  closed: 'ECONNRESET ECONNABORTED EPIPE',
  timeout: 'ETIMEDOUT ERR_SOCKET_CONNECTION_TIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT',
  // EPERM and EACCES: the packet filter of this very host.
  unreachable: 'EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL EPERM EACCES',
  name: 'ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA EAI_NONAME',
  'not-tls': 'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG ERR_SSL_HTTP_REQUEST EPROTO',
  'no-common-tls':
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION ERR_SSL_UNSUPPORTED_PROTOCOL',
  // A server that has no certificate to show yet.
  busy: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR',
  // The other side does not accept our certificate.
  unauthorized:
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN ERR_SSL_TLSV1_ALERT_UNKNOWN_CA ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'wrong-ca':
    'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY CERT_SIGNATURE_FAILURE CERT_UNTRUSTED CERT_REJECTED INVALID_CA INVALID_PURPOSE',
  'wrong-name': 'ERR_TLS_CERT_ALTNAME_INVALID ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
  'certificate-expired': 'CERT_HAS_EXPIRED',
  'certificate-early': 'CERT_NOT_YET_VALID',
};

const BY_CODE: ReadonlyMap<string, Shape> = new Map(
  Object.entries(CODES).flatMap(([shape, codes]) => codes.split(' ').map((code) => [code, shape as Shape])),
);

/** The meaning of an error of Node; undefined: not known. */
function shapeOf(error: Error): Shape | undefined {
  // An HTTP answer that breaks off was closed; it is not another protocol.
  if (isParserError(error)) return codeOf(error) === 'HPE_INVALID_EOF_STATE' ? 'closed' : 'not-kubernetes';
  // OpenSSL 3.5 calls `SSL/TLS` what was `SSLV3` before.
  return BY_CODE.get((codeOf(error) ?? '').replace('ERR_SSL_SSL/TLS_', 'ERR_SSL_SSLV3_'));
}

/** A failure below HTTP, as an error with its meaning. `isBody`: the headers were there already. */
export function fromNetwork(thrown: unknown, isBody = false): ClusterError {
  if (thrown instanceof ClusterError) return thrown;
  const chain = causes(thrown);
  const own = chain.find((error) => error instanceof ClusterError);
  if (own instanceof ClusterError) return own;
  const cause = chain.map(lineOf).at(-1) ?? String(thrown);
  if (chain.some(({ name }) => name === 'TimeoutError')) return new ClusterError('timeout', cause);
  const shape = chain.map(shapeOf).find((found) => found !== undefined);
  // A body that breaks after good headers was cut off, whatever the HTTP parser calls it; unless it was too long.
  const isBroken = shape === undefined || shape === 'closed' || chain.some(isParserError);
  if (isBody && isBroken) return new ClusterError('truncated', cause);
  return new ClusterError(shape ?? 'unknown', cause);
}

/** An answer with an error status, or a redirect. */
export function fromStatus(answer: {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: number | null;
}): ClusterError {
  const { status, text, retryAfter } = answer;
  const told = statusObject(text);
  // Proxies and web servers also answer 401, 403 and 404; only an API server answers with a Status (or, for a path it
  // does not serve, with this one line).
  const isKubernetes = told !== null || (status === 404 && text.trim() === '404 page not found');
  const isElsewhere = status >= 300 && status < 400;
  const said = told?.message ?? (isElsewhere ? words().unexpected.redirect : firstLine(text));
  const cause = said.startsWith(`${status} `) ? said : `${status} ${said}`;
  return new ClusterError(shapeOfStatus(status, isKubernetes), cause, status, told?.reason ?? null, retryAfter);
}

function shapeOfStatus(status: number, isKubernetes: boolean): Shape {
  // 511 is a network that wants a login first.
  if (status === 429 || (status >= 500 && status !== 511)) return 'busy';
  if (status === 407) return 'proxy';
  return isKubernetes ? (BY_STATUS[status] ?? 'invalid') : 'not-kubernetes';
}

const BY_STATUS: Readonly<Record<number, Shape>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'absent',
  409: 'conflict',
  410: 'expired',
};

/** An answer that claims to be JSON and is not. One that only lacks its end comes from a balancer that restarts. */
export function brokenJson(text: string, status: number): ClusterError {
  const start = text.trimStart().charAt(0);
  if (start === '' || start === '{')
    return new ClusterError('truncated', words().unexpected.broken(text.length), status);
  return notKubernetes(firstLine(text), status);
}

/** An answer that does not match the request. */
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

/** The first line of an answer; for an HTML page, of its visible text. */
function firstLine(body: string): string {
  const start = body.slice(0, 4000).trim();
  const text = start.startsWith('<') ? start.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ') : start;
  return text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
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

function isParserError(error: Error): boolean {
  return codeOf(error)?.startsWith('HPE_') === true;
}

/** The line of an error; OpenSSL's is cut down to its reason, without thread and source location. */
function lineOf(error: Error): string {
  // What Node says of a connection is a code and a call; who was called stands beside it.
  if ('syscall' in error && error.syscall === 'connect' && 'address' in error && 'port' in error)
    return words().noConnection(`${String(error.address)}:${String(error.port)}`, systemReason(error));
  const reason = 'reason' in error && typeof error.reason === 'string' && 'library' in error ? error.reason : null;
  return `${codeOf(error) ?? error.name}: ${(reason ?? error.message).replace(ADVICE, '')}`;
}

/** Node advises trusting whatever this host trusts: wrong for a cluster. */
const ADVICE = /; if the root CA is installed locally.*$/;

function codeOf(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}
