import { shell } from '../../../text/shell-word.ts';
import { cause, clueOfLines, failed, told } from '../cause.ts';

/** Routes have names below *.apps; without the wildcard the operators cannot reach their own routes. */
export const appsWildcardMissing = cause('apps-wildcard-missing', 'dns', (evidence) => {
  const records = failed(evidence, 'dns-apps-wildcard');
  if (records.length > 0) return records;
  const operators = evidence.cluster?.operators ?? [];
  const said = operators.filter(({ wait, message }) => wait?.code === 'name' && /\.apps\./.test(message));
  const clues = said.map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: message,
    command: shell`oc get clusteroperator ${name} -o yaml`,
  }));
  return clues.length > 0 ? clues : clueOfLines(told(evidence, /lookup \S+\.apps\.\S+ .*no such host/i), 'likely');
});
