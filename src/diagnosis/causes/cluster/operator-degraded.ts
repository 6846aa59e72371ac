import { needsAttention } from '../../operators/states.ts';
import { cause } from '../cause.ts';

/** An operator is degraded or not available for longer than it usually is. */
export const operatorDegraded = cause('operator-degraded', 'operatorIssues', ({ cluster }) =>
  (cluster?.operators ?? [])
    .filter((operator) => (operator.degraded || !operator.available) && needsAttention(operator))
    .map(({ name, degraded, reason, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: `${name} ${degraded ? 'Degraded=True' : 'Available=False'} ${reason}: ${message}`,
      command: `oc describe clusteroperator ${name}`,
    })),
);
