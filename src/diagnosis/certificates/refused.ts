import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { CertificateEvidence } from './evidence.ts';
import { shortReasons } from './short-reasons.ts';

/** Requests that do not fit the design. During a flood only the flood is reported; its requests are in the list. */
export const refused: Rule<CertificateEvidence> = {
  code: 'request-refused',
  severity: 'warning',
  judge: ({ requests }) =>
    requests
      .filter(({ verdict, reasons }) => verdict === 'refused' && !reasons.includes('FLOOD'))
      .map(({ name, node, requester, reasons, rejoining, isOverrulable, why }) => {
        const { title, whatToDo, rejoining: ofRejoining } = catalogue().diagnosis.certificates['request-refused'];
        return {
          subject: name,
          title: title(name, node ?? requester, shortReasons(reasons)),
          cause: why.join(' '),
          whatToDo: rejoining !== null && isOverrulable ? ofRejoining[rejoining] : whatToDo,
        };
      }),
};
