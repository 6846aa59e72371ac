import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { catalogue } from '../i18n/catalogue.ts';
import type { Clock } from '../platform/clock.ts';
import { fetchServerCertificate, getCommonName } from '../platform/server-certificate.ts';
import { ClusterError } from './errors.ts';

const words = () => catalogue().cluster;

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
