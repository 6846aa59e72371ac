import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, unhealthyLongerThan } from '../diagnostic-rule.ts';

/** A node that restarts with a new configuration makes its pool Degraded briefly. */
const GRACE_PERIOD = 5 * MINUTE;

/** The Machine Config Operator cannot apply the configuration of a pool. */
export const machineConfigPoolDegraded = diagnosticRule('pool-degraded', 'operatorIssues', (evidence) =>
  unhealthyLongerThan(evidence, 'MachineConfigPool', GRACE_PERIOD).map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: `MachineConfigPool ${name}: ${message}`,
    command: shellCommand`oc describe machineconfigpool ${name}`,
  })),
);
