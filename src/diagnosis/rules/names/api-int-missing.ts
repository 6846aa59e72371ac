import { diagnosticRule, matchLogLines, symptomsFromFailedChecks, symptomsFromLines } from '../diagnostic-rule.ts';

/** Nodes resolve api-int before they fetch anything. If our name servers know it, the nodes use another one. */
export const apiIntMissing = diagnosticRule('api-int-missing', 'dns', (evidence) => {
  const records = symptomsFromFailedChecks(evidence, 'dns-api-int');
  if (records.length > 0) return records;
  return symptomsFromLines(
    matchLogLines(evidence, /lookup api-int\S* .*no such host|Unable to resolve API_INT_URL/i),
    'likely',
  );
});
