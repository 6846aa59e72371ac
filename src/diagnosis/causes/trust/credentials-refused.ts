import { cause } from '../cause.ts';

/** The API answers, and does not accept auth/kubeconfig. */
export const credentialsRefused = cause(
  'credentials-refused',
  'installation',
  ({ api }) =>
    api?.code === 'cluster-unauthorized' || api?.code === 'cluster-kubeconfig-expired'
      ? [{ likelihood: 'likely', subject: '', symptom: api.line, command: 'oc --kubeconfig auth/kubeconfig whoami' }]
      : [],
  true,
);
