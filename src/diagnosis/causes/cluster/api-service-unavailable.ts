import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause, isInstalled, unwellFor } from '../cause.ts';

/** Its pods start anew in less. */
const LONG = 5 * MINUTE;

/** A part of the API is served by pods that do not answer: what asks it fails, and namespaces cannot be deleted. */
export const apiServiceUnavailable = cause('api-service-unavailable', 'operatorIssues', (evidence) =>
  (isInstalled(evidence) ? unwellFor(evidence, 'APIService', LONG) : []).map(({ name, message }) => ({
    likelihood: 'likely' as const,
    subject: name,
    symptom: `APIService ${name}: ${message}`,
    command: shell`oc get apiservice ${name} -o yaml`,
  })),
);
