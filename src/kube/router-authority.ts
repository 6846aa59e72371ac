import { X509Certificate } from 'node:crypto';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { Cluster } from './api.ts';

/** The CA that signs the certificate of the console and of all *.apps. */
interface RouterAuthority {
  /** Certificates only. */
  readonly pem: string;
  readonly certificates: readonly {
    readonly subject: string;
    /** Milliseconds since the epoch. */
    readonly notAfter: number;
    /** SHA-256, as browsers show it. */
    readonly fingerprint: string;
  }[];
}

/**
 * Reads the CA of the routers: the one that the cluster publishes or, before that, the one that the ingress operator
 * signs with.
 * @returns null while neither exists
 * @throws ClusterError
 */
export async function readRouterAuthority(cluster: Cluster): Promise<RouterAuthority | null> {
  const configMap = await cluster.get('ConfigMap', 'default-ingress-cert', 'openshift-config-managed');
  const publishedAuthority = parseAuthority(configMap?.data?.['ca-bundle.crt'] ?? '');
  if (publishedAuthority !== null) return publishedAuthority;
  const secret = await cluster.get('Secret', 'router-ca', 'openshift-ingress-operator');
  return parseAuthority(Buffer.from(secret?.data?.['tls.crt'] ?? '', 'base64').toString('utf8'));
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const MAX_CERTIFICATES = 20;

/**
 * Parses the certificates in a text. Skips everything that is no certificate, above all keys.
 * @returns null if there is none
 */
function parseAuthority(text: string): RouterAuthority | null {
  const certificates = (text.match(PEM_CERTIFICATE) ?? []).slice(0, MAX_CERTIFICATES).flatMap((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      return [];
    }
  });
  if (certificates.length === 0) return null;
  return {
    pem: certificates.map((certificate) => certificate.toString()).join(''),
    certificates: certificates.map((certificate) => ({
      subject: sanitizeLine(certificate.subject.replaceAll('\n', ', '), 200),
      notAfter: Date.parse(certificate.validTo),
      fingerprint: certificate.fingerprint256,
    })),
  };
}
