import { check } from '../rule.ts';
import type { JoinEvidence } from './evidence.ts';

/** The boot server has the images that the machines boot. */
export const bootImages = check('join-images', 'fatal', ({ images: served }: JoinEvidence) => {
  const missing = served.filter(({ isThere }) => !isThere);
  const reported = missing.length > 0 ? missing : served;
  return { state: missing.length > 0 ? 'failed' : 'ok', detail: reported.map(({ detail }) => detail).join('; ') };
});
