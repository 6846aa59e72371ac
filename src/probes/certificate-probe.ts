import { X509Certificate } from 'node:crypto';
import { connect as connectTcp, isIP } from 'node:net';
import { type ConnectionOptions, connect, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls';
import { catalogue } from '../i18n/catalogue.ts';
import { getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import { getCommonName } from '../platform/http.ts';
import type { Endpoint, ResolveEndpoint } from '../platform/manual-actions.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { ProbeAnswer, ProbeQuery, ServedCertificate } from './probe-types.ts';
import { toTcpFailure } from './tcp-probe.ts';
import { describeHandshakeFailure, NOT_TLS } from './tls-probe.ts';

const words = () => catalogue().bastion.probe;

/** Errors about the validity period or the name of a certificate whose chain of issuers is complete. */
const COMPLETE_CHAIN_ERRORS =
  /^(?:CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;
const MAX_NAMES = 20;

/**
 * Opens a TLS connection to a port and reads the certificate, without trusting it. The connection carries no request,
 * and is closed after the handshake.
 * @param authorities PEM certificates of the CAs that may have issued it; null: they are not known
 * @param timeoutMs limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time
 */
export async function probeCertificate(
  resolveEndpoint: ResolveEndpoint,
  clock: Clock,
  { host, port, name }: ProbeQuery<'certificate'>,
  authorities: readonly string[] | null,
  timeoutMs: number,
): Promise<ProbeAnswer<'certificate'>> {
  const [endpointText, target] = [words().hostAndPort(host, port), resolveEndpoint(host, port)];
  const deadline = startDeadline(clock, timeoutMs);
  let hasConnected = false;
  const options: ConnectionOptions = {
    ...target,
    servername: isIP(name) === 0 ? name : '',
    secureContext: getSecureContext(authorities),
  };
  const socket = connect({ ...options, rejectUnauthorized: false });
  const abort = () => socket.destroy();
  deadline.signal.addEventListener('abort', abort);
  socket.once('connect', () => {
    hasConnected = true;
  });
  try {
    await waitForHandshake(socket);
    const { raw } = socket.getPeerCertificate();
    if (raw === undefined) return { state: 'failed', detail: words().noCertificate(endpointText) };
    const certificate = new X509Certificate(raw);
    const error = socket.authorizationError as unknown as string | null | undefined;
    const isChainComplete = socket.authorized || COMPLETE_CHAIN_ERRORS.test(error ?? '');
    const servedCertificate = toServedCertificate(certificate, name, authorities, isChainComplete);
    return { state: 'tls', detail: endpointText, certificate: servedCertificate, now: clock.now() };
  } catch (error) {
    if (deadline.signal.aborted)
      return hasConnected
        ? { state: 'silent', detail: words().noHandshake(endpointText) }
        : { state: 'closed', detail: words().timeout(endpointText) };
    const code = getErrorCode(error);
    if (NOT_TLS.test(code))
      return { state: 'not-tls', detail: words().notTls(endpointText, await readGreeting(clock, target, timeoutMs)) };
    const handshakeFailure = describeHandshakeFailure(endpointText, error);
    if (handshakeFailure !== null) return { state: 'failed', detail: handshakeFailure };
    const { state, detail } = toTcpFailure(endpointText, error, hasConnected);
    return { state: state === 'refused' ? 'refused' : 'closed', detail };
  } finally {
    deadline.end();
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function waitForHandshake(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve());
    socket.once('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
}

// Contexts are cached by their list of CAs: Node.js frees a context late, and each context holds all public CAs.
const contextByAuthorities = new Map<string, ReturnType<typeof createSecureContext>>();

function getSecureContext(authorities: readonly string[] | null): ReturnType<typeof createSecureContext> {
  const key = authorities?.join('\n') ?? '';
  const context =
    contextByAuthorities.get(key) ?? createSecureContext({ ca: [...rootCertificates, ...(authorities ?? [])] });
  contextByAuthorities.set(key, context);
  return context;
}

function toServedCertificate(
  certificate: X509Certificate,
  name: string,
  authorities: readonly string[] | null,
  isChainComplete: boolean,
): ServedCertificate {
  const { subject, issuer, subjectAltName = '', fingerprint256, validFromDate, validToDate } = certificate;
  const names = [...subjectAltName.matchAll(/(?:DNS|IP Address):([^\s,"]+)/g)].map(([, nameText = '']) =>
    sanitizeLine(nameText),
  );
  return {
    fingerprint: fingerprint256,
    subject: getCommonName(subject),
    issuer: getCommonName(issuer),
    isSelfSigned: subject === issuer,
    names: names.slice(0, MAX_NAMES),
    // Clients written in Go ignore the common name since Go 1.15.
    isValidForName:
      (isIP(name) === 0 ? certificate.checkHost(name, { subject: 'never' }) : certificate.checkIP(name)) !== undefined,
    validFrom: validFromDate.getTime(),
    validUntil: validToDate.getTime(),
    trust: deriveTrust(certificate, authorities, isChainComplete),
  };
}

function deriveTrust(
  certificate: X509Certificate,
  authorities: readonly string[] | null,
  isChainComplete: boolean,
): ServedCertificate['trust'] {
  if (authorities === null) return 'unknown';
  if (isChainComplete) return 'trusted';
  const knownAuthorities = authorities.map((pem) => new X509Certificate(pem));
  const isIssuedBy = (authority: X509Certificate) =>
    certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  if (
    knownAuthorities.some(
      (authority) => isIssuedBy(authority) || authority.fingerprint256 === certificate.fingerprint256,
    )
  )
    return 'trusted';
  // The installer gives its CAs the same names in every run, and new keys.
  return knownAuthorities.some((authority) => authority.subject === certificate.issuer) ? 'other-run' : 'foreign';
}

/** Reads the first line that a server without TLS answers; empty if it answers nothing. */
async function readGreeting(clock: Clock, { host, port }: Endpoint, timeoutMs: number): Promise<string> {
  const deadline = startDeadline(clock, timeoutMs);
  const socket = connectTcp({ host, port });
  try {
    return await new Promise<string>((resolve) => {
      deadline.signal.addEventListener('abort', () => resolve(''));
      socket.on('error', () => resolve(''));
      socket.on('close', () => resolve(''));
      socket.on('data', (data) => resolve(sanitizeLine(data.toString('latin1').split('\n')[0] ?? '', 60)));
      socket.write('GET / HTTP/1.0\r\n\r\n');
    });
  } finally {
    deadline.end();
    socket.destroy();
  }
}
