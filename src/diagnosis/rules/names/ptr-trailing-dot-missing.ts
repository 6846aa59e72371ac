import { diagnosticRule, symptomsFromChecks } from '../diagnostic-rule.ts';
import { isMissingTrailingDot, listWrongPtrRecords } from './ptr-missing.ts';

/**
 * A name in a zone file without its trailing dot is relative to the zone: m1.cluster.example.0.16.172.in-addr.arpa (RFC
 * 1035, 5.1).
 */
export const ptrTrailingDotMissing = diagnosticRule('ptr-dot-missing', 'dns', (evidence) =>
  symptomsFromChecks(listWrongPtrRecords(evidence).filter(isMissingTrailingDot), 'certain'),
);
