import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, isInstalled, unhealthyLongerThan } from '../diagnostic-rule.ts';

/** Its pods restart in less time. */
const GRACE_PERIOD = 5 * MINUTE;

/** The pods that serve a part of the API do not answer: its clients fail, and namespaces cannot be deleted. */
export const apiServiceUnavailable = diagnosticRule('api-service-unavailable', 'operatorIssues', (evidence) =>
  (isInstalled(evidence) ? unhealthyLongerThan(evidence, 'APIService', GRACE_PERIOD) : []).map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: `APIService ${name}: ${message}`,
    command: shellCommand`oc get apiservice ${name} -o yaml`,
  })),
);
