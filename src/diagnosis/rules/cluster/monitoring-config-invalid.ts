import { diagnosticRule } from '../diagnostic-rule.ts';

/** The ConfigMap of the monitoring stack has a key that its operator does not know. */
export const monitoringConfigInvalid = diagnosticRule('monitoring-config-invalid', 'operators', ({ cluster }) =>
  (cluster?.operators ?? [])
    .filter(({ wait }) => wait?.code === 'monitoring-config')
    .map(({ name, message }) => ({
      likelihood: 'certain' as const,
      subject: name,
      symptom: message,
      command: 'oc get configmap cluster-monitoring-config -n openshift-monitoring -o yaml',
    })),
);
