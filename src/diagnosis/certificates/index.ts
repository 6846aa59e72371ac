import type { Rule } from '../rule.ts';
import { certificateUnverified } from './certificate-unseen.ts';
import type { CertificateEvidence } from './evidence.ts';
import { requestFlood } from './flood.ts';
import { nodeMissing } from './missing-nodes.ts';
import { requestRefused } from './request-refused.ts';

/**
 * Rules for the time while nodes join. The rule `servingForeign` is evaluated separately: it needs a probe of the
 * nodes' addresses.
 */
export const CERTIFICATE_RULES: readonly Rule<CertificateEvidence>[] = [
  requestFlood,
  requestRefused,
  nodeMissing,
  certificateUnverified,
];
