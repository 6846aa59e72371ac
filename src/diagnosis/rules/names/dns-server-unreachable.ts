import { diagnosticRule, failedCheckSymptoms } from '../diagnostic-rule.ts';

/** A name server does not answer: none of its names resolves. */
export const dnsServerUnreachable = diagnosticRule(
  'dns-server-silent',
  'dns',
  (evidence) => failedCheckSymptoms(evidence, 'dns-server'),
  true,
);
