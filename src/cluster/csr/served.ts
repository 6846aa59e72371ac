import { createHash, X509Certificate } from 'node:crypto';
import { textAt } from '../../objects/object.ts';
import { MINUTE } from '../../ports/clock.ts';
import type { CertificateRequest } from './request.ts';

/**
 * `own`: the node's, valid, for its planned address. `foreign`: a kubelet with another key or name answers. `unsure`: it is too
 * early to say, or no kubelet answers.
 */
export type ServedVerdict = 'own' | 'foreign' | 'unsure';
/** The same of a node; `silent`: nothing answers at its kubelet's port, so nothing can be said. */
export type KubeletVerdict = ServedVerdict | 'silent';

/** A kubelet loads its new certificate within moments. */
const TAKEN_UP_WITHIN = 2 * MINUTE;

/**
 * Whether a kubelet presents the certificate issued for it, so that the key's holder really sits at the planned address.
 * Where no request is listed any more (an hour after its approval) the certificate speaks for itself. Pure.
 * @param served the certificate presented at the planned address, port 10250
 * @param node its name in the cluster and its planned addresses
 * @param issued the issued serving requests of this node
 * @param now milliseconds since the epoch
 */
export function judgeServed(
  served: X509Certificate,
  node: { readonly name: string; readonly addresses: readonly string[] },
  issued: readonly CertificateRequest[],
  now: number,
): ServedVerdict {
  const certificates = issued.flatMap((request) => {
    const certificate = certificateOf(request);
    return certificate ? [{ certificate, since: approvedAt(request) }] : [];
  });
  if (!isOfKubelet(served)) return 'unsure';
  const isTimely = Date.parse(served.validFrom) <= now + 5 * MINUTE && now < Date.parse(served.validTo);
  const isFor = node.addresses.some((address) => served.checkIP(address) !== undefined);
  const names = served.subject.split('\n');
  const isNamed = names.includes(`CN=system:node:${node.name}`) && names.includes('O=system:nodes');
  const isItsOwn = isFor && isNamed && served.subject !== served.issuer;
  const isIssued = certificates.some(({ certificate }) => keyOf(certificate) === keyOf(served));
  // Expired, or judged by a wrong clock, it is still nobody else's.
  if (isItsOwn && (isIssued || certificates.length === 0)) return isTimely ? 'own' : 'unsure';
  const isFresh = certificates.some(({ since }) => now - since < TAKEN_UP_WITHIN);
  return isFresh ? 'unsure' : 'foreign';
}

/**
 * Whether kubelets present such a certificate: issued by the cluster, or self-made before that (`CN=host@seconds`, of
 * `host-ca@seconds`). Any other comes from something in between that terminates TLS, such as a firewall that inspects
 * it, and proves nothing about the machine behind.
 */
function isOfKubelet({ subject, issuer }: X509Certificate): boolean {
  return /^CN=system:node:/m.test(subject) || (/^CN=.+@\d+$/m.test(subject) && /^CN=.+-ca@\d+$/m.test(issuer));
}

function certificateOf({ object }: CertificateRequest): X509Certificate | null {
  try {
    return new X509Certificate(Buffer.from(textAt(object.status, 'certificate') ?? '', 'base64'));
  } catch {
    return null;
  }
}

function approvedAt({ conditions, requestedAt }: CertificateRequest): number {
  return conditions.find(({ type }) => type === 'Approved')?.since ?? requestedAt ?? 0;
}

/** SHA-256 of the public key. */
function keyOf(certificate: X509Certificate): string {
  return createHash('sha256')
    .update(certificate.publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex');
}
