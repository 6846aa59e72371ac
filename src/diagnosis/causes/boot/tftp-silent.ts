import { cause, failed } from '../cause.ts';
import { isStuckAtLease } from './boot-program-missing.ts';

/** Nobody hears firmware that asks for its program: a packet filter, or no server. None of the machines gets further than its address. */
export const tftpSilent = cause('tftp-silent', 'boot', (evidence) =>
  isStuckAtLease(evidence) ? failed(evidence, 'tftp-server', 'likely') : [],
);
