import { cause, failed } from '../cause.ts';

/** A node takes its name from the PTR record of its address, where DHCP does not give it one. */
export const ptrMissing = cause('ptr-missing', 'dns', (evidence) => failed(evidence, 'dns-reverse'));
