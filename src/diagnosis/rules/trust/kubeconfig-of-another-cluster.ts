import { apiName } from '../../../design/names.ts';
import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** The API belongs to another installation than auth/kubeconfig. */
export const kubeconfigOfAnotherCluster = diagnosticRule(
  'kubeconfig-of-another-cluster',
  'installation',
  (evidence) => {
    const { api, design } = evidence;
    const name = design === null ? 'API' : apiName(design);
    const command = `openssl s_client -connect ${name}:6443 -showcerts </dev/null | openssl x509 -noout -issuer -dates`;
    const isOther = api?.code === 'cluster-wrong-ca' || api?.code === 'cluster-other-install';
    if (isOther) return [{ likelihood: 'possible', subject: '', symptom: api.line, command }];
    if (api?.isUp) return [];
    const lines = matchLogLines(evidence, /signed by unknown authority/, 3).filter(
      ({ source }) => source === 'openshift-install',
    );
    return symptomsFromLines(lines.slice(-1), 'likely', command);
  },
);
