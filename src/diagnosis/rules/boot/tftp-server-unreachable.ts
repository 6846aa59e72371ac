import { diagnosticRule, failedCheckSymptoms } from '../diagnostic-rule.ts';
import { isStuckAtLease } from './boot-program-missing.ts';

/**
 * No TFTP server answers firmware that requests its program: a packet filter, or no server. No machine gets further
 * than its address.
 */
export const tftpServerUnreachable = diagnosticRule('tftp-silent', 'boot', (evidence) =>
  isStuckAtLease(evidence) ? failedCheckSymptoms(evidence, 'tftp-server', 'likely') : [],
);
