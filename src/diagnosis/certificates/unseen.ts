import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { CertificateEvidence } from './evidence.ts';

/** The others are counted. */
const MOST_NAMES = 9;

/** Nodes that count as joined by the API alone: from here nobody reaches their kubelets. */
export const unseen: Rule<CertificateEvidence> = {
  code: 'certificate-unseen',
  severity: 'note',
  judge({ unproven }) {
    if (unproven.length === 0) return [];
    const { title, cause, whatToDo } = catalogue().diagnosis.certificates['certificate-unseen'];
    const subject = unproven.length === 1 ? (unproven[0] ?? null) : null;
    return [
      { state: 'unknown', subject, title: title(unproven.slice(0, MOST_NAMES), unproven.length), cause, whatToDo },
    ];
  },
};
