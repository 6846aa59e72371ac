import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { CertificateEvidence } from './evidence.ts';

/** Maximum number of names in the title; further nodes are only counted. */
const MAX_NAMES = 9;

/** Nodes that count as joined by the API alone: their kubelets are not reachable from here. */
export const certificateUnverified: Rule<CertificateEvidence> = {
  code: 'certificate-unseen',
  severity: 'note',
  evaluate({ unproven }) {
    if (unproven.length === 0) return [];
    const { title, cause, remedy } = catalogue().diagnosis.certificates['certificate-unseen'];
    const subject = unproven.length === 1 ? (unproven[0] ?? null) : null;
    return [{ state: 'unknown', subject, title: title(unproven.slice(0, MAX_NAMES), unproven.length), cause, remedy }];
  },
};
