import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { CertificateEvidence } from './evidence.ts';
import { formatShortReasons } from './short-reasons.ts';

/** Requests that contradict the design. During a flood only the flood is reported; its requests are in the list. */
export const requestRefused: Rule<CertificateEvidence> = {
  code: 'request-refused',
  severity: 'warning',
  evaluate: ({ requests }) =>
    requests
      .filter(({ verdict, reasons }) => verdict === 'refused' && !reasons.includes('FLOOD'))
      .map(({ name, node, requester, reasons, rejoining, isOverrulable, why }) => {
        const { title, remedy, rejoinRemedies } = catalogue().diagnosis.certificates['request-refused'];
        return {
          subject: name,
          title: title(name, node ?? requester, formatShortReasons(reasons)),
          cause: why.join(' '),
          remedy: rejoining !== null && isOverrulable ? rejoinRemedies[rejoining] : remedy,
        };
      }),
};
