import { cause, failed } from '../cause.ts';

/** A name server that does not answer: every name behind it is unknown. */
export const dnsServerSilent = cause('dns-server-silent', 'dns', (evidence) => failed(evidence, 'dns-server'), true);
