import type { Rule } from '../rule.ts';
import type { CertificateEvidence } from './evidence.ts';
import { flood } from './flood.ts';
import { missing } from './missing.ts';
import { refused } from './refused.ts';
import { unseen } from './unseen.ts';

/** What a person should know while nodes join. `foreign` judges separately who answers at their addresses. */
export const CERTIFICATES: readonly Rule<CertificateEvidence>[] = [flood, refused, missing, unseen];
