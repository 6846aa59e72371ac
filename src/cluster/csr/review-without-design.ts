import type { ReviewedCsr } from '../../diagnosis/rules/evidence.ts';
import type { CertificateRequest } from './request.ts';
import { summarizeRequest } from './review-request.ts';

/**
 * Reviews a request without a design: whether it is decided, and whether its node has no host name. Nothing is
 * `expected`.
 */
export function reviewWithoutDesign(request: CertificateRequest): ReviewedCsr {
  const summary = summarizeRequest(request);
  if (summary.kind === 'other') return { ...summary, verdict: 'not-ours', reasons: [] };
  if (request.isDenied || request.isFailed) return { ...summary, verdict: 'decided', reasons: ['TERMINAL'] };
  if (request.isApproved) return { ...summary, verdict: 'decided', reasons: [] };
  if (/^localhost(?:\.|$)/.test(summary.node ?? '')) return { ...summary, verdict: 'refused', reasons: ['LOCALHOST'] };
  return { ...summary, verdict: 'unjudged', reasons: [] };
}
