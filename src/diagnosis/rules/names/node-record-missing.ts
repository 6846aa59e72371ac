import { diagnosticRule, symptomsFromFailedChecks } from '../diagnostic-rule.ts';

/** The DNS record of a node is missing, or has another address. */
export const nodeRecordMissing = diagnosticRule('node-name-missing', 'dns', (evidence) =>
  symptomsFromFailedChecks(evidence, 'dns-nodes'),
);
