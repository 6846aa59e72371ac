import { needsAttention } from '../../operators/states.ts';
import { cause, isBootstrapping } from '../cause.ts';

/** Waits for nodes, or for another operator. */
const FOLLOWS: ReadonlySet<string> = new Set(['compute', 'routers', 'authentication']);

/** An operator is degraded or not available for longer than it usually is. */
export const operatorDegraded = cause('operator-degraded', 'operatorIssues', (evidence) =>
  (isBootstrapping(evidence) ? [] : (evidence.cluster?.operators ?? []))
    .filter((operator) => (operator.degraded || !operator.available) && needsAttention(operator))
    // Who waits for another is well when that one is.
    .filter(({ wait }) => wait === null || !FOLLOWS.has(wait.code))
    .map(({ name, degraded, reason, message }) => ({
      likelihood: 'likely' as const,
      subject: name,
      symptom: `${name} ${degraded ? 'Degraded=True' : 'Available=False'} ${reason}: ${message}`,
      command: `oc describe clusteroperator ${name}`,
    })),
);
