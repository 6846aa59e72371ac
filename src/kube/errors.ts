import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError, type UserError, UserErrorException } from '../i18n/user-error.ts';
import { type Clock, MINUTE, SECOND } from '../platform/clock.ts';
import { fetchServerCertificate, getCommonName } from '../platform/http.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { findEntry } from '../platform/table-lookup.ts';

const words = () => catalogue().cluster;

/**
 * Classes of failed API calls, by the consequence for the caller. `not-yet`: normal while the cluster starts.
 * `unreachable`: normal for five minutes, then worth a warning. `configuration`: the user has to change something.
 * `identity`: another cluster answers; never continue. `time`: clocks, or certificates older than a day. `credentials`:
 * fatal if it lasts for a minute. `forbidden`: normal for two minutes. `absent`: the object or its kind does not exist.
 * `conflict`: read again and repeat. `bug`: a fault of upi-wizard.
 */
export type ClusterErrorClass =
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

/** The kinds of failed API requests, each with its class. */
const CLASS_BY_KIND = {
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
} as const satisfies Readonly<Record<string, ClusterErrorClass>>;

type FailureKind = keyof typeof CLASS_BY_KIND;

/** A UserErrorException of the API with its class; `code` is `cluster-` and the failure kind. */
export class ClusterError extends UserErrorException {
  readonly class: ClusterErrorClass;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** The reason that the API reports (`NotFound`, `AlreadyExists`, `Invalid`); null if it reports none. */
  readonly reason: string | null;
  /** The pause that the API requests, in milliseconds (Retry-After); null if it requests none. */
  readonly retryAfter: number | null;

  constructor(
    kind: FailureKind,
    cause: string,
    status: number | null = null,
    reason: string | null = null,
    retryAfter: number | null = null,
  ) {
    const userError: UserError = {
      code: `cluster-${kind}`,
      cause: sanitizeLine(redact(cause)),
      ...words().userErrors[kind],
    };
    super(userError);
    this.name = 'ClusterError';
    this.class = CLASS_BY_KIND[kind];
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

/** Whether this is an error of the API or of the connection to it; if `classes` are given, of one of them. */
export function isClusterError(thrown: unknown, ...classes: readonly ClusterErrorClass[]): thrown is ClusterError {
  return thrown instanceof ClusterError && (classes.length === 0 || classes.includes(thrown.class));
}

/** Error codes of Node.js and OpenSSL, as measured against each fault. */
const CODES_BY_KIND: Readonly<Partial<Record<FailureKind, string>>> = {
  refused: 'ECONNREFUSED',
  closed: 'ECONNRESET ECONNABORTED EPIPE',
  timeout: 'ETIMEDOUT ERR_SOCKET_CONNECTION_TIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT',
  // EPERM and EACCES: the packet filter of this very host.
  unreachable: 'EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL EPERM EACCES',
  name: 'ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA EAI_NONAME',
  'not-tls': 'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG ERR_SSL_HTTP_REQUEST EPROTO',
  'no-common-tls':
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION ERR_SSL_UNSUPPORTED_PROTOCOL',
  // A server that has no certificate to present yet.
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

const KIND_BY_CODE: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries(CODES_BY_KIND).flatMap(([kind, codes]) => codes.split(' ').map((code) => [code, kind as FailureKind])),
);

/** Finds the failure kind of an error of Node.js; undefined if not known. */
function findFailureKind(error: Error): FailureKind | undefined {
  // A truncated HTTP response means a closed connection, not another protocol.
  if (isParserError(error)) return getErrorCode(error) === 'HPE_INVALID_EOF_STATE' ? 'closed' : 'not-kubernetes';
  // OpenSSL 3.5 calls `SSL/TLS` what was `SSLV3` before.
  return KIND_BY_CODE.get((getErrorCode(error) ?? '').replace('ERR_SSL_SSL/TLS_', 'ERR_SSL_SSLV3_'));
}

/**
 * Converts a failure below HTTP to a ClusterError.
 * @param hasHeaders whether the headers of the response had already arrived
 */
export function toNetworkError(thrown: unknown, hasHeaders = false): ClusterError {
  if (thrown instanceof ClusterError) return thrown;
  const chain = listCauses(thrown);
  const clusterError = chain.find((error) => error instanceof ClusterError);
  if (clusterError instanceof ClusterError) return clusterError;
  const cause = chain.map(formatErrorLine).at(-1) ?? String(thrown);
  if (chain.some(({ name }) => name === 'TimeoutError')) return new ClusterError('timeout', cause);
  const kind = chain.map(findFailureKind).find((failureKind) => failureKind !== undefined);
  // A body that breaks off after valid headers was truncated, whatever the HTTP parser reports; unless it was too long.
  const isBroken = kind === undefined || kind === 'closed' || chain.some(isParserError);
  if (hasHeaders && isBroken) return new ClusterError('truncated', cause);
  return new ClusterError(kind ?? 'unknown', cause);
}

/** Converts a response with an error status, or a redirect, to a ClusterError. */
export function toStatusError(response: {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: number | null;
}): ClusterError {
  const { status, text, retryAfter } = response;
  const statusBody = parseStatusObject(text);
  // Proxies and web servers also answer 401, 403 and 404; only an API server answers with a Status (or, for a path it
  // does not serve, with this one line).
  const isKubernetes = statusBody !== null || (status === 404 && text.trim() === '404 page not found');
  const isRedirect = status >= 300 && status < 400;
  const message = statusBody?.message ?? (isRedirect ? words().unexpected.redirect : getFirstLine(text));
  const cause = message.startsWith(`${status} `) ? message : `${status} ${message}`;
  return new ClusterError(
    findKindByStatus(status, isKubernetes),
    cause,
    status,
    statusBody?.reason ?? null,
    retryAfter,
  );
}

function findKindByStatus(status: number, isKubernetes: boolean): FailureKind {
  // 511: a captive portal requires a login first.
  if (status === 429 || (status >= 500 && status !== 511)) return 'busy';
  if (status === 407) return 'proxy';
  return isKubernetes ? (KIND_BY_STATUS[status] ?? 'invalid') : 'not-kubernetes';
}

const KIND_BY_STATUS: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'absent',
  409: 'conflict',
  410: 'expired',
};

/**
 * Creates the error for a response that claims to be JSON and is not. A truncated response comes from a load balancer
 * that restarts.
 */
export function createBrokenJsonError(text: string, status: number): ClusterError {
  const start = text.trimStart().charAt(0);
  if (start === '' || start === '{')
    return new ClusterError('truncated', words().unexpected.broken(text.length), status);
  return createNotKubernetesError(getFirstLine(text), status);
}

/** Creates the error for a response that does not match the request. */
export function createNotKubernetesError(cause: string, status: number | null = 200): ClusterError {
  return new ClusterError('not-kubernetes', cause, status);
}

function parseStatusObject(body: string): { message: string; reason: string | null } | null {
  try {
    const value: unknown = JSON.parse(body);
    if (value === null || typeof value !== 'object' || !('kind' in value) || value.kind !== 'Status') return null;
    const message = 'message' in value && typeof value.message === 'string' ? value.message : '';
    const reason = 'reason' in value && typeof value.reason === 'string' ? sanitizeLine(value.reason, 100) : null;
    return { message, reason };
  } catch {
    return null;
  }
}

/** Returns the first line of a response; for an HTML page, of its visible text. */
function getFirstLine(body: string): string {
  const start = body.slice(0, 4000).trim();
  const text = start.startsWith('<') ? start.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ') : start;
  return text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
}

function listCauses(thrown: unknown): Error[] {
  const errors: Error[] = [];
  let current: unknown = thrown;
  while (current instanceof Error && errors.length < 10) {
    errors.push(current);
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return errors;
}

function isParserError(error: Error): boolean {
  return getErrorCode(error)?.startsWith('HPE_') === true;
}

/** Formats an error as one line, with the address or the name that it is about, and without codes of Node.js. */
function formatErrorLine(error: Error): string {
  const why =
    findEntry(catalogue().bastion.probe.sendBlockReasons, getErrorCode(error) ?? '') ?? describeSystemError(error);
  if ('syscall' in error && error.syscall === 'connect' && 'address' in error && 'port' in error)
    return words().noConnection(`${String(error.address)}:${String(error.port)}`, why);
  return 'hostname' in error ? words().noConnection(String(error.hostname), why) : why;
}

function getErrorCode(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Clock differences above this (ms) are reported, because the age of requests and certificates counts. */
const SKEW_TOLERANCE = MINUTE;

/** Returns the warning about clocks more than a minute apart; null if they are not, or the difference is not known. */
export function checkClockSkew(skew: number | null): UserError | null {
  if (skew === null || Math.abs(skew) <= SKEW_TOLERANCE) return null;
  const { title, cause, remedy } = catalogue().cluster.skew;
  return { code: 'cluster-clock-skew', title, cause: cause(Math.round(Math.abs(skew) / SECOND), skew > 0), remedy };
}

/** The CA that a connection trusts and the certificate that it presents, as PEM. */
interface PemCredentials {
  readonly ca: string | null;
  readonly cert: string | null;
}

/**
 * Explains a connection that failed because of identity: with the server's certificate, its issuer and the trusted CAs,
 * or with the expiry of our own certificate. Returns any other error, and one without an explanation, unchanged.
 * @param connection.dial opens a connection to the address of the failed one
 */
export async function explainIdentityError(
  error: ClusterError,
  credentials: PemCredentials,
  connection: { readonly dial: () => Promise<Socket>; readonly serverName: string; readonly clock: Clock },
): Promise<ClusterError> {
  const { cause } = error.userError;
  if (error.userError.code === 'cluster-unauthorized') {
    const expiry = getExpiryIfPast(credentials.cert, connection.clock.now());
    return expiry === null
      ? error
      : new ClusterError('kubeconfig-expired', words().identity.expiry(expiry, cause), error.status);
  }
  if (error.userError.code !== 'cluster-wrong-ca' || credentials.ca === null) return error;
  const serverCertificate = await connection
    .dial()
    .then((socket) =>
      fetchServerCertificate(
        { socket, servername: connection.serverName },
        AbortSignal.timeout(CERTIFICATE_TIMEOUT_MS),
      ),
    )
    .catch(() => null);
  if (serverCertificate === null) return error;
  const trustedNames = listAuthorityNames(credentials.ca);
  const issuer = getCommonName(serverCertificate.issuer);
  const explanation = words().identity.certificate(
    getCommonName(serverCertificate.subject),
    issuer,
    serverCertificate.fingerprint256.replaceAll(':', '').slice(0, 16).toLowerCase(),
    trustedNames,
    cause,
  );
  // A CA of the same name with another key: the cluster and the kubeconfig are of different runs of the installer.
  return new ClusterError(trustedNames.includes(issuer) ? 'other-install' : 'wrong-ca', explanation);
}

function getExpiryIfPast(pem: string | null, now: number): string | null {
  if (pem === null) return null;
  try {
    const { validTo } = new X509Certificate(pem);
    return Date.parse(validTo) < now ? new Date(validTo).toISOString() : null;
  } catch {
    return null;
  }
}

/** Timeout for reading the presented certificate (ms of real time). */
const CERTIFICATE_TIMEOUT_MS = 3000;

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function listAuthorityNames(pem: string): string[] {
  return [...pem.matchAll(PEM_CERTIFICATE)].flatMap(([block]) => {
    try {
      return getCommonName(new X509Certificate(block).subject);
    } catch {
      return [];
    }
  });
}
