import { diagnosticRule, symptomsFromChecks } from '../diagnostic-rule.ts';
import { findRefusedRequests, listFailedFileChecks } from './boot-file-missing.ts';

/**
 * The web server may not read an existing file (permissions, SELinux), or refuses an ignition file to an unknown
 * address.
 */
export const bootFileForbidden = diagnosticRule('boot-file-forbidden', 'boot', (evidence) => {
  const forbidden = listFailedFileChecks(evidence).filter(({ status }) => status === 403);
  return [...symptomsFromChecks(forbidden, 'certain'), ...findRefusedRequests(evidence, 403)];
});
