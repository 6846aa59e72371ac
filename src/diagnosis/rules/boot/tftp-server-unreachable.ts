import { diagnosticRule, symptomsFromFailedChecks } from '../diagnostic-rule.ts';
import { isStuckAtLease } from './boot-program-missing.ts';

/**
 * No TFTP server answers firmware that requests its program: a packet filter, or no server. No machine gets further
 * than its address.
 */
export const tftpServerUnreachable = diagnosticRule('tftp-silent', 'boot', (evidence) =>
  isStuckAtLease(evidence) ? symptomsFromFailedChecks(evidence, 'tftp-server', 'likely') : [],
);
