import { shell } from '../../../text/shell-word.ts';
import { type Clue, cause, clueOfLines, isInstalled, told, unwellFor } from '../cause.ts';

/** While a cluster begins, or a node restarts, one is not there for a moment; in a bundle nobody can look again. */
const OFTEN = 3;

const LIST = 'oc get validatingwebhookconfigurations,mutatingwebhookconfigurations';

/** What is written passes an admission webhook that does not answer: the API refuses all of it. */
export const webhookUnanswered = cause(
  'webhook-unanswered',
  'operatorIssues',
  (evidence) => {
    const said = (evidence.cluster?.operators ?? []).flatMap(({ name, message }): Clue[] => {
      const hook = /failed calling webhook\W+([\w.-]+)/.exec(message)?.[1];
      if (hook === undefined) return [];
      return [{ likelihood: 'certain', subject: hook, symptom: `${name}: ${message}`, command: LIST }];
    });
    const unserved = isInstalled(evidence) ? unwellFor(evidence, 'Webhook', 0) : [];
    const without = unserved.map(({ name, message }): Clue => {
      const command = shell`oc get validatingwebhookconfiguration,mutatingwebhookconfiguration ${name} --ignore-not-found -o yaml`;
      return { likelihood: 'likely', subject: name, symptom: `${name}: ${message}`, command };
    });
    // A policy of "Ignore" lets everything pass, and is logged the same way.
    const lines = told(
      evidence,
      /^(?!.*failing open).*failed calling webhook/i,
      evidence.isBundle === true ? OFTEN : 1,
    );
    return [...said, ...without, ...clueOfLines(lines.slice(-1), 'likely', LIST)];
  },
  true,
);
