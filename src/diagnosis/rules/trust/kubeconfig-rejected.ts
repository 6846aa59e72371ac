import { diagnosticRule } from '../diagnostic-rule.ts';

/** The API answers, but rejects auth/kubeconfig. */
export const kubeconfigRejected = diagnosticRule(
  'credentials-refused',
  'installation',
  ({ api }) =>
    api?.code === 'cluster-unauthorized' || api?.code === 'cluster-kubeconfig-expired'
      ? [{ likelihood: 'likely', subject: '', symptom: api.line, command: 'oc --kubeconfig auth/kubeconfig whoami' }]
      : [],
  true,
);
