import { apiName } from '../../../design/names.ts';
import { cause, clueOfLines, isRight, told } from '../cause.ts';

/** Our servers know the API, and this machine asks others: openshift-install and oc do not find it. */
export const resolverElsewhere = cause('resolver-elsewhere', 'dns', (evidence) => {
  const { api, design } = evidence;
  if (design === null || !isRight(evidence, 'dns-api')) return [];
  const command = `getent hosts ${apiName(design)}`;
  if (api?.code === 'cluster-name') return [{ likelihood: 'certain', subject: '', symptom: api.line, command }];
  if (api?.isUp) return [];
  const lines = told(evidence, /lookup api\.\S+ .*no such host/i).filter(
    ({ source }) => source === 'openshift-install',
  );
  return clueOfLines(lines.slice(-1), 'likely', command);
});
