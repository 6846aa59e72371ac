import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause, unwellFor } from '../cause.ts';

/** A node that restarts with a new configuration makes its pool Degraded for a moment. */
const LONG = 5 * MINUTE;

/** The machine config operator cannot give a pool its configuration. */
export const poolDegraded = cause('pool-degraded', 'operatorIssues', (evidence) =>
  unwellFor(evidence, 'MachineConfigPool', LONG).map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: `MachineConfigPool ${name}: ${message}`,
    command: shell`oc describe machineconfigpool ${name}`,
  })),
);
