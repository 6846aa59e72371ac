import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, matchLogLines, symptomsFromFailedChecks, symptomsFromLines } from '../diagnostic-rule.ts';

/** Routes have names below *.apps; without the wildcard the operators cannot reach their own routes. */
export const appsWildcardMissing = diagnosticRule('apps-wildcard-missing', 'dns', (evidence) => {
  const records = symptomsFromFailedChecks(evidence, 'dns-apps-wildcard');
  if (records.length > 0) return records;
  const operators = evidence.cluster?.operators ?? [];
  const failing = operators.filter(({ wait, message }) => wait?.code === 'name' && /\.apps\./.test(message));
  const symptoms = failing.map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: message,
    command: shellCommand`oc get clusteroperator ${name} -o yaml`,
  }));
  return symptoms.length > 0
    ? symptoms
    : symptomsFromLines(matchLogLines(evidence, /lookup \S+\.apps\.\S+ .*no such host/i), 'likely');
});
