import { diagnosticRule, matchLogLines, symptomsFromFailedChecks, symptomsFromLines } from '../diagnostic-rule.ts';

/** The name of the API is missing, or has another address. (The resolver of this machine has its own rule.) */
export const apiNameWrong = diagnosticRule('api-name-wrong', 'dns', (evidence) => {
  const records = symptomsFromFailedChecks(evidence, 'dns-api');
  if (records.length > 0) return records;
  const lines = matchLogLines(evidence, /lookup api\.[\w.-]+ .*no such host|Unable to resolve API_URL/i);
  return symptomsFromLines(
    lines.filter(({ source }) => source !== 'openshift-install'),
    'likely',
  );
});
