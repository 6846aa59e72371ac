import { check } from '../rule.ts';
import type { JoiningNode } from './evidence.ts';

/** Every name server knows its name and its addresses. */
export const dns = check('join-dns', 'fatal', ({ name: subject, names }: JoiningNode) => {
  const wrong = names.filter(({ isOk }) => !isOk);
  const detail = wrong.map(({ server, detail: said }) => `${server}: ${said}`).join('; ');
  return { state: wrong.length > 0 ? 'failed' : 'ok', subject, detail };
});
