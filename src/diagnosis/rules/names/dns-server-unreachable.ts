import { diagnosticRule, symptomsFromFailedChecks } from '../diagnostic-rule.ts';

/** A name server does not answer: none of its names resolves. */
export const dnsServerUnreachable = diagnosticRule(
  'dns-server-silent',
  'dns',
  (evidence) => symptomsFromFailedChecks(evidence, 'dns-server'),
  true,
);
