import { apiName } from '../../../design/names.ts';
import { allChecksPassed, diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** Our name servers resolve the API, but this machine uses others: openshift-install and oc do not find it. */
export const localResolverWrong = diagnosticRule('resolver-elsewhere', 'dns', (evidence) => {
  const { api, design } = evidence;
  if (design === null || !allChecksPassed(evidence, 'dns-api')) return [];
  const command = `getent hosts ${apiName(design)}`;
  if (api?.code === 'cluster-name') return [{ likelihood: 'certain', subject: '', symptom: api.line, command }];
  if (api?.isUp) return [];
  const lines = matchLogLines(evidence, /lookup api\.\S+ .*no such host/i).filter(
    ({ source }) => source === 'openshift-install',
  );
  return symptomsFromLines(lines.slice(-1), 'likely', command);
});
