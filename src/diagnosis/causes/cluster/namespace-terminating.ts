import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause, unwellFor } from '../cause.ts';

/** Pods get some minutes to end. */
const LONG = 10 * MINUTE;

/** A namespace is being deleted, and something in it stays. */
export const namespaceTerminating = cause('namespace-terminating', 'operatorIssues', (evidence) =>
  unwellFor(evidence, 'Namespace', LONG).map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: `Namespace ${name}: ${message}`,
    command: shell`oc get namespace ${name} -o yaml`,
  })),
);
