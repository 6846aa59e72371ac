import { diagnosticRule, failedCheckSymptoms } from '../diagnostic-rule.ts';

/** A wildcard record above *.apps: names that must not exist resolve (assisted-service isDNSWildcardNotConfigured). */
export const wildcardTooWide = diagnosticRule('wildcard-too-wide', 'dns', (evidence) =>
  failedCheckSymptoms(evidence, 'dns-no-cluster-wildcard'),
);
