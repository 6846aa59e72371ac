import type { Rule } from '../rule.ts';
import type { CertificateEvidence } from './evidence.ts';
import { flood } from './flood.ts';
import { missing } from './missing.ts';
import { refused } from './refused.ts';

/** What a person should know of while nodes join. Who answers at their addresses is judged by itself, in `foreign`. */
export const CERTIFICATES: readonly Rule<CertificateEvidence>[] = [flood, refused, missing];
