import { diagnosticRule, symptomsFromFailedChecks } from '../diagnostic-rule.ts';

/** A wildcard record above *.apps: names that must not exist resolve (assisted-service isDNSWildcardNotConfigured). */
export const wildcardTooWide = diagnosticRule('wildcard-too-wide', 'dns', (evidence) =>
  symptomsFromFailedChecks(evidence, 'dns-no-cluster-wildcard'),
);
