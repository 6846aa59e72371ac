import { shellCommand } from '../../../platform/shell-quoting.ts';
import {
  diagnosticRule,
  isInstalled,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
  unhealthyLongerThan,
} from '../diagnostic-rule.ts';

/**
 * While a cluster starts, or a node restarts, a webhook is briefly unavailable; a bundle cannot be probed a second
 * time.
 */
const MIN_OCCURRENCES = 3;

const LIST_COMMAND = 'oc get validatingwebhookconfigurations,mutatingwebhookconfigurations';

/** Writes pass an admission webhook that does not answer: the API rejects all of them. */
export const webhookUnavailable = diagnosticRule(
  'webhook-unanswered',
  'operatorIssues',
  (evidence) => {
    const fromOperators = (evidence.cluster?.operators ?? []).flatMap(({ name, message }): Symptom[] => {
      const hook = /failed calling webhook\W+([\w.-]+)/.exec(message)?.[1];
      if (hook === undefined) return [];
      return [{ likelihood: 'certain', subject: hook, symptom: `${name}: ${message}`, command: LIST_COMMAND }];
    });
    const unserved = isInstalled(evidence) ? unhealthyLongerThan(evidence, 'Webhook', 0) : [];
    const fromWebhooks = unserved.map(({ name, message }): Symptom => {
      const command = shellCommand`oc get validatingwebhookconfiguration,mutatingwebhookconfiguration ${name} --ignore-not-found -o yaml`;
      return { likelihood: 'likely', subject: name, symptom: `${name}: ${message}`, command };
    });
    // A failure policy of "Ignore" lets everything pass, and is logged the same way.
    const lines = matchLogLines(
      evidence,
      /^(?!.*failing open).*failed calling webhook/i,
      evidence.isBundle === true ? MIN_OCCURRENCES : 1,
    );
    return [...fromOperators, ...fromWebhooks, ...symptomsFromLines(lines.slice(-1), 'likely', LIST_COMMAND)];
  },
  true,
);
