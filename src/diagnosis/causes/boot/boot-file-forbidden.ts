import { cause, failed } from '../cause.ts';
import { refused } from './boot-file-missing.ts';

/** The web server may not read a file that is there (rights, SELinux), or refuses an ignition file to an unknown address. */
export const bootFileForbidden = cause('boot-file-forbidden', 'boot', (evidence) => {
  const checks = (['http-artifacts', 'ipxe-script', 'ipxe-nodes'] as const).flatMap((code) => failed(evidence, code));
  return [...checks.filter(({ symptom }) => /\b403\b/.test(symptom)), ...refused(evidence, 403)];
});
