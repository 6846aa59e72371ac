import { cause, cluesOf } from '../cause.ts';
import { isWithoutDot, wrongReverse } from './ptr-missing.ts';

/** A name in a zone file without its last dot is below the zone: m1.cluster.example.0.16.172.in-addr.arpa (RFC 1035, 5.1). */
export const ptrDotMissing = cause('ptr-dot-missing', 'dns', (evidence) =>
  cluesOf(wrongReverse(evidence).filter(isWithoutDot), 'certain'),
);
