import { check } from '../rule.ts';
import type { JoiningEvidence } from './evidence.ts';

/** The boot server has the images that the machines boot from. */
export const images = check('join-images', 'fatal', ({ images: served }: JoiningEvidence) => {
  const missing = served.filter(({ isThere }) => !isThere);
  const told = missing.length > 0 ? missing : served;
  return { state: missing.length > 0 ? 'failed' : 'ok', detail: told.map(({ detail }) => detail).join('; ') };
});
