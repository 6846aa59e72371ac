import type { RequestSeen } from '../../diagnosis/causes/evidence.ts';
import { aboutOf } from './judge.ts';
import type { CertificateRequest } from './request.ts';

/** A request where nobody knows what is planned: whether it is decided, and whether a node got no name. Nothing is `expected`. */
export function judgeAlone(request: CertificateRequest): RequestSeen {
  const about = aboutOf(request);
  if (about.kind === 'other') return { ...about, verdict: 'not-ours', reasons: [] };
  if (request.isDenied || request.isFailed) return { ...about, verdict: 'decided', reasons: ['TERMINAL'] };
  if (request.isApproved) return { ...about, verdict: 'decided', reasons: [] };
  if (/^localhost(?:\.|$)/.test(about.node ?? '')) return { ...about, verdict: 'refused', reasons: ['LOCALHOST'] };
  return { ...about, verdict: 'unjudged', reasons: [] };
}
