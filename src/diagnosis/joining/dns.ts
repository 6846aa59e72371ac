import { check } from '../rule.ts';
import type { JoinCandidate } from './evidence.ts';

/** Every name server resolves its name and its addresses. */
export const dnsRecords = check('join-dns', 'fatal', ({ name: subject, names }: JoinCandidate) => {
  const wrong = names.filter(({ isOk }) => !isOk);
  const detail = wrong.map(({ server, detail: text }) => `${server}: ${text}`).join('; ');
  return { state: wrong.length > 0 ? 'failed' : 'ok', subject, detail };
});
