import { X509Certificate } from 'node:crypto';
import { sanitizeLine } from '../text/sanitize.ts';
import type { Cluster } from './api.ts';

/** Who signs the certificate of the console and of all *.apps. */
export interface RouterAuthority {
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
 * The authority of the routers: the one the cluster publishes or, before that, the one the ingress operator signs with.
 * @returns null while there is neither
 * @throws ClusterError
 */
export async function readRouterAuthority(cluster: Cluster): Promise<RouterAuthority | null> {
  const map = await cluster.get('ConfigMap', 'default-ingress-cert', 'openshift-config-managed');
  const published = authorityOf(map?.data?.['ca-bundle.crt'] ?? '');
  if (published !== null) return published;
  const secret = await cluster.get('Secret', 'router-ca', 'openshift-ingress-operator');
  return authorityOf(Buffer.from(secret?.data?.['tls.crt'] ?? '', 'base64').toString('utf8'));
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const MOST = 20;

/** The certificates in a text. Leaves out what does not parse as one, above all keys. */
export function authorityOf(text: string): RouterAuthority | null {
  const read = (text.match(BLOCK) ?? []).slice(0, MOST).flatMap((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      return [];
    }
  });
  if (read.length === 0) return null;
  return {
    pem: read.map((certificate) => certificate.toString()).join(''),
    certificates: read.map((certificate) => ({
      subject: sanitizeLine(certificate.subject.replaceAll('\n', ', '), 200),
      notAfter: Date.parse(certificate.validTo),
      fingerprint: certificate.fingerprint256,
    })),
  };
}
