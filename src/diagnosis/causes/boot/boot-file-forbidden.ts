import { cause, cluesOf } from '../cause.ts';
import { failedFiles, refused } from './boot-file-missing.ts';

/** The web server may not read a file that is there (rights, SELinux), or refuses an ignition file to an unknown address. */
export const bootFileForbidden = cause('boot-file-forbidden', 'boot', (evidence) => {
  const forbidden = failedFiles(evidence).filter(({ status }) => status === 403);
  return [...cluesOf(forbidden, 'certain'), ...refused(evidence, 403)];
});
