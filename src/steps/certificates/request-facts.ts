import { describeRequest, type NameComparison } from '../../csr/request-policy.ts';
import type { RequestReview } from '../../csr/verdict.ts';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { CertificateRequest } from '../../openshift/certificate-request.ts';
import { formatTimeOfDay } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

const words = () => catalogue().steps.certificates.page;

/**
 * Formats what a CSR contains and who sent it, what the design says of its node, and each requested name against it.
 * @returns sanitized lines; a blank one is before the names
 */
export function formatRequestFacts(design: Design, request: CertificateRequest, review: RequestReview): string[] {
  const { facts, none, unreadable } = words();
  const node = design.nodes.find((designNode) => getNodeFqdn(design, designNode) === review.node) ?? null;
  const plannedIdentity = { addresses: node?.ip ?? [], names: node ? [getNodeFqdn(design, node), node.name] : [] };
  const content = describeRequest(request, plannedIdentity);
  const formatList = (texts: readonly string[]) => texts.map((text) => sanitizeLine(text, 120)).join(', ') || none;
  return [
    facts.node(review.node ?? none),
    ...(node === null ? [] : [facts.planned(node.name, node.role, node.ip.join(', '), node.mac)]),
    facts.requestedAt(request.requestedAt === null ? none : formatTimeOfDay(request.requestedAt)),
    facts.subject(content === null ? unreadable : sanitizeLine(content.subject, 300) || none),
    facts.signer(sanitizeLine(request.signer, 120)),
    facts.requester(sanitizeLine(request.requester, 160)),
    facts.groups(formatList(request.groups)),
    facts.usages(formatList(request.usages)),
    facts.key(content?.key ?? unreadable),
    facts.fingerprint(review.fingerprint ?? none),
    ...(content === null || content.names.length === 0 ? [] : ['', words().names]),
    ...(content?.names ?? []).map(formatName),
  ];
}

function formatName({ kind, text, state }: NameComparison): string {
  return words().name(words().kinds[kind], sanitizeLine(text, 253), words().states[state]);
}
