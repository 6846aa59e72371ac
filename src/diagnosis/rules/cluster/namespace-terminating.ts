import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, unhealthyLongerThan } from '../diagnostic-rule.ts';

/** Pods get some minutes to terminate. */
const GRACE_PERIOD = 10 * MINUTE;

/** A namespace is being deleted, and an object in it remains. */
export const namespaceTerminating = diagnosticRule('namespace-terminating', 'operatorIssues', (evidence) =>
  unhealthyLongerThan(evidence, 'Namespace', GRACE_PERIOD).map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: `Namespace ${name}: ${message}`,
    command: shellCommand`oc get namespace ${name} -o yaml`,
  })),
);
