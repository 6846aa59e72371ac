import { X509Certificate } from 'node:crypto';
import type { CertificateRequest } from '../openshift/certificate-request.ts';
import { getString } from '../openshift/object.ts';
import { MINUTE } from '../platform/clock.ts';
import { computeSha256 } from '../platform/text.ts';

/**
 * `own`: a valid certificate of the node for its planned address. `foreign`: a kubelet with another key or name
 * answers. `unsure`: too early to decide, outside its validity, or not the certificate of a kubelet.
 */
type ServedVerdict = 'own' | 'foreign' | 'unsure';
/** The verdict for a node. `silent`: nothing answers on its kubelet port. */
export type KubeletVerdict = ServedVerdict | 'silent';

/** A kubelet loads its new certificate within this time (ms). */
const RELOAD_TIME = 2 * MINUTE;

/**
 * Compares the certificate that a kubelet presents with those issued for its node. A match proves that the owner of the
 * key is at the planned address. If no request is listed any more (an hour after its approval), the certificate alone
 * decides. Pure.
 * @param servedCertificate the certificate presented at the planned address, port 10250
 * @param node its name in the cluster and its planned addresses
 * @param issuedRequests the issued serving requests of this node
 * @param now milliseconds since the epoch
 */
export function reviewServedCertificate(
  servedCertificate: X509Certificate,
  node: { readonly name: string; readonly addresses: readonly string[] },
  issuedRequests: readonly CertificateRequest[],
  now: number,
): ServedVerdict {
  const issuedCertificates = issuedRequests.flatMap((request) => {
    const certificate = parseIssuedCertificate(request);
    return certificate ? [{ certificate, approvedAt: getApprovalTime(request) }] : [];
  });
  if (!isKubeletCertificate(servedCertificate)) return 'unsure';
  const isWithinValidity =
    Date.parse(servedCertificate.validFrom) <= now + 5 * MINUTE && now < Date.parse(servedCertificate.validTo);
  const hasNodeAddress = node.addresses.some((address) => servedCertificate.checkIP(address) !== undefined);
  const names = servedCertificate.subject.split('\n');
  const hasNodeName = names.includes(`CN=system:node:${node.name}`) && names.includes('O=system:nodes');
  const isOfNode = hasNodeAddress && hasNodeName && servedCertificate.subject !== servedCertificate.issuer;
  const isIssued = issuedCertificates.some(
    ({ certificate }) => hashPublicKey(certificate) === hashPublicKey(servedCertificate),
  );
  // An expired certificate, or one compared by a wrong clock, still belongs to this node.
  if (isOfNode && (isIssued || issuedCertificates.length === 0)) return isWithinValidity ? 'own' : 'unsure';
  const isRecentlyIssued = issuedCertificates.some(({ approvedAt }) => now - approvedAt < RELOAD_TIME);
  return isRecentlyIssued ? 'unsure' : 'foreign';
}

/**
 * Whether kubelets present such a certificate: issued by the cluster, or before that by the kubelet itself
 * (`CN=host@seconds`, issued by `host-ca@seconds`). Any other one comes from a device that terminates TLS, such as an
 * inspecting firewall, and proves nothing about the machine behind it.
 */
function isKubeletCertificate({ subject, issuer }: X509Certificate): boolean {
  return /^CN=system:node:/m.test(subject) || (/^CN=.+@\d+$/m.test(subject) && /^CN=.+-ca@\d+$/m.test(issuer));
}

function parseIssuedCertificate({ object }: CertificateRequest): X509Certificate | null {
  try {
    return new X509Certificate(Buffer.from(getString(object.status, 'certificate') ?? '', 'base64'));
  } catch {
    return null;
  }
}

function getApprovalTime({ conditions, requestedAt }: CertificateRequest): number {
  return conditions.find(({ type }) => type === 'Approved')?.since ?? requestedAt ?? 0;
}

/** Computes the SHA-256 hash of the public key. */
function hashPublicKey(certificate: X509Certificate): string {
  return computeSha256(certificate.publicKey.export({ format: 'der', type: 'spki' }));
}
