import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Clock } from '../ports/clock.ts';
import { shownCertificate } from '../ports/shown-certificate.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { ClusterError } from './errors.ts';

const words = () => catalogue().cluster;

/** What a connection trusts and presents, as PEM. */
export interface Credentials {
  readonly ca: string | null;
  readonly cert: string | null;
}

/**
 * Explains a connection that failed over identity: which authority the other side presents and which ones we trust, or
 * that our own certificate has expired. Returns any other error, and one it cannot explain, unchanged.
 * @param dial opens a connection to where the failed one went
 */
export async function explainIdentity(
  error: ClusterError,
  credentials: Credentials,
  how: { readonly dial: () => Promise<Socket>; readonly serverName: string; readonly clock: Clock },
): Promise<ClusterError> {
  const { cause } = error.trouble;
  if (error.trouble.code === 'cluster-unauthorized') {
    const over = expiredAt(credentials.cert, how.clock.now());
    return over === null
      ? error
      : new ClusterError('kubeconfig-expired', words().identity.over(over, cause), error.status);
  }
  if (error.trouble.code !== 'cluster-wrong-ca' || credentials.ca === null) return error;
  const shown = await how
    .dial()
    .then((socket) => shownCertificate({ socket, servername: how.serverName }, AbortSignal.timeout(LOOK_FOR)))
    .catch(() => null);
  if (shown === null) return error;
  const trusted = authoritiesOf(credentials.ca);
  const issuer = commonName(shown.issuer);
  const line = words().identity.shown(
    commonName(shown.subject),
    issuer,
    shown.fingerprint256.replaceAll(':', '').slice(0, 16).toLowerCase(),
    trusted,
    cause,
  );
  // An authority of the same name with another key: the files were made anew after the nodes booted, or vice versa.
  return new ClusterError(trusted.includes(issuer) ? 'other-install' : 'wrong-ca', line);
}

function expiredAt(pem: string | null, now: number): string | null {
  if (pem === null) return null;
  try {
    const { validTo } = new X509Certificate(pem);
    return Date.parse(validTo) < now ? new Date(validTo).toISOString() : null;
  } catch {
    return null;
  }
}

/** How long to wait for a certificate (ms of the machine). */
const LOOK_FOR = 3000;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function authoritiesOf(pem: string): string[] {
  return [...pem.matchAll(CERTIFICATE)].flatMap(([one]) => {
    try {
      return commonName(new X509Certificate(one).subject);
    } catch {
      return [];
    }
  });
}

function commonName(distinguished: string): string {
  const found = /^CN=(.*)$/m.exec(distinguished)?.[1];
  return sanitizeLine(found ?? distinguished.replaceAll('\n', ', '), 80);
}
