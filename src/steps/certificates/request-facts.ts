import { describeRequest, type NameComparison } from '../../csr/request-policy.ts';
import type { RequestReview } from '../../csr/verdict.ts';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { type CertificateRequest, formatRefusal } from '../../openshift/certificate-request.ts';
import { formatTimeOfDay } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { Fact } from '../contract.ts';

const words = () => catalogue().steps.certificates.page;

/** The facts of a CSR, sanitized. */
interface RequestFacts {
  /** Why it was denied, or why its signer failed; empty: neither. */
  readonly refusal: string;
  /** Its content, its sender, and what the design says of its node. */
  readonly facts: readonly Fact[];
  /** Each requested name against the design, under a heading; empty: it requests none. */
  readonly nameLines: readonly string[];
}

/** Lists what a CSR contains and who sent it, what the design says of its node, and each requested name against it. */
export function listRequestFacts(design: Design, request: CertificateRequest, review: RequestReview): RequestFacts {
  const { facts: labels, none, unreadable, sha256 } = words();
  const node = design.nodes.find((designNode) => getNodeFqdn(design, designNode) === review.node) ?? null;
  const plannedIdentity = { addresses: node?.ip ?? [], names: node ? [getNodeFqdn(design, node), node.name] : [] };
  const content = describeRequest(request, plannedIdentity);
  const formatList = (texts: readonly string[]) => texts.map((text) => sanitizeLine(text, 120)).join(', ') || none;
  const refusal = sanitizeLine(formatRefusal(request), 300);
  const facts: readonly (readonly [label: keyof typeof labels, value: string])[] = [
    ...(refusal === '' ? [] : [[request.isDenied ? 'denied' : 'failed', refusal] as const]),
    ['node', review.node ?? none],
    ...(node === null ? [] : [['planned', [node.name, node.role, ...node.ip, node.mac].join(', ')] as const]),
    ['requestedAt', request.requestedAt === null ? none : formatTimeOfDay(request.requestedAt)],
    ['subject', content === null ? unreadable : sanitizeLine(content.subject, 300) || none],
    ['signer', sanitizeLine(request.signer, 120)],
    ['requester', sanitizeLine(request.requester, 160)],
    ['groups', formatList(request.groups)],
    ['usages', formatList(request.usages)],
    ['key', content?.key ?? unreadable],
    ['fingerprint', review.fingerprint === null ? none : sha256(review.fingerprint)],
  ];
  const names = content?.names ?? [];
  return {
    refusal,
    facts: facts.map(([label, value]) => ({ label: labels[label], value })),
    nameLines: names.length === 0 ? [] : [words().names, ...names.map(formatName)],
  };
}

function formatName({ kind, text, state }: NameComparison): string {
  return words().name(words().kinds[kind], sanitizeLine(text, 253), words().states[state]);
}
